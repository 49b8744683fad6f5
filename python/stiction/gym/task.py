"""The base class of tasks: what a user fills in."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

import stiction


class Task:
    """Observation, reward and end of many environments at once, over whole arrays with one row per
    environment. Fill in `load()`, `setup()`, `act()`, `observe()`, `reward()` and, where it can
    fail, `terminated()`; `start()` if environments begin elsewhere than at the keyframe.

    While it runs, `self.batch` is the stiction.Batch of the environments. Everything that a task
    remembers between steps is an array with one row per environment, made in `setup()` and set
    anew in `start()`: then an environment has the same bits alone, in a batch of any size, and
    after a checkpoint. Checkpoints also keep numbers, texts, lists and dicts that change; a
    generator of random numbers they do not. Sum rows by stiction.gym.row_sum(): numpy's sum adds
    in another order for another number of rows.
    """

    #: Of the actions, which are numbers from -1 to 1.
    action_size: int
    #: Of the observations.
    observation_size: int
    #: Observations are clipped to within this distance from zero.
    observation_bound: float = 100.0
    #: Between two actions [s]; a multiple of the time step.
    control_interval: float = 0.02
    #: After which an episode is truncated [s].
    episode_seconds: float = 20.0
    #: At which environments start; empty: the initial positions.
    keyframe: str = ""
    #: Options of the step, as keywords of stiction.Batch.
    options: dict[str, Any] = {}
    #: Floating joint that the camera of `rgb_array` follows; empty: the camera stays.
    camera_joint: str = ""
    #: What the camera looks at, if it stays [m].
    camera_target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    #: From there to the camera [m].
    camera_offset: tuple[float, float, float] = (1.6, -1.6, 0.8)

    batch: stiction.Batch
    model: stiction.Model
    start_state: stiction.State
    _inputs: dict[str, np.ndarray]
    _fixed: set[str]
    _values: dict[str, Any]

    # ---- to fill in ------------------------------------------------------------------------------

    def load(self) -> stiction.Model:
        """The scene."""
        raise self._missing("load")

    def setup(self) -> None:
        """Once, when `self.batch` has been made: servos, watched bodies, arrays."""

    def start(self, environment: int, random: np.random.Generator) -> None:
        """Puts one environment at the beginning of an episode. `random` is its own."""
        self.place(environment, self.start_state)

    def act(self, actions: np.ndarray) -> None:
        """Writes actions into the inputs of the batch, before its steps. Rows of environments that
        are left out of a step do not matter."""
        raise self._missing("act")

    def observe(self) -> np.ndarray:
        """environments × observation_size, of states and of the task's own arrays alone."""
        raise self._missing("observe")

    def reward(self, actions: np.ndarray) -> np.ndarray:
        """One per environment, after the steps: finite numbers."""
        raise self._missing("reward")

    def terminated(self) -> np.ndarray:
        """Which have failed or are done: an array of bool."""
        return np.zeros(self.count, dtype=bool)

    def info(self) -> dict[str, np.ndarray]:
        """What else is worth knowing after a step: arrays with one row per environment."""
        return {}

    # ---- to use ----------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Number of environments."""
        return len(self.batch)

    def place(self, environment: int, state: stiction.State) -> None:
        """Sets the state of one environment, and its inputs to those of the start."""
        self.batch.set_state(environment, state)
        for name, row in self._inputs.items():
            getattr(self.batch, name)[environment] = row

    def copy_of_start(self) -> stiction.State:
        """To change and to give to place()."""
        return copy.copy(self.start_state)

    # ---- for the environments --------------------------------------------------------------------

    def open(self, count: int, threads: int) -> None:
        """Makes the batch."""
        self.model = self.load()
        self.start_state = (
            self.model.keyframe(self.keyframe) if self.keyframe else self.model.initial_state()
        )
        self.batch = stiction.Batch(self.model, count, threads=threads, **self.options)
        self.batch.reset(self.keyframe)
        self.substeps = round(self.control_interval / self.batch.time_step)
        if self.substeps < 1 or not np.isclose(
            self.substeps * self.batch.time_step, self.control_interval
        ):
            raise ValueError(
                f"control_interval {self.control_interval} s is no multiple of the time step "
                f"{self.batch.time_step} s"
            )
        self.setup()
        self._inputs = {name: getattr(self.batch, name)[0].copy() for name in INPUTS}
        self._fixed = {"batch", "model", "start_state", "substeps", "_inputs", "_fixed", "_values"}
        self._values = self._plain_values()

    @property
    def most_steps(self) -> int:
        """Of an episode."""
        return round(self.episode_seconds / self.control_interval)

    def _missing(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {method}(); fill it in")

    def _plain_values(self) -> dict[str, Any]:
        """A copy of what the task remembers beside arrays."""
        values = {}
        for name, value in self.__dict__.items():
            if isinstance(value, (np.random.Generator, np.random.RandomState)):
                warnings.warn(
                    f"{type(self).__name__}.{name} is a generator, which checkpoints leave out; "
                    "draw from the one that start() gets", stacklevel=4)
            if name not in self._fixed and isinstance(value, PLAIN):
                values[name] = copy.deepcopy(value)
        return values

    def _changed_values(self) -> dict[str, Any]:
        """Those that are not as setup() left them."""
        now = self._plain_values()
        return {
            name: value
            for name, value in now.items()
            if name not in self._values or not _same(self._values[name], value)
        }

    def memory(self) -> dict[str, Any]:
        """A copy of all that the next step depends on."""
        return {
            "values": self._changed_values(),
            "arrays": {
                name: value.copy()
                for name, value in self.__dict__.items()
                if name not in self._fixed and isinstance(value, np.ndarray)
            },
            "states": [self.batch.state(i) for i in range(self.count)],
            "inputs": {name: getattr(self.batch, name).copy() for name in INPUTS},
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """Goes back to a memory()."""
        changed = memory.get("values", {})
        for name in {*self._values, *changed}:
            setattr(self, name, copy.deepcopy(changed.get(name, self._values.get(name))))
        for name, value in memory["arrays"].items():
            getattr(self, name)[...] = value
        for i, state in enumerate(memory["states"]):
            self.batch.set_state(i, state)
        for name, value in memory["inputs"].items():
            getattr(self.batch, name)[...] = value
        self.batch.scan_heights()


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except ValueError:  # arrays in lists
        return False


#: What checkpoints keep beside arrays.
PLAIN = (bool, int, float, str, list, tuple, dict, set, np.generic, type(None))

#: Arrays of a batch that a task may write.
INPUTS = (
    "control",
    "joint_forces",
    "servo_targets",
    "servo_velocity_targets",
    "servo_stiffness",
    "servo_damping",
    "servo_feed_forward",
)
