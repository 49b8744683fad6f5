"""Environments to learn in, with Gymnasium's interface. Gymnasium itself is not needed: where it is
installed, its base classes and spaces are used, and its make() knows the environments."""

from .compat import AutoresetMode, Box
from .registry import ids, make, make_vec, register
from .single import SingleEnv
from .task import Task
from .tasks.rotations import row_sum
from .vector import BatchEnv

__all__ = [
    "AutoresetMode",
    "BatchEnv",
    "Box",
    "SingleEnv",
    "Task",
    "ids",
    "make",
    "make_vec",
    "register",
    "row_sum",
]
