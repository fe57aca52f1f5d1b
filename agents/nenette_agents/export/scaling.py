"""Scaled observations, as part of a network's first layer.

A network that was trained on observations scaled by stable-baselines3's VecNormalize sees each number minus its mean,
divided by its standard deviation and clipped. A policy folder has no room for that, and needs none: what a game shows
takes few values, so that the first layer can do it. Where a number has two values the clipping is no hindrance either,
for through two points there is a line.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecNormalize

from nenette.games import Game
from nenette.policies.network import Layer
from nenette_agents.errors import RunError, shown

__all__ = ["fold"]

_CLOSE = 1e-6


def fold(statistics: VecNormalize, layers: list[Layer], game: Game[Any]) -> list[Layer]:
    """Layers that do with the game's own observations what `layers` do with the scaled ones.

    Raises:
        RunError: a number with more than two values was clipped.
    """
    if not statistics.norm_obs:
        return layers
    factors, offsets = np.empty(game.codec.size), np.empty(game.codec.size)
    columns = [column for feature in game.codec.features for column in feature.table.T]
    for place, column in enumerate(columns):
        values = np.unique(column).astype(np.float64)
        scaled = _scaled(statistics, values, place)
        factor = (scaled[-1] - scaled[0]) / (values[-1] - values[0]) if len(values) > 1 else 0.0
        factors[place], offsets[place] = factor, scaled[0] - factor * values[0]
        if not np.allclose(factor * values + offsets[place], scaled, rtol=0, atol=_CLOSE):
            raise RunError(
                f"VecNormalize clips {shown(game.codec.labels[place])} at {statistics.clip_obs}, and so scales it by "
                "no fixed factor; without clipping (clip_obs) it can be imported"
            )
    (weight, bias), *others = layers
    first = (weight * factors).astype(np.float32), (bias + weight @ offsets).astype(np.float32)
    return [first, *others]


def _scaled(statistics: VecNormalize, values: NDArray[np.float64], place: int) -> NDArray[np.float64]:
    """As `VecNormalize.normalize_obs` has it."""
    rms: Any = statistics.obs_rms
    deviation = np.sqrt(rms.var[place] + statistics.epsilon)
    scaled: NDArray[np.float64] = np.clip(
        (values - rms.mean[place]) / deviation, -statistics.clip_obs, statistics.clip_obs
    )
    return scaled
