"""What a learner's network is given of an observation, in torch; `nenette.policies.inputs` says what it is."""

import numpy as np
import torch
from gymnasium import Space
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from nenette.policies.inputs import Crossing

__all__ = ["CrossedInputs"]


class CrossedInputs(BaseFeaturesExtractor):
    """One field of the observation crossed with all the rest.

    Attributes:
        field: the field's name.
    """

    def __init__(self, observation_space: Space[NDArray[np.float32]], crossing: Crossing) -> None:
        super().__init__(observation_space, crossing.size)
        self.field = crossing.field
        self._block = slice(crossing.start, crossing.stop)
        # No parameters, and no part of what is kept of a network.
        self._rest = torch.from_numpy(crossing.rest)
        self._bits = torch.from_numpy(crossing.bits)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Crossed inputs, float32 (n, crossing.size), of observations (n, codec.size)."""
        values, others = observations[:, self._block], observations[:, self._rest]
        others = torch.where(self._bits, 1 - others, others)
        products = values.unsqueeze(2) * others.unsqueeze(1)
        return torch.cat([observations, products.flatten(1)], dim=1)
