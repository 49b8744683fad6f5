"""Rotations of whole arrays of floating bases. Element by element, so that a row has the same bits
whatever is beside it."""

from __future__ import annotations

import numpy as np


def into_base(q: np.ndarray, vectors: np.ndarray, first: int = 0) -> np.ndarray:
    """Vectors of the world (rows × 3) in the axes of the floating base whose first entry in q is
    `first`."""
    x, y, z, w = (q[:, first + 3 + k] for k in range(4))
    a, b, c = (vectors[:, k] for k in range(3))
    # v + 2 u × (u × v − w v) with u = (x, y, z): the inverse rotation.
    s0, s1, s2 = y * c - z * b - w * a, z * a - x * c - w * b, x * b - y * a - w * c
    return np.stack(
        [
            a + 2.0 * (y * s2 - z * s1),
            b + 2.0 * (z * s0 - x * s2),
            c + 2.0 * (x * s1 - y * s0),
        ],
        axis=1,
    )


def gravity_in_base(q: np.ndarray, first: int = 0) -> np.ndarray:
    """The direction of gravity in the axes of the base: (0, 0, -1) while it is level."""
    down = np.zeros((len(q), 3))
    down[:, 2] = -1.0
    return into_base(q, down, first)


def row_sum(array: np.ndarray) -> np.ndarray:
    """The sum of each row, from left to right. numpy's own sum takes another order for another
    number of rows, and so has other last digits."""
    total = array[:, 0].copy()
    for k in range(1, array.shape[1]):
        total += array[:, k]
    return total


def yaw_turn(angle: float) -> np.ndarray:
    """Quaternion x, y, z, w of a turn about the vertical [rad]."""
    return np.array([0.0, 0.0, np.sin(0.5 * angle), np.cos(0.5 * angle)])


def random_turn(random: np.random.Generator) -> np.ndarray:
    """Quaternion x, y, z, w, all orientations alike."""
    quaternion = random.normal(size=4)
    return quaternion / np.sqrt((quaternion * quaternion).sum())
