"""Romeo: stands against pushes, and walks forward."""

from __future__ import annotations

import warnings

import numpy as np

import stiction

from .legged import LeggedTask
from .rotations import row_sum

#: Bent knees and hanging arms [rad]; the other joints are straight.
POSE = {
    "HipPitch": -0.35,
    "KneePitch": 0.7,
    "AnklePitch": -0.35,
    "ShoulderPitch": 1.5,
}


class HumanoidStand(LeggedTask):
    """Romeo stands on its soles and keeps its balance while it is pushed."""

    action_size = 31
    observation_size = 1 + 3 + 3 + 3 + 2 * 31
    episode_seconds = 10.0
    keyframe = "on_ground"
    stiffness = 300.0
    damping = 10.0
    action_scale = 0.3
    camera_offset = (2.6, -2.0, 0.6)
    least_height = 0.55
    #: Of a push [N·s], on the base, once a second, in a direction of its own.
    push = 8.0

    def __init__(self, time_step: float = 0.005) -> None:
        self.options = {"time_step": time_step}

    def load(self) -> stiction.Model:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return stiction.load("romeo")

    def setup(self) -> None:
        super().setup()
        self.camera_joint = self.model.joint_names[0]
        self.steps = np.zeros(self.count, dtype=np.int64)
        self.push_angles = np.zeros((self.count, self.most_steps // 50 + 1))
        state = self.copy_of_start()
        before = self.lowest(state)
        for side in "LR":
            for name, angle in POSE.items():
                state.q[self.model.joint_position_index(side + name)] = angle
            elbow = self.model.joint_position_index(side + "ElbowYaw")
            state.q[elbow] = -0.4 if side == "L" else 0.4
        state.q[2] += before - self.lowest(state)
        self.start_state = state
        self.default = state.q[self.joint_q].copy()
        self.batch.servo_targets[:] = self.default

    def lowest(self, state: stiction.State) -> float:
        """Height of the ankles, which the soles are below [m]."""
        return min(
            float(stiction.frame_pose(self.model, state.q, frame)[2, 3])
            for frame in ("l_ankle", "r_ankle")
        )

    def start(self, environment: int, random: np.random.Generator) -> None:
        super().start(environment, random)
        state = self.copy_of_start()
        state.q[self.joint_q] += random.uniform(-0.02, 0.02, size=len(self.joint_q))
        state.q[2] += 0.01
        self.place(environment, state)
        self.steps[environment] = 0
        angles = random.uniform(-np.pi, np.pi, size=self.push_angles.shape[1])
        self.push_angles[environment] = angles

    def act(self, actions: np.ndarray) -> None:
        super().act(actions)
        if self.push > 0.0:
            for i in np.flatnonzero((self.steps % 50 == 25)):
                angle = self.push_angles[i, self.steps[i] // 50]
                force = self.push / self.control_interval
                direction = [force * np.cos(angle), force * np.sin(angle), 0.0]
                self.batch.push(int(i), self.model.body_names[0], direction)
        self.steps += 1
        np.minimum(self.steps, self.most_steps, out=self.steps)

    def observe(self) -> np.ndarray:
        return np.concatenate([self.batch.q[:, 2:3], *self.body_observation()], axis=1)

    def reward(self, actions: np.ndarray) -> np.ndarray:
        gravity, velocity = self.gravity, self.base_velocity
        q = self.batch.q[:, self.joint_q]
        total = (
            1.0
            + np.exp(-4.0 * (velocity[:, 0] ** 2 + velocity[:, 1] ** 2))
            - 2.0 * (gravity[:, 0] ** 2 + gravity[:, 1] ** 2)
            - 0.1 * row_sum((q - self.default) ** 2)
            - 0.01 * row_sum((self.actions - self.last_actions) ** 2)
        )
        return self.control_interval * total

    def terminated(self) -> np.ndarray:
        return (self.gravity[:, 2] > -0.5) | (self.batch.q[:, 2] < self.least_height)


class HumanoidWalk(HumanoidStand):
    """Romeo walks forward at a commanded speed, and is not pushed."""

    observation_size = HumanoidStand.observation_size + 1
    push = 0.0
    episode_seconds = 20.0

    def __init__(self, time_step: float = 0.005, speed: float | None = None) -> None:
        """`speed` [m/s]; None: drawn from 0 to 0.6 for each episode."""
        super().__init__(time_step)
        self.speed = speed

    def setup(self) -> None:
        super().setup()
        self.wanted = np.zeros(self.count)

    def start(self, environment: int, random: np.random.Generator) -> None:
        super().start(environment, random)
        drawn = random.uniform(0.0, 0.6)
        self.wanted[environment] = drawn if self.speed is None else self.speed

    def observe(self) -> np.ndarray:
        return np.concatenate([super().observe(), 2.0 * self.wanted[:, None]], axis=1)

    def reward(self, actions: np.ndarray) -> np.ndarray:
        gravity, velocity = self.gravity, self.base_velocity
        error = (velocity[:, 0] - self.wanted) ** 2 + velocity[:, 1] ** 2
        total = (
            1.0
            + 2.0 * np.exp(-8.0 * error)
            - 2.0 * (gravity[:, 0] ** 2 + gravity[:, 1] ** 2)
            - 0.25 * self.base_turning[:, 2] ** 2
            - 1e-5 * row_sum(self.torques**2)
            - 0.01 * row_sum((self.actions - self.last_actions) ** 2)
        )
        return self.control_interval * total

    def info(self) -> dict[str, np.ndarray]:
        return {"speed_error": np.abs(self.base_velocity[:, 0] - self.wanted)}
