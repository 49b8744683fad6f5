"""The tasks that come with Stiction."""

from .chain import ChainSwingUp
from .gripper import GripperLift
from .humanoid import HumanoidStand, HumanoidWalk
from .quadruped import QuadrupedFlat, QuadrupedRecover, QuadrupedRough

__all__ = [
    "ChainSwingUp",
    "GripperLift",
    "HumanoidStand",
    "HumanoidWalk",
    "QuadrupedFlat",
    "QuadrupedRecover",
    "QuadrupedRough",
]
