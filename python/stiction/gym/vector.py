"""Many environments with the interface of gymnasium.vector.VectorEnv."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .compat import AutoresetMode, VectorEnv, batch_space
from .core import Core, as_numbers, require_task, require_whole
from .single import RENDER_MODES, check_render_mode
from .task import Task


class BatchEnv(VectorEnv):
    """Environments of a task, all stepped by one stiction.Batch on all cores.

    `autoreset_mode` says what happens with those that ended: NEXT_STEP (their next step resets
    them, ignores the action and has reward 0), SAME_STEP (reset at once; the last observation is in
    infos["final_obs"]), DISABLED (call reset(options={"reset_mask": …})). `copy=False` gives
    observations as a view that the next step overwrites. `threads`: 0 for all cores.
    """

    def __init__(self, task: Task, num_envs: int = 1, max_episode_steps: int | None = None,
                 render_mode: str | None = None,
                 autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, threads: int = 0,
                 copy: bool = True, width: int = 320, height: int = 240) -> None:
        check_render_mode(render_mode)
        if render_mode == "html":
            raise ValueError("a page shows one environment; make a single one for 'html'")
        if isinstance(autoreset_mode, str):
            names = {mode.value: mode for mode in AutoresetMode}
            if autoreset_mode not in names:
                raise ValueError(
                    f"autoreset_mode is {autoreset_mode!r}; choose from {', '.join(names)}"
                )
            autoreset_mode = names[autoreset_mode]
        if not isinstance(autoreset_mode, AutoresetMode):
            raise ValueError(
                f"autoreset_mode is {autoreset_mode!r}; choose from "
                f"{', '.join(mode.value for mode in AutoresetMode)}"
            )
        require_whole("width", width)
        require_whole("height", height)
        require_task(task)
        self._given = (task.__class__, dict(task.__dict__), num_envs, max_episode_steps,
                       render_mode, autoreset_mode, threads, copy, width, height)
        self.core = Core(task, num_envs, threads, max_episode_steps)
        self.num_envs = num_envs
        self.autoreset_mode = autoreset_mode
        self.metadata = {
            "render_modes": RENDER_MODES[:1],
            "render_fps": round(1.0 / task.control_interval),
            "autoreset_mode": autoreset_mode,
        }
        self.render_mode = render_mode
        self.single_observation_space = self.core.observation_space
        self.single_action_space = self.core.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.closed = False
        self._copy = copy
        self._size = (width, height)
        self._ended = np.zeros(num_envs, dtype=bool)

    @property
    def task(self) -> Task:
        return self.core.task

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """An int seed is that of environment 0; environment i has seed + i. With
        options={"reset_mask": mask} only those of the mask are seeded and reset."""
        mask = self._reset_mask(options)
        seeds = self._seeds(seed)
        self.core.seed([s if chosen else None for s, chosen in zip(seeds, mask)])
        self.core.reset(mask)
        self._ended[mask] = False
        return self._observations(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray,
                                          dict[str, Any]]:
        core = self.core
        resetting = np.zeros(self.num_envs, dtype=bool)
        if self.autoreset_mode == AutoresetMode.NEXT_STEP:
            resetting = self._ended.copy()
        stepping = ~resetting
        if resetting.any():
            # Their actions are ignored: whatever is in them.
            actions = as_numbers(actions).copy()
            if actions.shape == self.action_space.shape:
                actions[resetting] = 0.0
        rewards, terminations, truncations = core.step(actions, stepping)
        infos = self._infos(core.info(), stepping)
        self._ended = terminations | truncations
        if resetting.any():
            core.reset(resetting)
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            infos = self._same_step_infos(infos)
            core.reset(self._ended)
            self._ended = np.zeros(self.num_envs, dtype=bool)
        return self._observations(), rewards, terminations, truncations, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture of each environment."""
        if self.render_mode is None:
            return None
        return tuple(self.core.picture(i, *self._size) for i in range(self.num_envs))

    def close(self, **kwargs: Any) -> None:
        """May be called twice."""
        self.closed = True

    # ---- checkpoints -----------------------------------------------------------------------------

    def memory(self) -> dict[str, Any]:
        """All that the next steps depend on, to be pickled; remember() goes back to it, and the same
        bits follow."""
        return {"core": self.core.memory(), "ended": self._ended.copy()}

    def remember(self, memory: dict[str, Any]) -> None:
        if not {"core", "ended"} <= memory.keys():
            raise ValueError("this is no memory of a BatchEnv; give what memory() gave")
        self.core.remember(memory["core"])
        self._ended = memory["ended"].copy()

    def __getstate__(self) -> dict[str, Any]:
        return {"given": self._given, "memory": self.memory(),
                "spec": getattr(self, "spec", None)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kind, attributes, *rest = state["given"]
        task = kind.__new__(kind)
        task.__dict__.update(attributes)
        BatchEnv.__init__(self, task, *rest)
        self.remember(state["memory"])
        if state["spec"] is not None:
            self.spec = state["spec"]

    # ---- details ---------------------------------------------------------------------------------

    def _observations(self) -> np.ndarray:
        observations = self.core.observe()
        return observations.copy() if self._copy else observations

    def _reset_mask(self, options: dict[str, Any] | None) -> np.ndarray:
        for name in options or {}:
            if name != "reset_mask":
                raise ValueError(f"reset() has no option {name!r}; its only one is 'reset_mask'")
        if not options:
            return np.ones(self.num_envs, dtype=bool)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError("options['reset_mask'] must be an array of bool")
        if mask.shape != (self.num_envs,):
            raise ValueError(
                f"options['reset_mask'] has the shape {mask.shape}; give ({self.num_envs},)"
            )
        if not mask.any():
            raise ValueError("options['reset_mask'] chooses no environment")
        return mask

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            if seed < 0:
                raise ValueError(f"seed is {seed}; give a whole number from 0 up")
            return [int(seed) + i for i in range(self.num_envs)]
        if isinstance(seed, str) or not isinstance(seed, (Sequence, np.ndarray)):
            raise ValueError(f"seed is {seed!r}; give a whole number, one per environment, or None")
        seeds = list(seed)
        for one in seeds:
            if one is not None and (not isinstance(one, (int, np.integer)) or one < 0):
                raise ValueError(f"a seed is {one!r}; give whole numbers from 0 up, or None")
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds were given for {self.num_envs} environments")
        return seeds

    def _infos(self, infos: dict[str, np.ndarray], mask: np.ndarray) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, value in infos.items():
            result[name] = value
            result["_" + name] = mask.copy()
        return result

    def _same_step_infos(self, infos: dict[str, Any]) -> dict[str, Any]:
        """What is known of the episodes that ended moves to `final_info`."""
        ended = self._ended.copy()
        last = self.core.observe()
        final_obs = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(ended):
            final_obs[i] = last[i].copy()
        final_info: dict[str, Any] = {}
        result: dict[str, Any] = {}
        for name, value in infos.items():
            if name.startswith("_"):
                continue
            final_info[name] = np.where(
                ended.reshape((-1,) + (1,) * (value.ndim - 1)), value, np.zeros_like(value)
            )
            final_info["_" + name] = ended.copy()
            result[name] = value
            result["_" + name] = infos["_" + name]
        result["final_obs"] = final_obs
        result["_final_obs"] = ended
        result["final_info"] = final_info
        result["_final_info"] = ended.copy()
        return result
