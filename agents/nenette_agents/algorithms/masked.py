"""What the learners with masks have in common: rows of numbers, masks wherever they are found, and a second `learn`."""

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.preprocessing import get_flattened_obs_dim, preprocess_obs
from stable_baselines3.common.type_aliases import MaybeCallback
from stable_baselines3.common.vec_env import VecEnv

from nenette_agents.algorithms.saving import SafelySaved
from nenette_agents.environments.masks import FinalMasks, with_masks

__all__ = ["MaskedLearner", "as_rows", "row_size"]


class MaskedLearner(SafelySaved):
    """A learner of stable-baselines3 that finds masks wherever an environment has them."""

    @staticmethod
    def _wrap_env(env: Any, verbose: int = 0, monitor_wrapper: bool = True) -> VecEnv:
        if isinstance(env, gym.Env) and env.has_wrapper_attr("action_masks"):
            env = FinalMasks(env)
        return with_masks(BaseAlgorithm._wrap_env(env, verbose, monitor_wrapper))

    def _setup_learn(
        self,
        total_timesteps: int,
        callback: MaybeCallback = None,
        reset_num_timesteps: bool = True,
        tb_log_name: str = "run",
        progress_bar: bool = False,
    ) -> tuple[int, BaseCallback]:
        if reset_num_timesteps or self._last_obs is None:  # environments are reset, and their episodes abandoned
            self._forget_unfinished()
        return super()._setup_learn(total_timesteps, callback, reset_num_timesteps, tb_log_name, progress_bar)

    def _forget_unfinished(self) -> None:
        """Drops decisions that wait for what comes next."""
        raise NotImplementedError


def row_size(space: spaces.Space[Any]) -> int:
    """How many numbers an observation is for the network.

    Raises:
        ValueError: observations are dictionaries or the like.
    """
    if not isinstance(space, spaces.Box | spaces.Discrete | spaces.MultiDiscrete | spaces.MultiBinary):
        raise ValueError(
            f"observations in a Box, Discrete, MultiDiscrete or MultiBinary are expected, not {space}; "
            "gymnasium.wrappers.FlattenObservation makes one of a Dict or Tuple"
        )
    return get_flattened_obs_dim(space)


def as_rows(observations: Any, space: spaces.Space[Any]) -> NDArray[np.float32]:
    """Float32 (n, size) of n observations: one-hot where they are discrete, flat, and images divided by 255.

    Vectors of float32 are returned as they are.
    """
    given = np.asarray(observations)
    if given.dtype == np.float32 and given.ndim == 2 and isinstance(space, spaces.Box):
        return given
    if isinstance(space, spaces.Discrete):
        given = given.reshape(-1) - space.start
    tensor = preprocess_obs(torch.as_tensor(given), space)
    assert isinstance(tensor, torch.Tensor)
    return tensor.reshape(len(given), -1).numpy()
