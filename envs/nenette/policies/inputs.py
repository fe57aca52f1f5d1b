"""What a network is given of an observation: all of it, or some fields; or one field multiplied with all the rest, too.

Where a field such as the own score decides what all the others mean, a plain layer has to find that out; a *crossed*
input gives it a weight for each pair. It knows nothing of the game but which field that is.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game

__all__ = ["Crossing", "crossing", "features_of", "fields_to_cross"]


class Crossing:
    """A one-hot block of the observations and the features beside it.

    The crossed input of an observation is the observation itself, then, for each value of the field in turn, the other
    features if the field has that value, and zeros if not. There a feature that is a bit is inverted: 1 says that it is
    not set. Where a bit says that something is done, a weight thus stands for something that is still to do. Few things
    are left to do when it matters most, and the solo game is learned far better this way.

    Attributes:
        field: the field's name.
        start: the first feature of its block.
        stop: the one after its last.
        rest: int64, (others,): the other features.
        bits: bool, (others,): which of these are bits.
        size: length of the crossed input.
    """

    def __init__(self, game: Game[Any], field: str) -> None:
        names = game.codec.names
        feature = game.codec.features[names.index(field)]
        widths = [f.table.shape[1] for f in game.codec.features]
        self.field = field
        self.start = sum(widths[: names.index(field)])
        self.stop = self.start + feature.values
        self.rest = np.delete(np.arange(game.codec.size), np.arange(self.start, self.stop))
        turned = [f.table.shape == (2, 1) for f in game.codec.features for _ in range(f.table.shape[1])]
        self.bits = np.array(turned, dtype=np.bool_)[self.rest]
        self.size = game.codec.size + feature.values * len(self.rest)

    def split(
        self, weight: NDArray[np.floating], bias: NDArray[np.floating]
    ) -> list[tuple[NDArray[np.floating], NDArray[np.floating]]]:
        """A layer over crossed inputs, as one layer over the other features for each value of the field.

        Args:
            weight: (outputs, size).
            bias: (outputs,).

        Returns:
            For each value, a weight (others, outputs) and a bias (outputs,).
        """
        n_values, plain = self.stop - self.start, weight.shape[1] - (self.stop - self.start) * len(self.rest)
        crossed = weight[:, plain:].reshape(len(weight), n_values, len(self.rest))
        # w (1 - x) is w - w x
        slopes, shifts = np.where(self.bits, -crossed, crossed), crossed[..., self.bits].sum(axis=2)
        return [
            (
                np.ascontiguousarray((weight[:, self.rest] + slopes[:, v]).T),
                bias + weight[:, self.start + v] + shifts[:, v],
            )
            for v in range(n_values)
        ]


def features_of(game: Game[Any], fields: Sequence[str]) -> NDArray[np.bool_]:
    """bool, (codec.size,): which features of an observation belong to these fields."""
    features = game.codec.features
    return np.repeat([feature.name in fields for feature in features], [f.table.shape[1] for f in features])


def fields_to_cross(game: Game[Any]) -> list[str]:
    """Names of the fields that can be crossed with the rest: those that are one-hot blocks."""
    return [f.name for f in game.codec.features if np.array_equal(f.table, np.eye(f.values))]


def crossing(game: Game[Any], field: str | None) -> Crossing | None:
    """The crossing of a field with the rest; None for None.

    Raises:
        ValueError: the game has no such field, or not as a one-hot block.
    """
    if field is None:
        return None
    known = fields_to_cross(game)
    if field not in known:
        near = get_close_matches(str(field), known, n=1, cutoff=0.4)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"a crossed field is one of {_listed(known)}, not {field[:80]!r}{hint}")
    return Crossing(game, field)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
