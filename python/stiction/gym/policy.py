"""Policies as files, which `stiction` runs too: `--control policy:FILE`."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable

import numpy as np

#: First entry of a file.
FORMAT = "stiction policy 1"


def save_policy(file: str | os.PathLike[str], task: Any,
                layers: Iterable[tuple[np.ndarray, np.ndarray]]) -> None:
    """Writes a network with ELU between its layers, for a task like QuadrupedFlat: what it sees,
    and what its actions mean, are in the file too. `layers`: weights (out × in) and biases."""
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
