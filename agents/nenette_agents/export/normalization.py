"""Observations that stable-baselines3's VecNormalize has scaled: how to tell, and how to do without it.

A network that was trained on them sees each number minus its mean, divided by its standard deviation and clipped. A
policy folder has no room for that, and needs none: what a game shows takes few values, so that the first layer can do
it. Where a number has two values the clipping is no hindrance either, for through two points there is a line.
"""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecNormalize

from nenette.games import Game
from nenette.policies.network import Layer
from nenette.untrusted import NotReadableError, read_bytes
from nenette_agents.errors import RunError, short, shown

__all__ = ["fold", "read_trusted_statistics", "were_plain"]

_MOST_BYTES = 1 << 26
_CLOSE = 1e-6


def were_plain(data: dict[str, Any], game: Game[Any]) -> bool | None:
    """Whether a learner of stable-baselines3 was trained on the game's observations as they are.

    The zip says nothing of wrappers around its environments. But it keeps the last observations that the learner saw,
    and those of a game are recognised exactly.

    Args:
        data: of the zip.
        game: what it was trained to play.

    Returns:
        None where it is not known: no observation was kept.
    """
    last = data.get("_last_obs")
    if not data.get("num_timesteps"):
        return True  # nothing has been learned, from whatever
    if not isinstance(last, np.ndarray) or last.size == 0:
        return None
    try:
        game.codec.decode(last.reshape(len(last), -1))
    except (ValueError, TypeError):
        return False
    return True


def read_trusted_statistics(file: Path, game: Game[Any]) -> VecNormalize:
    """What `VecNormalize.save` wrote: a pickle, in which any program may be hidden, and is run here.

    Raises:
        RunError: it is no `VecNormalize`, or not one of this game's observations.
    """
    try:
        content = read_bytes(file, _MOST_BYTES)
    except (NotReadableError, OSError, ValueError) as error:
        raise RunError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    # Unpickling may raise anything, for the file decides what is run.
    try:
        statistics = pickle.loads(content)
    except Exception as error:
        raise RunError(f"{file} cannot be read as what VecNormalize saved: {short(str(error))}") from error
    if not isinstance(statistics, VecNormalize):
        raise RunError(f"{file} holds {shown(type(statistics).__name__)}, and what VecNormalize saved was expected")
    shape = np.shape(getattr(getattr(statistics, "obs_rms", None), "mean", ()))
    if statistics.norm_obs and shape != (game.codec.size,):
        raise RunError(f"{file} is of observations of shape {shape}, and {game.name} has {game.codec.size} numbers")
    return statistics


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
