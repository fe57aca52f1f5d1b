"""Bounds on the fewest expected turns of the solo game that hold in spite of rounding.

Let T be any table of numbers in [0, 128) for the states, 0 at the end of the game, and let
R(s, a) = 1 + Σ P(s' | s, a) T(s') - T(s) be what is wrong with it in state s under action a. Let V* be the fewest
expected turns.

*From above.* Let a play take action a(s) in state s, and ρ < 1 be at least 0 and every R(s, a(s)). Then W = T / (1 - ρ)
satisfies W(s) >= 1 + Σ P W(s'), as T(s) - Σ P T(s') = 1 - R >= 1 - ρ. Unrolled n times, W(s) >= E[turns within the
first n] + E[W after them] >= E[turns within the first n], since W >= 0. As n grows this becomes the play's expected
number of turns, so V* <= the play's turns <= T / (1 - ρ): which proves that the play finishes, too.

*From below.* Let σ be at least 0 and every -R(s, a), over all actions. Then L = T / (1 + σ) satisfies
L(s) <= 1 + Σ P L(s') whatever is done. Unrolled, L(s) <= E[turns within the first n] + 128 P(not finished after n) for
any play, with or without a memory. If its expected turns are finite the last term vanishes, and L(s) is at most these
turns; if they are infinite it is so anyway. So V* >= T / (1 + σ).

T comes from floating-point numbers, but nothing has to be believed of how. It is rounded to multiples of 2⁻⁴⁴, and all
odds are multiples of 1/36. So R is an integer, less than 2⁶³, of units 2⁻⁴⁴ / 36, and is computed without any error.
The bounds themselves are fractions of integers. With T right to rounding, ρ and σ are some 1e-13, and the bounds 1e-11
apart.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.exact.certificates.walk import CertificateError
from nenette.exact.elimination import eliminate, solve_values
from nenette.exact.model import Floats
from nenette.exact.solo.loops import list_states, place
from nenette.exact.solo.states import DENOMINATOR, N_STATES, layout, throws
from nenette.games.demi_iles import ALL_SEEN, DICE_COUNTS, TARGET, throw

__all__ = ["Bounds", "enclose", "full_set", "turns_of"]

_ALL, _TARGET, _ACTIONS, _DENOMINATOR = ALL_SEEN, TARGET, len(DICE_COUNTS), DENOMINATOR
_UNIT = 1 << 44
_MOST = 128


class Bounds(NamedTuple):
    """What the fewest expected turns from the start lie between; the play proved with them takes at most `upper`."""

    lower: Fraction
    upper: Fraction


def enclose(turns: Floats, actions: NDArray[np.uint8]) -> Bounds:
    """Proves bounds from a table of about right turns, (N_STATES,), and the play `actions`, (N_STATES,).

    Raises:
        CertificateError: the table or the play is no good for that.
    """
    if turns.shape != (N_STATES,) or not ((turns >= 0) & (turns < _MOST)).all() or turns[-1] != 0:
        raise CertificateError(f"its turns are not {N_STATES} numbers from 0 to {_MOST}, with 0 at the end")
    if actions.shape != (N_STATES,) or actions.max() >= _ACTIONS:
        raise CertificateError("its play throws a number of dice that there is not")
    rounded = np.rint(turns * _UNIT).astype(np.int64)
    known = throws()
    above, below = _residuals(*layout(), known.counts, known.outcomes, known.weights, rounded, actions, _UNIT)
    start, one = Fraction(int(rounded[0]), _UNIT), DENOMINATOR * _UNIT
    if above >= one:
        raise CertificateError("its turns are not those of its play")
    return Bounds(start / (1 + Fraction(int(below), one)), start / (1 - Fraction(int(above), one)))


@njit()
def _residuals(
    sizes: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    weights: NDArray[np.int64],
    turns: NDArray[np.int64],
    actions: NDArray[np.uint8],
    unit: int,
) -> tuple[int, int]:
    """The largest R of the play's actions and the largest -R of any action, at least 0, in units of 1 / (36 unit)."""
    scores = np.empty(_TARGET + 1, dtype=np.int64)
    position = np.empty(_TARGET + 1, dtype=np.int64)
    worth = np.empty(_TARGET + 1, dtype=np.int64)
    above, below = 0, 0
    for seen in range(_ALL + 1):
        n = list_states(seen, scores, position)
        for score in range(_TARGET + 1):
            stood_on = seen | 1 << (score - 1) if 0 < score < _TARGET else seen
            worth[score] = turns[place(sizes, offsets, score, stood_on)]
        for i in range(n):
            score = scores[i]
            for k in range(_ACTIONS):
                wrong = _DENOMINATOR * (unit - worth[score])
                for m in range(counts[score, k]):
                    to = outcomes[score, k, m]
                    wrong += weights[score, k, to] * worth[to]
                below = max(below, -wrong)
                if k == actions[offsets[seen] + i]:
                    above = max(above, wrong)
    return above, below


