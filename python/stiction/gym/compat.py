"""What stiction.gym takes from Gymnasium, or small stand-ins with the same names where it is not
installed. `HAS_GYMNASIUM` tells which."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

try:
    import gymnasium
    from gymnasium.spaces import Box
    from gymnasium.vector.utils import batch_space

    Env = gymnasium.Env
    VectorEnv = gymnasium.vector.VectorEnv
    HAS_GYMNASIUM = True
except ImportError:
    HAS_GYMNASIUM = False

    class Box:  # type: ignore[no-redef]
        """An array with bounds."""

        def __init__(self, low: Any, high: Any, shape: Any = None, dtype: Any = np.float32,
                     seed: int | None = None) -> None:
            if shape is None:
                shape = np.broadcast(np.asarray(low), np.asarray(high)).shape
            self.dtype = np.dtype(dtype)
            self.shape = tuple(int(size) for size in shape)
            self.low = np.broadcast_to(np.asarray(low, self.dtype), self.shape).copy()
            self.high = np.broadcast_to(np.asarray(high, self.dtype), self.shape).copy()
            if not (self.low <= self.high).all():
                raise ValueError("a bound of the box is NaN, or low is above high")
            self.np_random = generator(seed)

        def seed(self, seed: int | None = None) -> None:
            self.np_random = generator(seed)

        def sample(self) -> np.ndarray:
            return self.np_random.uniform(self.low, self.high).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            return (
                isinstance(x, np.ndarray)
                and x.shape == self.shape
                and np.can_cast(x.dtype, self.dtype)
                and bool(((x >= self.low) & (x <= self.high)).all())
            )

        __contains__ = contains

        def __eq__(self, other: object) -> bool:
            return (
                isinstance(other, Box)
                and self.shape == other.shape
                and self.dtype == other.dtype
                and np.array_equal(self.low, other.low)
                and np.array_equal(self.high, other.high)
            )

        def __repr__(self) -> str:
            return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"

    def batch_space(space: Any, n: int = 1) -> Any:
        """The space of n of them."""
        return Box(np.repeat(space.low[None], n, 0), np.repeat(space.high[None], n, 0),
                   dtype=space.dtype)

    class Env:  # type: ignore[no-redef]
        """Base of single environments."""

        metadata: dict[str, Any] = {"render_modes": []}
        spec: Any = None

        @property
        def unwrapped(self) -> Any:
            return self

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *what: Any) -> None:
            self.close()

        def close(self) -> None:
            pass

    class VectorEnv(Env):  # type: ignore[no-redef, valid-type, misc]
        """Base of vector environments."""


try:
    from gymnasium.vector import AutoresetMode
except ImportError:

    class AutoresetMode(enum.Enum):  # type: ignore[no-redef]
        """What a vector environment does with those that ended."""

        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"


def generator(seed: int | None) -> np.random.Generator:
    """As Gymnasium's seeding makes it: same seed, same numbers."""
    return np.random.Generator(np.random.PCG64(seed))


__all__ = ["AutoresetMode", "Box", "Env", "HAS_GYMNASIUM", "VectorEnv", "batch_space", "generator"]
