"""One environment with the interface of gymnasium.Env."""

from __future__ import annotations

from typing import Any

import numpy as np

import stiction

from .compat import Env, generator
from .core import Core, as_numbers, require_task, require_whole
from .task import Task

#: Of metadata["render_modes"].
RENDER_MODES = ["rgb_array", "html"]


def check_render_mode(mode: str | None) -> None:
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode is {mode!r}; choose from {', '.join(RENDER_MODES)}, or None")


class SingleEnv(Env):
    """One environment of a task. `rgb_array` renders a picture; `html` the page that replays the
    episode so far, as text."""

    def __init__(self, task: Task, render_mode: str | None = None,
                 max_episode_steps: int | None = None, width: int = 320, height: int = 240) -> None:
        check_render_mode(render_mode)
        require_whole("width", width)
        require_whole("height", height)
        require_task(task)
        self._given = (task.__class__, dict(task.__dict__), render_mode, max_episode_steps, width,
                       height)
        self.core = Core(task, 1, 1, max_episode_steps)
        self.metadata = {
            "render_modes": RENDER_MODES,
            "render_fps": round(1.0 / task.control_interval),
        }
        self.render_mode = render_mode
        self.observation_space = self.core.observation_space
        self.action_space = self.core.action_space
        self._size = (width, height)
        self._trail: list[tuple[float, np.ndarray]] = []
        self._np_random: np.random.Generator | None = None
        self._np_random_seed: int | None = None

    @property
    def task(self) -> Task:
        return self.core.task

    @property
    def np_random(self) -> np.random.Generator:
        """From which starts are drawn."""
        if self._np_random is None:
            self._np_random = generator(None)
            self.core.random[0] = self._np_random
        return self._np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._np_random = value
        self.core.random[0] = value

    @property
    def np_random_seed(self) -> int | None:
        return -1 if self._np_random_seed is None else self._np_random_seed

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        for name in options or {}:
            raise ValueError(f"reset() of a single environment has no options, and so no {name!r}")
        if seed is not None:
            if not isinstance(seed, (int, np.integer)) or seed < 0:
                raise ValueError(f"seed is {seed!r}; give a whole number from 0 up, or None")
            self._np_random_seed = int(seed)
            self.np_random = generator(int(seed))
        else:
            self.core.random[0] = self.np_random
        self.core.reset(np.ones(1, dtype=bool))
        self._trail = []
        self._keep()
        return self.core.observe()[0].copy(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        array = as_numbers(action)
        if array.shape != self.action_space.shape:
            raise ValueError(
                f"the action has the shape {array.shape}; give {self.action_space.shape}"
            )
        rewards, terminations, truncations = self.core.step(array[None], np.ones(1, dtype=bool))
        self._keep()
        info = {name: value[0] for name, value in self.core.info().items()}
        info["frozen"] = bool(info["frozen"])
        return (self.core.observe()[0].copy(), float(rewards[0]), bool(terminations[0]),
                bool(truncations[0]), info)

    def _keep(self) -> None:
        if self.render_mode == "html":
            batch = self.task.batch
            self._trail.append((float(batch.time[0]), batch.q[0].copy()))

    def render(self) -> Any:
        """A picture, height × width × 3 bytes; or a page, as text; None without a render_mode."""
        if self.render_mode == "rgb_array":
            return self.core.picture(0, *self._size)
        if self.render_mode == "html":
            if not self._trail:
                raise RuntimeError("call reset() before render()")
            times = np.array([time for time, _ in self._trail])
            positions = np.array([q for _, q in self._trail])
            return stiction.replay_page(self.task.model, times, positions)
        return None

    def close(self) -> None:
        """May be called twice."""

    def __getstate__(self) -> dict[str, Any]:
        return {"given": self._given, "core": self.core.memory(), "trail": self._trail,
                "seed": self._np_random_seed, "spec": getattr(self, "spec", None),
                "drawn": self._np_random is not None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kind, attributes, *rest = state["given"]
        task = kind.__new__(kind)
        task.__dict__.update(attributes)
        SingleEnv.__init__(self, task, *rest)
        self.core.remember(state["core"])
        self._trail = state["trail"]
        self._np_random_seed = state["seed"]
        if state["drawn"]:
            self._np_random = self.core.random[0]
        if state["spec"] is not None:
            self.spec = state["spec"]