def turns_of(actions: NDArray[np.uint8]) -> Floats:
    """float64, (N_STATES,): the expected turns of a play, (N_STATES,), up to rounding.

    Raises:
        CertificateError: the play does not finish for certain.
    """
    turns = np.zeros(N_STATES)
    known = throws()
    if actions.max() >= _ACTIONS or not _evaluate(*layout(), known.counts, known.outcomes, known.odds, actions, turns):
        raise CertificateError("its play does not finish for certain")
    return turns


@njit()
def _evaluate(
    sizes: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    odds: NDArray[np.float64],
    actions: NDArray[np.uint8],
    turns: NDArray[np.float64],
) -> bool:
    scores = np.empty(_TARGET + 1, dtype=np.int64)
    position = np.empty(_TARGET + 1, dtype=np.int64)
    chain = np.empty((_TARGET + 1, _TARGET + 1))
    leaving = np.empty(_TARGET + 1)
    v = np.empty(_TARGET + 1)
    for seen in range(_ALL, -1, -1):
        n = list_states(seen, scores, position)
        for i in range(n):
            score, k = scores[i], actions[offsets[seen] + i]
            v[i], leaving[i] = 1.0, 0.0
            for j in range(n):
                chain[i, j] = 0.0
            for m in range(counts[score, k]):
                to = outcomes[score, k, m]
                if position[to] >= 0:
                    chain[i, position[to]] += odds[score, k, m]
                else:
                    leaving[i] += odds[score, k, m]
                    stood_on = seen | 1 << (to - 1) if to < _TARGET else seen
                    v[i] += odds[score, k, m] * turns[place(sizes, offsets, to, stood_on)]
        if not eliminate(chain, leaving, n):
            return False
        solve_values(chain, leaving, n, v)
        for i in range(n):
            turns[offsets[seen] + i] = v[i]
    return True


def full_set(actions: NDArray[np.uint8]) -> list[Fraction]:
    """The fewest expected turns from each score 0..20 when only 21 is left, proved by Bellman's equation in fractions.

    Args:
        actions: (N_STATES,), the play; it is proved to be optimal there.

    Raises:
        CertificateError: it is not.
    """
    first = int(layout().offsets[ALL_SEEN])
    play = actions[first : first + TARGET].tolist()
    values = _solve([[_chance(s, play[s], to) for to in range(TARGET)] for s in range(TARGET)])
    for score in range(TARGET):
        for dice in DICE_COUNTS:
            if values[score] > 1 + sum(odds * values[to] for to, odds in throw(score, dice) if to < TARGET):
                raise CertificateError(f"its play is not the best from {score} when only 21 is left")
    return values


def _chance(score: int, dice: int, to: int) -> Fraction:
    return next((odds for reached, odds in throw(score, dice) if reached == to), Fraction(0))


def _solve(chain: list[list[Fraction]]) -> list[Fraction]:
    """The v with v = 1 + P v, by elimination from the last state to the first."""
    n, v = len(chain), [Fraction(1)] * len(chain)
    for k in range(n - 1, -1, -1):
        stays = 1 - chain[k][k]
        if stays == 0:
            raise CertificateError("its play does not finish for certain")
        row, v[k] = [x / stays for x in chain[k]], v[k] / stays
        chain[k] = row
        for i in range(k):
            factor = chain[i][k]
            if factor:
                v[i] += factor * v[k]
                chain[i] = [x + factor * y for x, y in zip(chain[i][:k], row[:k], strict=True)]
    for k in range(n):
        v[k] += sum((chain[k][j] * v[j] for j in range(k)), Fraction(0))
    return v
