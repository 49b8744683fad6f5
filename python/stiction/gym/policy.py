"""Policies as files, which `stiction` runs too: `--control policy:FILE`."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable

import numpy as np

from .tasks.rotations import gravity_in_base, into_base

#: First entry of a file.
FORMAT = "stiction policy 1"
#: What the file tells of a task, and what its observations are checked by.
NEEDED = ("batch", "control_interval", "joints", "default", "stiffness", "damping", "action_scale",
          "command_scale", "stride", "wanted", "clock")


def save_policy(file: str | os.PathLike[str], task: Any,
                layers: Iterable[tuple[np.ndarray, np.ndarray]]) -> None:
    """Writes a network with ELU between its layers, for a task like QuadrupedFlat that an
    environment runs: what it sees, and what its actions mean, are in the file too. `layers`:
    weights (out × in) and biases. Tasks that see anything else than the program computes are
    refused."""
    require_known_observations(task)
    pairs = [(np.asarray(weights, float), np.asarray(biases, float)) for weights, biases in layers]
    size = task.observation_size
    for weights, biases in pairs:
        if weights.shape != (len(biases), size):
            raise ValueError(f"a layer is {weights.shape}; give ({len(biases)}, {size})")
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            raise ValueError("a layer has a number that is not finite")
        size = len(biases)
    if size != task.action_size:
        raise ValueError(f"the last layer gives {size} numbers; actions have {task.action_size}")
    document = {
        "format": FORMAT,
        "control_interval": task.control_interval,
        "joints": list(task.joints),
        "pose": [float(x) for x in task.default],
        "stiffness": task.stiffness,
        "damping": task.damping,
        "action_scale": task.action_scale,
        "command_scale": [float(x) for x in task.command_scale],
        "stride": task.stride,
        "layers": [{"weights": w.tolist(), "biases": b.tolist()} for w, b in pairs],
    }
    with open(file, "w", encoding="utf-8") as out:
        json.dump(document, out)
        out.write("\n")


def require_known_observations(task: Any) -> None:
    """ValueError unless the program can compute what the task sees, from the state and the
    command."""
    kind = type(task).__name__
    missing = [name for name in NEEDED if not hasattr(task, name)]
    if missing:
        raise ValueError(
            f"{kind} has no {', '.join(missing)}: the program runs policies of tasks like "
            "QuadrupedFlat alone (an environment must run the task)"
        )
    count = len(task.joints)
    what = ""
    if task.action_size != count or len(task.default) != count:
        what = f"has {task.action_size} actions for {count} joints"
    elif task.observation_size != 14 + 2 * count:
        what = f"sees {task.observation_size} numbers instead of 14 + 2 × {count}"
    elif task.model.joint_kind(task.model.joint_names[0]) != "floating":
        what = "has a robot whose first joint is no floating base"
    else:
        differs = np.abs(task.observe() - program_observations(task)).max(axis=0) > 1e-6
        if differs.any():
            what = f"sees something else as number {int(np.argmax(differs))}"
    if what:
        raise ValueError(
            f"{kind} {what}, which the program cannot compute: it sees what QuadrupedFlat sees "
            "(docs/python/custom_tasks.md)"
        )


def program_observations(task: Any) -> np.ndarray:
    """What `stiction` would give the network of a task, from its states and its `wanted` command
    and `clock`."""
    q, v = task.batch.q, task.batch.v
    positions = [task.model.joint_position_index(name) for name in task.joints]
    velocities = [task.model.joint_velocity_index(name) for name in task.joints]
    return np.concatenate(
        [
            2.0 * into_base(q, v[:, 0:3]),
            0.25 * into_base(q, v[:, 3:6]),
            gravity_in_base(q),
            np.asarray(task.command_scale) * task.wanted,
            task.clock,
            q[:, positions] - task.default,
            0.05 * v[:, velocities],
        ],
        axis=1,
    )


class Policy:
    """Reads such a file: policy(observation) is the action."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        with open(file, encoding="utf-8") as text:
            self.document = json.load(text)
        if self.document.get("format") != FORMAT:
            raise ValueError(f"{file} is no policy: its format is not '{FORMAT}'")
        self.layers = [
            (np.array(layer["weights"]), np.array(layer["biases"]))
            for layer in self.document["layers"]
        ]

    def __call__(self, observation: np.ndarray) -> np.ndarray:
        x = np.asarray(observation, dtype=float)
        for k, (weights, biases) in enumerate(self.layers):
            x = x @ weights.T + biases
            if k + 1 < len(self.layers):
                x = np.where(x > 0.0, x, np.expm1(np.minimum(x, 0.0)))
        return np.clip(x, -1.0, 1.0)
