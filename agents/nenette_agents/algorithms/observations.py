"""Observations of any space but dictionaries as rows of numbers, as stable-baselines3's MlpPolicy sees them."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.preprocessing import get_flattened_obs_dim, preprocess_obs

__all__ = ["as_rows", "row_size"]


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
