"""What tasks of legged robots share: servos around a pose, and what is seen of the base."""

from __future__ import annotations

import numpy as np

from ..task import Task
from .rotations import gravity_in_base, into_base


class LeggedTask(Task):
    """Actions move the targets of servos around the pose of the start. The robot's base is the
    first joint of the model."""

    #: Of the servos [N·m/rad], [N·m·s/rad].
    stiffness = 80.0
    damping = 2.0
    #: Of the targets, by an action of 1 [rad].
    action_scale = 0.5

    def setup(self) -> None:
        self.batch.set_servos(self.stiffness, self.damping, keyframe=self.keyframe)
        self.default = self.batch.servo_targets[0].copy()
        joints = [
            name
            for name in self.model.joint_names
            if self.model.joint_kind(name) in ("revolute", "continuous", "prismatic")
        ]
        self.joints = joints
        self.joint_q = np.array([self.model.joint_position_index(name) for name in joints])
        self.joint_v = np.array([self.model.joint_velocity_index(name) for name in joints])
        self.actions = np.zeros((self.count, len(joints)))
        self.last_actions = np.zeros((self.count, len(joints)))

    def start(self, environment: int, random: np.random.Generator) -> None:
        super().start(environment, random)
        self.actions[environment] = 0.0
        self.last_actions[environment] = 0.0

    def act(self, actions: np.ndarray) -> None:
        self.last_actions[:] = self.actions
        self.actions[:] = actions
        self.batch.servo_targets[:] = self.default + self.action_scale * actions

    @property
    def base_velocity(self) -> np.ndarray:
        """In the axes of the base [m/s]."""
        return into_base(self.batch.q, self.batch.v[:, 0:3])

    @property
    def base_turning(self) -> np.ndarray:
        """In the axes of the base [rad/s]."""
        return into_base(self.batch.q, self.batch.v[:, 3:6])

    @property
    def gravity(self) -> np.ndarray:
        """Its direction in the axes of the base."""
        return gravity_in_base(self.batch.q)

    @property
    def torques(self) -> np.ndarray:
        """That the servos ask for now [N·m], before the limits of the joints."""
        q, v = self.batch.q[:, self.joint_q], self.batch.v[:, self.joint_v]
        return self.batch.servo_stiffness * (self.batch.servo_targets - q) - (
            self.batch.servo_damping * v
        )

    def body_observation(self) -> list[np.ndarray]:
        """Base and joints, each scaled to about one."""
        batch = self.batch
        return [
            2.0 * self.base_velocity,
            0.25 * self.base_turning,
            self.gravity,
            batch.q[:, self.joint_q] - self.default,
            0.05 * batch.v[:, self.joint_v],
        ]
