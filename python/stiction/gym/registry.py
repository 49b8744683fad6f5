"""Environments by id."""

from __future__ import annotations

from typing import Any, Callable

from . import compat, tasks
from .compat import AutoresetMode
from .single import SingleEnv
from .task import Task
from .vector import BatchEnv

_TASKS: dict[str, tuple[Callable[..., Task], dict[str, Any]]] = {}
#: Keywords of environments; others are those of tasks.
_ENVIRONMENT = ("render_mode", "max_episode_steps", "width", "height")
_VECTOR = ("autoreset_mode", "threads", "copy")


def register(id: str, task: Callable[..., Task], **keywords: Any) -> None:
    """Makes a task known to make() and make_vec(); to gymnasium's, too, where it is installed.
    `keywords` are given to the task."""
    if id in _TASKS:
        raise ValueError(f"there is an environment '{id}' already")
    _TASKS[id] = (task, keywords)
    if compat.HAS_GYMNASIUM:
        import gymnasium

        gymnasium.register(
            id=id,
            entry_point="stiction.gym.registry:make",
            vector_entry_point="stiction.gym.registry:make_vec",
            kwargs={"id": id},
        )


def ids() -> list[str]:
    """Of all environments."""
    return sorted(_TASKS)


def _task(id: str, keywords: dict[str, Any]) -> Task:
    if id not in _TASKS:
        raise ValueError(f"there is no environment '{id}'; choose from {', '.join(ids())}")
    kind, given = _TASKS[id]
    return kind(**{**given, **keywords})


def _split(keywords: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Takes those of `names` out of `keywords`."""
    return {name: keywords.pop(name) for name in names if name in keywords}


def make(id: str, **keywords: Any) -> SingleEnv:
    """One environment. Keywords: render_mode, max_episode_steps, width, height; others go to the
    task."""
    environment = _split(keywords, _ENVIRONMENT)
    return SingleEnv(_task(id, keywords), **environment)


def make_vec(id: str, num_envs: int = 1, **keywords: Any) -> BatchEnv:
    """Many environments on one stiction.Batch. Keywords: as make(), and autoreset_mode, threads,
    copy."""
    environment = _split(keywords, _ENVIRONMENT + _VECTOR)
    return BatchEnv(_task(id, keywords), num_envs, **environment)


register("Stiction/QuadrupedFlat-v0", tasks.QuadrupedFlat)
register("Stiction/QuadrupedRough-v0", tasks.QuadrupedRough)
register("Stiction/QuadrupedRecover-v0", tasks.QuadrupedRecover)
register("Stiction/HumanoidStand-v0", tasks.HumanoidStand)
register("Stiction/HumanoidWalk-v0", tasks.HumanoidWalk)
register("Stiction/GripperLift-v0", tasks.GripperLift)
register("Stiction/ChainSwingUp-v0", tasks.ChainSwingUp)

__all__ = ["AutoresetMode", "ids", "make", "make_vec", "register"]
