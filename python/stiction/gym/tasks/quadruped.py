"""ANYmal: walks as it is told, on flat and on rough ground, and gets up."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

import stiction

from .legged import LeggedTask
from .rotations import random_turn, row_sum, yaw_turn

#: What the drives can give, as `models/anymal.urdf` has it [N·m].
TORQUE_LIMIT = 80.0
FEET = ("LF_SHANK", "RF_SHANK", "LH_SHANK", "RH_SHANK")


def anymal_text(ground: str | None = None, assets: str = "") -> str:
    """The lumped ANYmal with the torque limits of its drives, on a plane or on other ground."""
    file = pathlib.Path(stiction.models_folder()) / "anymal_lumped.xml"
    text = file.read_text(encoding="utf-8")
    limit = f'type="hinge" actuatorfrcrange="{-TORQUE_LIMIT} {TORQUE_LIMIT}"'
    text = text.replace('type="hinge"', limit)
    if ground is not None:
        plane = '<geom name="floor" type="plane" size="50 50 1" contype="1" conaffinity="0"/>'
        if plane not in text:
            raise RuntimeError(f"{file} has no floor to replace")
        text = text.replace(plane, ground)
    return text.replace("<worldbody>", assets + "<worldbody>", 1)


class QuadrupedFlat(LeggedTask):
    """Follows a commanded velocity of the base on flat ground. The command (forward, left, turning)
    is drawn anew several times in an episode. The terms of the reward are those of legged_gym's
    ANYmal; here costs reduce what tracking gains, as a factor, and the last action is not seen."""

    action_size = 12
    observation_size = 38
    control_interval = 0.02
    episode_seconds = 20.0
    keyframe = "stand"
    camera_joint = "root"

    #: Of the clock that a walking robot sees [s]: without it, a symmetric robot that stands has no
    #: reason to lift one foot rather than another.
    stride = 0.5
    #: Drawn uniformly between minus and plus this [m/s, m/s, rad/s].
    command_range = (1.0, 0.5, 1.0)
    #: Of the velocities, in the observation.
    command_scale = np.array([2.0, 2.0, 0.25])
    commands_per_episode = 4
    #: Below this the base has fallen [m], above the ground.
    least_height = 0.25

    def __init__(self, time_step: float = 0.005, command: Any = None,
                 random_start: bool = True) -> None:
        """`command`: three numbers to follow instead of random ones. `random_start`: pose and
        velocities around those of the keyframe."""
        self.options = {"time_step": time_step}
        self.command = None if command is None else np.asarray(command, dtype=np.float64)
        if self.command is not None and self.command.shape != (3,):
            raise ValueError("command must be three numbers: forward, left, turning")
        self.random_start = random_start

    def load(self) -> stiction.Model:
        return stiction.load_text(anymal_text())

    def setup(self) -> None:
        super().setup()
        self.batch.watch_bodies(list(FEET))
        n = self.count
        self.commands = np.zeros((n, self.commands_per_episode, 3))
        self.steps = np.zeros(n, dtype=np.int64)
        self.air_time = np.zeros((n, len(FEET)))
        self.per_command = max(1, self.most_steps // self.commands_per_episode)

    def ground_height(self) -> np.ndarray | float:
        """Below the base [m]."""
        return 0.0

    @property
    def wanted(self) -> np.ndarray:
        """The commands of now: forward, left [m/s], turning [rad/s]."""
        k = np.minimum(self.steps // self.per_command, self.commands_per_episode - 1)
        return self.commands[np.arange(self.count), k]

    @property
    def walks(self) -> np.ndarray:
        """Whose command is more than to stand."""
        return row_sum(np.abs(self.wanted)) > 0.1

    @property
    def clock(self) -> np.ndarray:
        """Sine and cosine of the stride's phase while the robot walks, zero while it stands."""
        phase = (2.0 * np.pi / self.stride) * self.control_interval * self.steps
        return np.stack([np.sin(phase), np.cos(phase)], axis=1) * self.walks[:, None]

    @property
    def bend(self) -> np.ndarray:
        """Of the joints, from the pose [rad]."""
        return self.batch.q[:, self.joint_q] - self.default

    def draw_commands(self, environment: int, random: np.random.Generator) -> None:
        reach = np.asarray(self.command_range)
        drawn = random.uniform(-1.0, 1.0, size=(self.commands_per_episode, 3)) * reach
        # A part of the time it should stand.
        drawn[random.uniform(size=len(drawn)) < 0.1] = 0.0
        self.commands[environment] = drawn if self.command is None else self.command

    def start_height(self, state: stiction.State) -> float:
        """Of the ground where the robot starts [m]."""
        return 0.0

    def start(self, environment: int, random: np.random.Generator) -> None:
        super().start(environment, random)
        state = self.copy_of_start()
        if self.random_start:
            reach = random.uniform()  # some starts are nearly at rest
            state.q[3:7] = yaw_turn(random.uniform(-np.pi, np.pi))
            state.q[self.joint_q] += reach * random.uniform(-0.1, 0.1, size=len(self.joint_q))
            state.v[:] = reach * random.uniform(-0.3, 0.3, size=len(state.v))
            state.q[2] += 0.03 * reach
        state.q[2] += self.start_height(state)
        self.place(environment, state)
        self.draw_commands(environment, random)
        self.steps[environment] = 0
        self.air_time[environment] = 0.0

    def act(self, actions: np.ndarray) -> None:
        super().act(actions)
        self.steps += 1

    def observe(self) -> np.ndarray:
        parts = self.body_observation()
        parts[3:3] = [self.command_scale * self.wanted, self.clock]
        return np.concatenate(parts, axis=1)

    def tracking(self) -> tuple[np.ndarray, np.ndarray]:
        """How well the command is followed, 0 to 1: velocity and turning."""
        velocity, turning, wanted = self.base_velocity, self.base_turning, self.wanted
        error = (velocity[:, 0] - wanted[:, 0]) ** 2 + (velocity[:, 1] - wanted[:, 1]) ** 2
        return np.exp(-4.0 * error), np.exp(-4.0 * (turning[:, 2] - wanted[:, 2]) ** 2)

    def step_reward(self) -> np.ndarray:
        """For feet that were long in the air when they touch the ground, while the robot walks."""
        touching = self.batch.touching > 0
        first = touching & (self.air_time > 0.0)
        self.air_time += self.control_interval
        swing = row_sum(np.where(first, np.minimum(self.air_time, 0.5) - 0.2, 0.0))
        self.air_time[touching] = 0.0
        return np.where(self.walks, swing, 0.0)

    def reward(self, actions: np.ndarray) -> np.ndarray:
        velocity, turning, gravity = self.base_velocity, self.base_turning, self.gravity
        track, track_turning = self.tracking()
        change = self.actions - self.last_actions
        costs = (
            2.0 * velocity[:, 2] ** 2
            + 0.05 * (turning[:, 0] ** 2 + turning[:, 1] ** 2)
            + 5.0 * (gravity[:, 0] ** 2 + gravity[:, 1] ** 2)
            + 2.5e-5 * row_sum(self.torques**2)
            + 0.01 * row_sum(change**2)
            + 0.05 * np.where(self.walks, 0.0, row_sum(np.abs(self.bend)))
        )
        # Costs take a part away, so that nothing is gained by falling early.
        follows = (track + 0.5 * track_turning) * np.exp(-costs)
        return self.control_interval * (follows + 2.0 * self.step_reward())

    def terminated(self) -> np.ndarray:
        height = self.batch.q[:, 2] - self.ground_height()
        return (self.gravity[:, 2] > -0.5) | (height < self.least_height)

    def info(self) -> dict[str, np.ndarray]:
        velocity, turning, wanted = self.base_velocity, self.base_turning, self.wanted
        return {
            "command": wanted,
            "velocity_error": np.sqrt(
                (velocity[:, 0] - wanted[:, 0]) ** 2 + (velocity[:, 1] - wanted[:, 1]) ** 2
            ),
            "turning_error": np.abs(turning[:, 2] - wanted[:, 2]),
        }

    @staticmethod
    def mirror() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Left and right exchanged: indices and signs of an observation, and of an action. The
        robot is symmetric, so a policy may learn from both."""
        legs = np.array([3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8])
        signs = np.tile([-1.0, 1.0, 1.0], 4)
        indices = np.concatenate([np.arange(14), 14 + legs, 26 + legs])
        # The other legs swing half a stride later.
        base = [1, -1, 1, -1, 1, -1, 1, -1, 1, 1, -1, -1, -1, -1]
        return indices, np.concatenate([base, signs, signs]).astype(float), legs, signs


def rough_ground(seed: int = 1, cells: int = 120, size: float = 12.0, height: float = 0.16) -> str:
    """A field of gentle hills and small bumps as an MJCF asset, `size` × `size` m."""
    random = np.random.default_rng(seed)
    x = np.arange(cells + 1) * (2.0 * np.pi / cells)
    field = np.zeros((cells + 1, cells + 1))
    for wave in range(2, 22):
        for phase_x, phase_y in random.uniform(0.0, 2.0 * np.pi, size=(2, 2)):
            turn = random.uniform(0.0, np.pi)
            along = np.cos(turn) * wave * x[:, None] + np.sin(turn) * wave * x[None, :]
            field += np.sin(along + phase_x) * np.cos(phase_y) / np.sqrt(wave)
    field -= field.min()
    field /= field.max()
    numbers = " ".join(f"{value:.4f}" for value in field.ravel())
    return (
        f'<asset><hfield name="ground" nrow="{cells + 1}" ncol="{cells + 1}" '
        f'size="{size / 2} {size / 2} {height} 0.1" elevation="{numbers}"/></asset>'
    )


class QuadrupedRough(QuadrupedFlat):
    """The same on rough ground, whose height around the robot it sees: 7 × 5 points, 0.2 m
    apart."""

    observation_size = 38 + 35
    command_range = (0.6, 0.3, 0.6)

    def load(self) -> stiction.Model:
        ground = '<geom name="floor" type="hfield" hfield="ground" contype="1" conaffinity="0"/>'
        return stiction.load_text(anymal_text(ground, rough_ground()))

    def setup(self) -> None:
        super().setup()
        x, y = np.meshgrid(0.2 * np.arange(-3, 4), 0.2 * np.arange(-2, 3), indexing="ij")
        # Of them, the middle one is below the base.
        points = np.stack([x.ravel(), y.ravel(), np.full(x.size, 1.0)], axis=1)
        self.batch.set_height_scan("base", points)

    def ground_height(self) -> np.ndarray | float:
        # Beyond the edge there is none: a robot that leaves has ended its episode.
        return np.where(np.isfinite(self.batch.heights[:, 17]), self.batch.heights[:, 17], np.inf)

    def start_height(self, state: stiction.State) -> float:
        # The highest ground: it drops from there, at most by the height of the hills.
        return 0.16

    def observe(self) -> np.ndarray:
        below = self.batch.q[:, 2:3] - 0.5 - self.batch.heights
        return np.concatenate([super().observe(), np.clip(5.0 * below, -5.0, 5.0)], axis=1)


class QuadrupedRecover(LeggedTask):
    """Hangs in the air, in any orientation and with any bend of the joints, is let go, and has to
    get up and to stand."""

    action_size = 12
    observation_size = 1 + 3 + 3 + 3 + 12 + 12
    episode_seconds = 6.0
    keyframe = "stand"
    camera_joint = "root"
    action_scale = 2.0

    def __init__(self, time_step: float = 0.005, drop_height: float = 0.9) -> None:
        self.options = {"time_step": time_step}
        self.drop_height = drop_height

    def load(self) -> stiction.Model:
        return stiction.load_text(anymal_text())

    def start(self, environment: int, random: np.random.Generator) -> None:
        super().start(environment, random)
        state = self.copy_of_start()
        state.q[2] = self.drop_height
        state.q[3:7] = random_turn(random)
        state.q[self.joint_q] += random.uniform(-0.8, 0.8, size=len(self.joint_q))
        self.place(environment, state)

    def observe(self) -> np.ndarray:
        return np.concatenate([self.batch.q[:, 2:3], *self.body_observation()], axis=1)

    def reward(self, actions: np.ndarray) -> np.ndarray:
        upright = 0.5 * (1.0 - self.gravity[:, 2])
        height = np.clip(self.batch.q[:, 2] / self.start_state.q[2], 0.0, 1.0)
        q = self.batch.q[:, self.joint_q]
        pose = np.exp(-0.5 * row_sum((q - self.default) ** 2))
        effort = 1e-5 * row_sum(self.torques**2)
        return self.control_interval * (upright + height * upright + pose * upright - effort)

    def info(self) -> dict[str, np.ndarray]:
        return {"upright": self.gravity[:, 2] < -0.9, "height": self.batch.q[:, 2].copy()}
