"""Episodes as data sets in the layout of Minari. Needs h5py (Debian: python3-h5py)."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Callable

import numpy as np

from .compat import AutoresetMode
from .vector import BatchEnv


class _Recorder:
    """The rows of one environment since its episode began."""

    def __init__(self, observation: np.ndarray, seed: int | None = None) -> None:
        self.seed = seed
        self.observations = [observation.copy()]
        self.actions: list[np.ndarray] = []
        self.rewards: list[float] = []

    def add(self, observation: np.ndarray, action: np.ndarray, reward: float) -> None:
        self.observations.append(observation.copy())
        self.actions.append(action.copy())
        self.rewards.append(reward)

    def write(self, group: Any, number: int, terminated: bool, truncated: bool) -> int:
        steps = len(self.actions)
        group.attrs["id"] = number
        group.attrs["total_steps"] = steps
        if self.seed is not None:
            group.attrs["seed"] = self.seed
        group["observations"] = np.array(self.observations)
        group["actions"] = np.array(self.actions, dtype=np.float32)
        group["rewards"] = np.array(self.rewards)
        for name, last in (("terminations", terminated), ("truncations", truncated)):
            flags = np.zeros(steps, dtype=bool)
            flags[-1] = last
            group[name] = flags
        return steps


def _space(space: Any) -> str:
    """As Minari writes a Box."""
    return json.dumps({
        "type": "Box",
        "dtype": str(space.dtype),
        "shape": list(space.shape),
        "low": space.low.tolist(),
        "high": space.high.tolist(),
    })


def write_dataset(folder: str | os.PathLike[str], env: BatchEnv,
                  policy: Callable[[np.ndarray], np.ndarray], episodes: int, seed: int = 0,
                  dataset_id: str = "stiction/dataset-v0") -> pathlib.Path:
    """Plays `episodes` episodes by `policy`, which gets the observations of all environments and
    gives their actions, and writes them into FOLDER/data. `env` must reset in the same step. The
    first episodes that end are written, in the order of time and environment: same seed, same
    file. The first episode of each environment has its seed; later ones go on with the generator of
    their environment and have none. Actions are written as they were taken, clipped to -1 to 1.
    Returns the file."""
    import h5py

    if env.autoreset_mode != AutoresetMode.SAME_STEP:
        raise ValueError("the environment must be made with autoreset_mode='SameStep'")
    if episodes < 1:
        raise ValueError(f"cannot write {episodes} episodes; give 1 or more")
    data = pathlib.Path(folder) / "data"
    data.mkdir(parents=True, exist_ok=True)
    file = data / "main_data.hdf5"
    if file.exists():
        raise FileExistsError(f"{file} is there already; choose another folder")
    observations, _ = env.reset(seed=seed)
    recorders = [_Recorder(row, seed + i) for i, row in enumerate(observations)]
    written, steps = 0, 0
    part = file.with_suffix(".part")
    with h5py.File(part, "w") as out:
        while written < episodes:
            actions = np.clip(np.asarray(policy(observations), dtype=np.float32), -1.0, 1.0)
            observations, rewards, terminations, truncations, infos = env.step(actions)
            for i in range(env.num_envs):
                ended = bool(terminations[i] or truncations[i])
                last = infos["final_obs"][i] if ended else observations[i]
                recorders[i].add(last, actions[i], float(rewards[i]))
                if not ended:
                    continue
                if written < episodes:
                    group = out.create_group(f"episode_{written}")
                    steps += recorders[i].write(group, written, bool(terminations[i]),
                                                bool(truncations[i]))
                    written += 1
                recorders[i] = _Recorder(observations[i])
    metadata = {
        "dataset_id": dataset_id,
        "total_episodes": written,
        "total_steps": steps,
        "data_format": "hdf5",
        "observation_space": _space(env.single_observation_space),
        "action_space": _space(env.single_action_space),
        "env_spec": None,
    }
    (data / "metadata.json").write_text(json.dumps(metadata, indent=2) + "\n", encoding="utf-8")
    os.replace(part, file)
    return file
