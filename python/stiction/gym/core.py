"""Runs a task: what single and vector environments share."""

from __future__ import annotations

from typing import Any

import numpy as np

import stiction

from .compat import Box, generator
from .task import Task


class Core:
    """Environments of a task, stepped and reset by masks."""

    def __init__(self, task: Task, count: int, threads: int, max_episode_steps: int | None) -> None:
        if count < 1:
            raise ValueError(f"cannot have {count} environments; give 1 or more")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps is {max_episode_steps}; give 1 or more, or None")
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
        found = self.task.observe()
        if found.shape != self.observations.shape:
            raise ValueError(
                f"{type(self.task).__name__}.observe() gave an array of {found.shape}; "
                f"give {self.observations.shape}"
            )
        self.observations[...] = np.clip(found, -bound, bound)
        return self.observations

    def check(self, actions: Any) -> np.ndarray:
        """Actions as numbers from -1 to 1."""
        array = np.asarray(actions, dtype=np.float64)
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
        rewards = np.where(mask, np.asarray(task.reward(checked), dtype=np.float64), 0.0)
        frozen = task.batch.frozen
        if frozen.any():
            rewards[frozen] = 0.0
        terminations = (np.asarray(task.terminated()) | frozen) & mask
        truncations = (self.elapsed >= self.most_steps) & mask & ~terminations
        return rewards, terminations, truncations

    def info(self) -> dict[str, np.ndarray]:
        """That of the task, and which environments could not go on."""
        return {**self.task.info(), "frozen": self.task.batch.frozen.copy()}

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
        self.task.remember(memory["task"])
        self.elapsed[:] = memory["elapsed"]
        self.started[:] = memory["started"]
        for random, state in zip(self.random, memory["random"]):
            random.bit_generator.state = state
