"""A learner whose hand trembles: some of its actions come out as random ones.

PPO learns about the action that was chosen, and the slip is the environment's doing; so what is learned is how to play
best if one errs at times, and meets others who do. In the limit of small slips that is Selten's trembling-hand perfect
play. DQN can learn from any action, and receives the one that was played: to it, trembling is exploration.

Either way positions come about that good players keep out of, so that they are learned as well. Random openings bring
about more of them: games then go on from there as they should.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from nenette_agents.environments.vec_env import action_masks_of

__all__ = ["TremblingHands"]


class TremblingHands(VecEnvWrapper):
    """Replaces actions by uniformly random legal ones: some of all, and all in the opening of each slot's games.

    Attributes:
        played_actions: what the actions of the last step came out as, (slots,).
    """

    def __init__(self, venv: VecEnv, share: float, seed: int, *, opening: int = 0) -> None:
        """Wraps `venv`.

        Args:
            venv: environments that tell their action masks.
            share: probability that an action is replaced.
            seed: all that is random follows from it.
            opening: a slot's first steps of a game that are random: a number from 0 to this, drawn for each game.
        """
        super().__init__(venv)
        self._share, self._opening = share, opening
        self._rng = np.random.default_rng(seed)
        self.played_actions = np.zeros(venv.num_envs, dtype=np.int64)
        self._left = np.zeros(venv.num_envs, dtype=np.int64)

    def reset(self) -> VecEnvObs:
        """New games; their first observations."""
        self._left = self._rng.integers(self._opening + 1, size=self.num_envs)
        return self.venv.reset()

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Hands on the actions, some of them replaced."""
        slips = np.flatnonzero((self._rng.random(self.num_envs) < self._share) | (self._left > 0))
        self._left -= self._left > 0
        played = np.array(actions)
        if len(slips):
            masks = action_masks_of(self.venv)[slips]
            played[slips] = (self._rng.random(masks.shape) * masks).argmax(axis=1)
        self.played_actions = played
        self.venv.step_async(played)

    def step_wait(self) -> VecEnvStepReturn:
        """What the environments give."""
        observations, rewards, dones, infos = self.venv.step_wait()
        begun = np.flatnonzero(dones)
        if len(begun):
            self._left[begun] = self._rng.integers(self._opening + 1, size=len(begun))
        return observations, rewards, dones, infos

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"rng": self._rng.bit_generator.state, "left": self._left.copy()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Takes up what `state` gave.

        Raises:
            ValueError: it is of other environments.
        """
        left = state["left"]
        if left.shape != (self.num_envs,) or left.dtype != np.int64:
            raise ValueError(f"left is {left.dtype} {left.shape}, and int64 ({self.num_envs},) is expected")
        self._rng.bit_generator.state = state["rng"]
        self._left = left.copy()
