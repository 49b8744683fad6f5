"""Runs a task: what single and vector environments share."""

from __future__ import annotations

from typing import Any

import numpy as np

import stiction

from .compat import Box, generator
from .task import Task


def as_numbers(actions: Any) -> np.ndarray:
    """As float64; texts and complex numbers are refused by name."""
    array = np.asarray(actions)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"actions are an array of {array.dtype}; give real numbers")
    return array.astype(np.float64, copy=False)


def require_whole(name: str, value: Any) -> None:
    """A whole number from 1 up."""
    if not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is {value!r}; give a whole number from 1 up")


def require_task(task: Any) -> None:
    """One that no environment runs yet: it has the batch and the arrays of one alone."""
    if isinstance(task, type):
        raise TypeError(f"the class {task.__name__} was given; give a task: {task.__name__}()")
    if not isinstance(task, Task):
        raise TypeError(f"{type(task).__name__} is no task; give one that derives from gym.Task")
    if "batch" in task.__dict__:
        raise ValueError(
            f"another environment runs this {type(task).__name__} already; make a task for each"
        )
    for name in ("action_size", "observation_size"):
        if not hasattr(task, name):
            raise TypeError(f"{type(task).__name__} has no {name}; set it in the class")


class Core:
    """Environments of a task, stepped and reset by masks."""

    def __init__(self, task: Task, count: int, threads: int, max_episode_steps: int | None) -> None:
        require_task(task)
        require_whole("the number of environments", count)
        if max_episode_steps is not None:
            require_whole("max_episode_steps", max_episode_steps)
        task.open(count, threads)
        self.task = task
        self.count = count
        self.most_steps = task.most_steps if max_episode_steps is None else max_episode_steps
        bound = np.float32(task.observation_bound)
        self.observation_space = Box(-bound, bound, (task.observation_size,), np.float32)
        self.action_space = Box(-1.0, 1.0, (task.action_size,), np.float32)
        self.elapsed = np.zeros(count, dtype=np.int64)
        self.started = np.zeros(count, dtype=bool)
        self.random = [generator(None) for _ in range(count)]
        self.observations = np.zeros((count, task.observation_size), dtype=np.float32)
        self._renderer: stiction.Renderer | None = None

    def seed(self, seeds: list[int | None]) -> None:
        for i, seed in enumerate(seeds):
            if seed is not None:
                self.random[i] = generator(seed)

    def reset(self, mask: np.ndarray) -> None:
        for i in np.flatnonzero(mask):
            self.task.start(int(i), self.random[i])
        self.elapsed[mask] = 0
        self.started |= mask
        self.task.batch.scan_heights()

    def observe(self) -> np.ndarray:
        """Into the memory that is shown to those who asked for views."""
        bound = self.task.observation_bound
        found = self.numbers("observe", self.task.observe(), self.observations.shape)
        finite = np.isfinite(found)
        if not finite.all():
            frozen = self.task.batch.frozen
            self.require_finite("observe", finite.all(axis=1) | frozen)
            found = np.where(finite, found, 0.0)  # of those that could not go on
        self.observations[...] = np.clip(found, -bound, bound)
        return self.observations

    def numbers(self, method: str, given: Any, wanted: tuple[int, ...]) -> np.ndarray:
        """What a method of the task gave, of this shape."""
        array = np.asarray(given)
        name = f"{type(self.task).__name__}.{method}()"
        if array.shape != wanted:
            what = array.shape if isinstance(given, np.ndarray) else repr(given)
            raise ValueError(f"{name} gave {what}; give an array of the shape {wanted}")
        if array.dtype.kind not in "fiub":
            raise TypeError(f"{name} gave an array of {array.dtype}; give numbers")
        return array

    def require_finite(self, method: str, good: np.ndarray) -> None:
        if not good.all():
            raise ValueError(
                f"{type(self.task).__name__}.{method}() gave numbers that are not finite in "
                f"environment {int(np.argmin(good))}"
            )

    def rewards(self, actions: np.ndarray, counted: np.ndarray) -> np.ndarray:
        """Of the environments that count; zero of the others."""
        found = self.numbers("reward", self.task.reward(actions), (self.count,))
        rewards = np.where(counted, found, 0.0).astype(np.float64, copy=False)
        self.require_finite("reward", np.isfinite(rewards))
        return rewards

    def ends(self) -> np.ndarray:
        found = self.numbers("terminated", self.task.terminated(), (self.count,))
        if found.dtype != np.bool_:
            raise TypeError(
                f"{type(self.task).__name__}.terminated() gave an array of {found.dtype}; "
                "give one of bool"
            )
        return found

    def check(self, actions: Any) -> np.ndarray:
        """Actions as numbers from -1 to 1."""
        array = as_numbers(actions)
        wanted = (self.count, self.task.action_size)
        if array.shape != wanted:
            raise ValueError(f"actions have the shape {array.shape}; give {wanted}")
        good = np.isfinite(array).all(axis=1)
        if not good.all():
            raise ValueError(f"the action of environment {int(np.argmin(good))} is not finite")
        return np.clip(array, -1.0, 1.0)

    def step(self, actions: Any, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rewards, terminations and truncations; of those left out: zero and false."""
        if not self.started.all():
            raise RuntimeError("call reset() before the first step()")
        checked = self.check(actions)
        task = self.task
        task.act(checked)
        task.batch.step(task.substeps, mask=mask)
        self.elapsed[mask] += 1
        frozen = task.batch.frozen
        rewards = self.rewards(checked, mask & ~frozen)
        terminations = (self.ends() | frozen) & mask
        truncations = (self.elapsed >= self.most_steps) & mask & ~terminations
        return rewards, terminations, truncations

    def info(self) -> dict[str, np.ndarray]:
        """That of the task, and which environments could not go on."""
        infos = self.task.info()
        for name, value in infos.items():
            if not isinstance(value, np.ndarray) or value.shape[:1] != (self.count,):
                raise ValueError(
                    f"{type(self.task).__name__}.info()[{name!r}] is no array with {self.count} "
                    "rows; give one row per environment"
                )
        return {**infos, "frozen": self.task.batch.frozen.copy()}

    def picture(self, i: int, width: int, height: int) -> np.ndarray:
        task = self.task
        if self._renderer is None:
            self._renderer = stiction.Renderer(task.model)
        q = task.batch.q[i]
        target = np.asarray(task.camera_target)
        if task.camera_joint:
            first = task.model.joint_position_index(task.camera_joint)
            target = q[first : first + 3].copy()
        camera = target + np.asarray(task.camera_offset)
        return self._renderer.draw(q, camera, target, width, height)

    def memory(self) -> dict[str, Any]:
        return {
            "task": self.task.memory(),
            "elapsed": self.elapsed.copy(),
            "started": self.started.copy(),
            "random": [random.bit_generator.state for random in self.random],
        }

    def remember(self, memory: dict[str, Any]) -> None:
        if not {"task", "elapsed", "started", "random"} <= memory.keys():
            raise ValueError("this is no memory of an environment; give what memory() gave")
        if len(memory["elapsed"]) != self.count:
            raise ValueError(
                f"the memory is of {len(memory['elapsed'])} environments, not of {self.count}"
            )
        self.task.remember(memory["task"])
        self.elapsed[:] = memory["elapsed"]
        self.started[:] = memory["started"]
        for random, state in zip(self.random, memory["random"]):
            random.bit_generator.state = state
