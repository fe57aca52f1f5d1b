"""Rewards as the learner is paid them: scaled, and shaped by a potential.

Shaping by a potential P pays gamma P(next state) - P(state) on top of each reward, with P = 0 at the end of a game.
Over a game these sum to a constant, so what is best to do stays what it was, whatever P is; a good guess at the value
of a state only makes it quicker to learn (Ng, Harada and Russell 1999).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

__all__ = ["ShapedRewards"]


class ShapedRewards(VecEnvWrapper):
    """Pays scale · (reward + gamma P(next state) - P(state)); where a game is cut, P counts, as its value does."""

    def __init__(self, venv: VecEnv, weights: NDArray[np.float32], *, scale: float, gamma: float) -> None:
        """Wraps `venv`.

        Args:
            venv: environments that begin again in the same step.
            weights: of the potential, see `nenette_agents.potentials`.
            scale: of everything that is paid.
            gamma: the learner's discount.
        """
        super().__init__(venv)
        self._weights, self._scale, self._gamma = weights, scale, gamma
        self._potential = np.zeros(venv.num_envs, dtype=np.float32)

    def reset(self) -> VecEnvObs:
        """New games; their first observations."""
        observations = np.asarray(self.venv.reset())
        self._potential = observations @ self._weights
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        """What the environments give, the rewards shaped."""
        observations, rewards, dones, infos = self.venv.step_wait()
        potential = np.asarray(observations) @ self._weights
        reached = np.where(dones, np.float32(0), potential)
        for slot in np.flatnonzero(dones).tolist():
            if infos[slot]["TimeLimit.truncated"]:
                reached[slot] = infos[slot]["terminal_observation"] @ self._weights
        paid = self._scale * (rewards + self._gamma * reached - self._potential)
        self._potential = potential
        return observations, paid.astype(np.float32), dones, infos

    def state(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps."""
        return {"potential": self._potential.copy()}

    def load_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Takes up what `state` gave.

        Raises:
            ValueError: it is of other environments.
        """
        potential = state["potential"]
        if potential.shape != (self.num_envs,) or potential.dtype != np.float32:
            raise ValueError(
                f"potential is {potential.dtype} {potential.shape}, and float32 ({self.num_envs},) is expected"
            )
        self._potential = potential.copy()
