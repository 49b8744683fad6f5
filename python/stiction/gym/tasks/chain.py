"""A chain that hangs from one driven joint and has to stand on its head."""

from __future__ import annotations

import numpy as np

import stiction

from ..task import Task
from .rotations import row_sum

LINK = 0.4  # [m]


def chain_text(links: int) -> str:
    """Rods on hinges about y, hanging from the world's origin."""
    bodies, ends = "", ""
    for k in range(links):
        place = f"0 0 {-LINK if k > 0 else 0.0}"
        bodies += (
            f'<body name="link{k}" pos="{place}"><joint name="joint{k}" axis="0 1 0" '
            f'damping="0.01"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 {-LINK}" '
            'mass="0.4" contype="0" conaffinity="0" rgba="0.75 0.16 0.12 1"/>'
        )
        ends += "</body>"
    return (
        f'<mujoco model="chain"><option timestep="0.002"/><worldbody>{bodies}{ends}'
        '</worldbody><actuator><motor name="drive" joint="joint0"/></actuator></mujoco>'
    )


class ChainSwingUp(Task):
    """One motor at the top, too weak to lift the chain without swinging."""

    action_size = 1
    control_interval = 0.02
    episode_seconds = 10.0
    camera_offset = (0.0, -2.4, 0.0)
    #: Of the motor [N·m], as a part of what holds the chain out horizontally.
    strength = 0.6

    def __init__(self, links: int = 2) -> None:
        if not 1 <= links <= 10:
            raise ValueError(f"a chain of {links} links; give 1 to 10")
        self.links = links
        self.observation_size = 3 * links

    def load(self) -> stiction.Model:
        return stiction.load_text(chain_text(self.links))

    def setup(self) -> None:
        self.torque = self.strength * self.model.total_mass * 9.81 * 0.5 * self.links * LINK

    def start(self, environment: int, random: np.random.Generator) -> None:
        state = self.copy_of_start()
        state.q[:] = random.uniform(-0.1, 0.1, size=self.links)
        self.place(environment, state)

    def act(self, actions: np.ndarray) -> None:
        self.batch.control[:, 0] = self.torque * actions[:, 0]

    @property
    def tilts(self) -> np.ndarray:
        """Of each link from hanging [rad]."""
        return np.cumsum(self.batch.q, axis=1)

    def observe(self) -> np.ndarray:
        tilts = self.tilts
        return np.concatenate([np.cos(tilts), np.sin(tilts), 0.2 * self.batch.v], axis=1)

    @property
    def height(self) -> np.ndarray:
        """Of the free end, from -1 (hanging) to 1 (standing)."""
        return -row_sum(np.cos(self.tilts)) / self.links

    def reward(self, actions: np.ndarray) -> np.ndarray:
        calm = np.exp(-0.01 * row_sum(self.batch.v**2))
        return self.control_interval * (0.5 * (self.height + 1.0) * calm - 0.01 * actions[:, 0] ** 2)

    def info(self) -> dict[str, np.ndarray]:
        return {"height": self.height}
