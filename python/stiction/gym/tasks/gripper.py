"""A parallel gripper over a table: it closes on a cube and lifts it by friction alone."""

from __future__ import annotations

import numpy as np

import stiction

from ..task import Task


class GripperLift(Task):
    """Two actions: height of the gripper and opening of its fingers. The cube lies somewhere
    between the fingers, turned, and has to be held at a height that is drawn."""

    action_size = 2
    observation_size = 16
    control_interval = 0.02
    episode_seconds = 5.0
    camera_target = (0.0, 0.0, 0.12)
    camera_offset = (0.7, -0.5, 0.25)

    def load(self) -> stiction.Model:
        return stiction.load("lift")

    def setup(self) -> None:
        self.wanted = np.zeros(self.count)
        joints = ("lift", "left_finger", "right_finger")
        self.joint_q = np.array([self.model.joint_position_index(name) for name in joints])
        self.joint_v = np.array([self.model.joint_velocity_index(name) for name in joints])
        free = [name for name in self.model.joint_names if self.model.joint_kind(name) == "floating"]
        self.cube_q = self.model.joint_position_index(free[0])
        self.cube_v = self.model.joint_velocity_index(free[0])
        self.batch.watch_bodies(["left_finger", "right_finger"])

    def start(self, environment: int, random: np.random.Generator) -> None:
        state = self.copy_of_start()
        state.q[self.cube_q : self.cube_q + 2] += random.uniform(-0.008, 0.008, size=2)
        turn = 0.5 * random.uniform(-0.2, 0.2)
        state.q[self.cube_q + 3 : self.cube_q + 7] = [0.0, 0.0, np.sin(turn), np.cos(turn)]
        self.place(environment, state)
        self.wanted[environment] = random.uniform(0.05, 0.2)

    def act(self, actions: np.ndarray) -> None:
        self.batch.control[:, 0] = 0.1 + 0.2 * actions[:, 0]
        self.batch.control[:, 1] = 0.02 + 0.02 * actions[:, 1]

    @property
    def height(self) -> np.ndarray:
        """Of the cube above the table [m]."""
        return self.batch.q[:, self.cube_q + 2] - 0.02

    def observe(self) -> np.ndarray:
        batch = self.batch
        cube = batch.q[:, self.cube_q : self.cube_q + 7]
        return np.concatenate(
            [
                10.0 * batch.q[:, self.joint_q],
                batch.v[:, self.joint_v],
                10.0 * cube[:, 0:3],
                cube[:, 5:7],
                batch.v[:, self.cube_v : self.cube_v + 3],
                10.0 * self.wanted[:, None],
                10.0 * (self.wanted - self.height)[:, None],
            ],
            axis=1,
        )

    def reward(self, actions: np.ndarray) -> np.ndarray:
        away = np.abs(self.height - self.wanted)
        both = (self.batch.touching > 0).all(axis=1)
        return self.control_interval * (np.exp(-20.0 * away) + 0.2 * both)

    def terminated(self) -> np.ndarray:
        cube = self.batch.q[:, self.cube_q : self.cube_q + 3]
        return (np.abs(cube[:, 0]) > 0.3) | (np.abs(cube[:, 1]) > 0.3) | (cube[:, 2] < -0.05)

    def info(self) -> dict[str, np.ndarray]:
        return {
            "lifted": np.abs(self.height - self.wanted) < 0.02,
            "slip": self.batch.contact_slip.max(axis=1),
        }
