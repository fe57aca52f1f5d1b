"""The solo game's values between two bounds, by value iteration from both ends: nothing to believe but the rules.

    python -m nenette.exact.solo.both_ends

This is a slow and plain way to what the solver finds by policy iteration, for readers who do not want to follow that.
It shares no code with the solver. Let v(s) be the fewest expected turns from state s. They satisfy

    v(s) = min over dice a of 1 + Σ P(s' | s, a) v(s'),

If the numbers of all s' on the right are too low (too high), the number of s on the left is too low (too high). So
bounds stay bounds after any number of updates. They are updated one at a time, in place.

*One set of scores after the other*, the larger ones first. A throw stays among the at most 22 states of its set, or
leaves it for a larger set, whose bounds are known by then. Inside a set the lower bounds begin at 0. The upper bounds
begin at b + 2 m: b is the highest upper bound of the states that a throw out of the set can lead to, and m is a number
of throws that leave the set with probability at least 1/2 from each of its states, if the number of dice is drawn at
random for each throw. Such random play leaves the set within 2 m turns on average, and optimal play needs no more.

*When it stops.* Every throw costs a turn, so play that stays in a set for ever is never optimal. Both bounds therefore
converge to values that follow from the bounds outside, and these values differ by no more than the bounds outside do.
The updates of a set end when its bounds are at most `width / 21` further apart than the widest bounds outside. There
are 21 sizes of sets, so in the end no bounds are more than `width` apart, but for rounding, some 1e-13.

How long a set takes depends on how many turns good play spends in it. Where a single score is missing these are dozens
of turns, and hundreds of sweeps; nearly all sets are left after two or three turns.
"""

import argparse
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.games.demi_iles import ALL_SEEN, DICE_COUNTS, SCORES, TARGET, throw

__all__ = ["Bracket", "bracket"]

Floats = NDArray[np.float64]

_SETS, _SCORES, _TARGET, _DICE = ALL_SEEN + 1, len(SCORES), TARGET, len(DICE_COUNTS)
_SIZES = TARGET
"""Sets have 0 to 20 scores."""


class Bracket(NamedTuple):
    """Bounds of the fewest expected turns.

    Attributes:
        low: float64, (2²⁰, 22): by the bits of the set, as in `SoloState.seen`, and the score. The end of the game has
            the value 0; where a score of 1..20 is not in the set, there is no state, and the number is nan.
        high: float64, (2²⁰, 22).
        sweeps: how often all states of a set were gone through, sets and both bounds taken together.
    """

    low: Floats
    high: Floats
    sweeps: int


def bracket(width: float = 1e-9) -> Bracket:
    """Bounds at most `width` apart in every state, in half a minute on one core and 700 MB.

    Raises:
        ValueError: the width is less than rounding allows, 1e-10.
    """
    if not width >= 1e-10:
        raise ValueError(f"a width of {width} is less than rounding allows, 1e-10")
    counts = np.zeros((_SCORES, _DICE), dtype=np.int64)
    outcomes = np.zeros((_SCORES, _DICE, _SCORES), dtype=np.int64)
    probabilities = np.zeros((_SCORES, _DICE, _SCORES))
    for score in SCORES:
        for dice in DICE_COUNTS:
            for m, (reached, chance) in enumerate(throw(score, dice)):
                counts[score, dice], outcomes[score, dice, m], probabilities[score, dice, m] = m + 1, reached, chance
    low, high = np.full((_SETS, _SCORES), np.nan), np.full((_SETS, _SCORES), np.nan)
    sweeps = _all_sets(counts, outcomes, probabilities, width / _SIZES, low, high)
    return Bracket(low, high, sweeps)


@njit()
def _sweep(
    inside: NDArray[np.bool_],
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    probabilities: Floats,
    values: Floats,
) -> None:
    """Replaces the value of each state of a set, (22,), by one turn and the lowest expected value after it."""
    for score in range(_SCORES):
        if inside[score]:
            best = np.inf
            for dice in range(_DICE):
                expected = 1.0
                for m in range(counts[score, dice]):
                    expected += probabilities[score, dice, m] * values[outcomes[score, dice, m]]
                best = min(best, expected)
            values[score] = best


@njit()
def _throws_to_leave(
    inside: NDArray[np.bool_],
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    probabilities: Floats,
) -> int:
    """How many throws with random dice leave a set with probability at least 1/2, from each of its states."""
    stays = inside.astype(np.float64)
    throws, most = 0, 1.0
    while most > 0.5:
        before = stays.copy()
        throws, most = throws + 1, 0.0
        for score in range(_SCORES):
            if inside[score]:
                stays[score] = 0.0
                for dice in range(_DICE):
                    for m in range(counts[score, dice]):
                        stays[score] += probabilities[score, dice, m] * before[outcomes[score, dice, m]] / _DICE
                most = max(most, stays[score])
    return throws


@njit()
def _all_sets(
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    probabilities: Floats,
    each: float,
    low: Floats,
    high: Floats,
) -> int:
    """Fills both tables, set by set; returns the number of sweeps. `each` is how much wider a set's bounds may be."""
    sweeps = 0
    inside = np.empty(_SCORES, dtype=np.bool_)
    below, above = np.empty(_SCORES), np.empty(_SCORES)
    for seen in range(_SETS - 1, -1, -1):  # a set's number is less than that of any set that it is part of
        full = seen == _SETS - 1
        highest, widest = 0.0, 0.0
        for score in range(_SCORES):
            inside[score] = score == 0 or (score == _TARGET and not full)
            below[score] = above[score] = 0.0  # the end of the game, if it is nothing else
            if 0 < score < _TARGET:
                larger = seen | 1 << (score - 1)
                inside[score] = larger == seen
                if not inside[score]:
                    below[score], above[score] = low[larger, score], high[larger, score]
                    highest = max(highest, above[score])
                    widest = max(widest, above[score] - below[score])
        start = highest + 2 * _throws_to_leave(inside, counts, outcomes, probabilities)
        for score in range(_SCORES):
            if inside[score]:
                above[score] = start
        apart = np.inf
        while apart > widest + each:
            _sweep(inside, counts, outcomes, probabilities, below)
            _sweep(inside, counts, outcomes, probabilities, above)
            sweeps += 2
            apart = 0.0
            for score in range(_SCORES):
                if inside[score]:
                    apart = max(apart, above[score] - below[score])
        for score in range(_SCORES):
            if inside[score] or (full and score == _TARGET):
                low[seen, score], high[seen, score] = below[score], above[score]
    return sweeps


def main(arguments: list[str] | None = None) -> None:
    """Prints the bounds of the start, and how wide those of all states are."""
    parser = argparse.ArgumentParser(prog="python -m nenette.exact.solo.both_ends", description=main.__doc__)
    parser.add_argument("--width", type=float, default=1e-9, help="of the bounds, in turns; default: 1e-9")
    began = time.perf_counter()
    try:
        found = bracket(parser.parse_args(arguments).width)
    except ValueError as error:
        parser.error(str(error))
    print(f"From the start, the fewest expected turns lie between {found.low[0, 0]} and {found.high[0, 0]}.")
    print(
        f"In none of the {np.count_nonzero(~np.isnan(found.low)) - 1:,} states are the bounds more than "
        f"{np.nanmax(found.high - found.low):.2g} apart; "
        f"{found.sweeps:,} sweeps, {time.perf_counter() - began:.0f} s."
    )


if __name__ == "__main__":
    main()
