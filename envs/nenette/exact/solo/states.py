"""Where each state of the solo game stands in a table.

A state is the score and the set of scores already stood on; what has been stood on includes the score itself, so a set
of m scores has m + 2 states: 0, its members, and 21. Sets are numbered by their bits, as in `SoloState.seen`, and each
set's states stand together, by ascending score: 2 · 2²⁰ + 20 · 2¹⁹ = 12,582,912 of them. The last one, 21 with all
scores seen, is the end of the game, so there are 12,582,911 in which to decide.

Throwing never takes a score out of the set. It leaves the set (for one with one score more, and a higher number), or
stays among its at most 22 states: the game is cyclic inside a set, and acyclic from set to set.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.games.demi_iles import ALL_SEEN, DICE_COUNTS, SCORES, TARGET, throw

__all__ = [
    "DENOMINATOR",
    "N_SETS",
    "N_STATES",
    "Layout",
    "Throws",
    "index",
    "layout",
    "members",
    "pack",
    "throws",
    "unpack",
]

N_SETS = ALL_SEEN + 1
"""Number of sets of scores."""
N_STATES = N_SETS * 2 + (TARGET - 1) * N_SETS // 2
"""Length of a table, the end of the game included."""
DENOMINATOR = 36
"""Probabilities of a throw are multiples of 1 / DENOMINATOR."""


class Throws(NamedTuple):
    """`nenette.games.demi_iles.throw` as arrays, for compiled loops.

    Attributes:
        weights: int64, (22, 3, 22): how often in `DENOMINATOR` a score, with so many dice, leads to another.
        counts: int64, (22, 3): number of scores that it leads to.
        outcomes: int64, (22, 3, most): these scores, ascending; the rest is 0.
        probabilities: float64, (22, 3, most): their probabilities.
    """

    weights: NDArray[np.int64]
    counts: NDArray[np.int64]
    outcomes: NDArray[np.int64]
    probabilities: NDArray[np.float64]


@cache
def throws() -> Throws:
    """The probabilities of every throw, read from the rules."""
    weights = np.zeros((len(SCORES), len(DICE_COUNTS), len(SCORES)), dtype=np.int64)
    for score in SCORES:
        for dice in DICE_COUNTS:
            for reached, probability in throw(score, dice):
                weight = probability * DENOMINATOR
                if weight.denominator != 1:
                    raise ValueError(f"the probability {probability} is no multiple of 1/{DENOMINATOR}")
                weights[score, dice, reached] += weight.numerator
    counts = (weights > 0).sum(axis=2)
    most = int(counts.max())
    outcomes = np.argsort(weights == 0, axis=2, kind="stable")[:, :, :most]
    probabilities_of = np.take_along_axis(weights, outcomes, axis=2) / DENOMINATOR
    return Throws(weights, counts, np.where(probabilities_of > 0, outcomes, 0), probabilities_of)


class Layout(NamedTuple):
    """Where states stand.

    Attributes:
        sizes: uint8, (N_SETS,): how many scores are in each set.
        offsets: int32, (N_SETS,): where the states of each set begin.
    """

    sizes: NDArray[np.uint8]
    offsets: NDArray[np.int32]


@cache
def layout() -> Layout:
    """The layout of tables, made on first use."""
    sizes = np.zeros(1, dtype=np.uint8)
    while len(sizes) < N_SETS:
        sizes = np.concatenate([sizes, sizes + np.uint8(1)])
    each = sizes.astype(np.int32) + 2
    return Layout(sizes, each.cumsum(dtype=np.int32) - each)


def index(scores: NDArray[np.integer], seen: NDArray[np.integer]) -> NDArray[np.int64]:
    """int64, (n,): where states stand in a table.

    Args:
        scores: (n,): 0..21.
        seen: (n,): bits of the scores stood on, as in `SoloState.seen`.

    Raises:
        ValueError: a score of 1..20 is not among those seen: there is no such state.
    """
    sizes, offsets = layout()
    scores, seen = scores.astype(np.int64), seen.astype(np.int64)
    below = (1 << (scores - 1).clip(min=0)) - 1
    inside = (scores == 0) | (scores == TARGET) | (seen > 0) & ((seen >> (scores - 1).clip(min=0)) & 1 > 0)
    if not inside.all():
        which = int(np.argmin(inside))
        raise ValueError(f"a state was given with score {scores[which]}, and that score is not among those stood on")
    where: NDArray[np.int64] = offsets[seen] + (scores > 0) * (1 + sizes[seen & below].astype(np.int64))
    return where


def members(sets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool, (n, 22): in which scores of the sets (n,) there is a decision; `nonzero` lists them as a table does."""
    inside = np.ones((len(sets), len(SCORES)), dtype=np.bool_)
    inside[:, 1:TARGET] = (sets[:, None] >> np.arange(TARGET - 1)) & 1 > 0
    inside[sets == ALL_SEEN, TARGET] = False
    return inside


def pack(actions: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """uint8, (n // 4,), from actions (n,) of 0..3, where 4 divides n."""
    packed = actions[0::4].copy()
    for k in range(1, 4):
        packed |= actions[k::4] << np.uint8(2 * k)
    return packed


def unpack(packed: NDArray[np.uint8], where: NDArray[np.int64]) -> NDArray[np.int8]:
    """int8, (n,): the actions at places `where` of what was packed."""
    actions: NDArray[np.int8] = (packed[where >> 2] >> (2 * (where & 3)).astype(np.uint8) & np.uint8(3)).astype(np.int8)
    return actions
