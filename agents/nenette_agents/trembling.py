"""A learner whose hand trembles: some of its actions come out as random ones.

Learning goes on about the action that was chosen, and the slip is the environment's doing; so what is learned is how to
play best if one errs at times, and meets others who do. In the limit of small slips that is Selten's trembling-hand
perfect play. It also brings about positions that good players keep out of, so that they are learned as well.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

__all__ = ["TremblingHands"]


class TremblingHands(VecEnvWrapper):
    """Replaces each slot's action, with a chance of `share`, by a uniformly random legal one."""

    def __init__(self, venv: VecEnv, share: float, seed: int) -> None:
        """Wraps `venv`, which tells its action masks; all slips follow from `seed`."""
        super().__init__(venv)
        self._share = share
        self._rng = np.random.default_rng(seed)

    def reset(self) -> VecEnvObs:
        """New games; their first observations."""
        return self.venv.reset()

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Hands on the actions, some of them replaced."""
        slips = np.flatnonzero(self._rng.random(self.num_envs) < self._share)
        played = np.array(actions)
        if len(slips):
            masks = get_action_masks(self.venv)[slips]
            played[slips] = (self._rng.random(masks.shape) * masks).argmax(axis=1)
        self.venv.step_async(played)

    def step_wait(self) -> VecEnvStepReturn:
        """What the environments give."""
        return self.venv.step_wait()

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"rng": self._rng.bit_generator.state}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Takes up what `state` gave."""
        self._rng.bit_generator.state = state["rng"]
