"""Bounds on the fewest expected turns of the solo game that hold in spite of rounding.

Let T be any table of numbers in [0, 128) for the states, 0 at the end of the game, and let
R(s, a) = 1 + Σ P(s' | s, a) T(s') - T(s) be its error in state s under action a. Let V* be the fewest expected turns.

*From above.* Let a play take action a(s) in state s, and ρ < 1 be at least 0 and every R(s, a(s)). Then W = T / (1 - ρ)
satisfies W(s) >= 1 + Σ P W(s'), as T(s) - Σ P T(s') = 1 - R >= 1 - ρ. Unrolled n times, W(s) >= E[turns within the
first n] + E[W after them] >= E[turns within the first n], since W >= 0. As n grows this becomes the play's expected
number of turns, so V* <= the play's turns <= T / (1 - ρ): which proves that the play finishes, too.

*From below.* Let σ be at least 0 and every -R(s, a), over all actions. Then L = T / (1 + σ) satisfies
L(s) <= 1 + Σ P L(s') whatever is done. Unrolled, L(s) <= E[turns within the first n] + 128 P(not finished after n) for
any play, with or without a memory. If its expected turns are finite the last term vanishes, and L(s) is at most these
turns; if they are infinite it is so anyway. So V* >= T / (1 + σ).

T comes from floating-point numbers, but the proof does not depend on how it was computed. It is rounded to multiples of
2⁻⁴⁴, and all probabilities are multiples of 1/36. So R is an integer, less than 2⁶³, of units 2⁻⁴⁴ / 36, and is
computed without any error. The bounds themselves are fractions of integers. With T right to rounding, ρ and σ are some
1e-13, and the bounds 1e-11 apart.

This shares neither code nor the layout of tables with the solver. Here a table has a row for each set of scores stood
on, by its bits as in `SoloState.seen`, and a column for each score; where a score of 1..20 is not in the set there is
no state. Throwing leads to states of the same set or of larger ones, which come later.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.exact.certificates.walk import CertificateError
from nenette.games.demi_iles import ALL_SEEN, DICE_COUNTS, SCORES, TARGET, throw

__all__ = ["N_STATES", "SHAPE", "Bounds", "enclose", "full_set", "is_state", "turns_of"]

SHAPE = (ALL_SEEN + 1, len(SCORES))
"""Of all tables: sets, scores."""
N_STATES = (ALL_SEEN + 1) * 2 + (TARGET - 1) * (ALL_SEEN + 1) // 2 - 1
"""States with a decision: 0, 21 and the scores in the set, of each set, but for 21 with all scores seen."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DENOMINATOR = 36
_UNIT = 1 << 44
_MOST = 128
_CHUNK = 1 << 13  # sets at a time


class Bounds(NamedTuple):
    """Bounds on the fewest expected turns from the start; the play proved with them takes at most `upper`."""

    lower: Fraction
    upper: Fraction


def is_state(sets: Ints) -> NDArray[np.bool_]:
    """bool, (n, 22): in which scores of the sets (n,) there is a decision."""
    inside = np.ones((len(sets), len(SCORES)), dtype=np.bool_)
    for score in range(1, TARGET):
        inside[:, score] = sets >> (score - 1) & 1
    inside[:, TARGET] = sets != ALL_SEEN
    return inside


@cache
def _weights() -> Ints:
    """int64, (22, 3, 22): how often in 36 a score, with so many dice, leads to another; from the rules."""
    weights = np.zeros((len(SCORES), len(DICE_COUNTS), len(SCORES)), dtype=np.int64)
    for score in SCORES:
        for dice in DICE_COUNTS:
            for reached, chance in throw(score, dice):
                parts = chance * _DENOMINATOR
                if parts.denominator != 1:
                    raise CertificateError(f"a probability of {chance} is no multiple of 1/{_DENOMINATOR}")
                weights[score, dice, reached] += parts.numerator
    return weights


def _after(sets: Ints) -> Ints:
    """int64, (n, 22): the set that each score leads to when it is stood on."""
    bits = np.array([1 << (score - 1) if 0 < score < TARGET else 0 for score in SCORES])
    after: Ints = sets[:, None] | bits
    return after


def _chunks() -> Iterator[Ints]:
    for low in range(0, SHAPE[0], _CHUNK):
        yield np.arange(low, min(low + _CHUNK, SHAPE[0]))


def enclose(turns: Floats, actions: NDArray[np.uint8]) -> Bounds:
    """Proves bounds from a table of approximate turns and a play, both of `SHAPE`.

    Args:
        turns: expected turns; what stands where there is no state does not matter.
        actions: numbers of dice.

    Raises:
        CertificateError: nothing can be proved from this table and this play.
    """
    weights, worst_played, worst = _weights(), 0, 0
    rounded, one = np.zeros(SHAPE, dtype=np.int64), _DENOMINATOR * _UNIT
    for sets in _chunks():
        inside = is_state(sets)
        there = turns[sets][inside]
        if not ((there >= 0) & (there < _MOST)).all():
            raise CertificateError(f"its turns are not all numbers from 0 to {_MOST}")
        if actions[sets][inside].max() >= len(DICE_COUNTS):
            raise CertificateError("its play throws a number of dice other than 0, 1 and 2")
        rounded[sets] = np.where(inside, np.rint(np.where(inside, turns[sets], 0.0) * _UNIT), 0).astype(np.int64)
    for sets in _chunks():
        inside = is_state(sets)
        values = rounded[_after(sets), np.arange(len(SCORES))]
        for score in SCORES:
            states = inside[:, score]
            if not states.any():
                continue
            error = values[states] @ weights[score].T + _DENOMINATOR * (_UNIT - values[states, score])[:, None]
            worst = max(worst, int(-error.min()))
            played = np.take_along_axis(error, actions[sets[states], score].astype(np.int64)[:, None], axis=1)
            worst_played = max(worst_played, int(played.max()))
        if worst_played >= one:
            raise CertificateError("its turns are not those of its play")
    start = Fraction(int(rounded[0, 0]), _UNIT)
    return Bounds(start / (1 + Fraction(worst, one)), start / (1 - Fraction(worst_played, one)))


def turns_of(actions: NDArray[np.uint8]) -> Floats:
    """float64, of `SHAPE`: the expected turns of a play, of `SHAPE`, up to rounding; 0 where there is no state.

    The sets with the most scores come first. Those of one size lead to larger ones and to themselves alone: a linear
    system each, all of one shape, solved by LAPACK.

    Raises:
        CertificateError: the play does not finish for certain.
    """
    turns = np.zeros(SHAPE)
    chances = _weights() / _DENOMINATOR
    sizes = sum(np.arange(SHAPE[0]) >> bit & 1 for bit in range(TARGET - 1))
    for size in range(TARGET - 1, -1, -1):
        of_size = np.flatnonzero(sizes == size)
        for low in range(0, len(of_size), _CHUNK):
            sets = of_size[low : low + _CHUNK]
            inside = is_state(sets)
            scores = np.nonzero(inside)[1].reshape(len(sets), -1)
            if (played := actions[sets[:, None], scores]).max() >= len(DICE_COUNTS):
                raise CertificateError("its play throws a number of dice other than 0, 1 and 2")
            step = chances[scores, played]
            beyond = turns[_after(sets), np.arange(len(SCORES))] * ~inside
            within = np.take_along_axis(step, np.broadcast_to(scores[:, None, :], step.shape[:2] + scores.shape[1:]), 2)
            once = 1.0 + (step @ beyond[:, :, None])[..., 0]
            try:
                solved = np.linalg.solve(np.eye(scores.shape[1]) - within, once[..., None])[..., 0]
            except np.linalg.LinAlgError:
                raise CertificateError("its play does not finish for certain") from None
            if not (np.isfinite(solved) & (solved >= 1.0)).all():
                raise CertificateError("its play does not finish for certain")
            turns[sets[:, None], scores] = solved
    return turns


def full_set(actions: NDArray[np.uint8]) -> list[Fraction]:
    """The fewest expected turns from each score 0..20 when only 21 is left, proved by Bellman's equation in fractions.

    Args:
        actions: of `SHAPE`, the play; it is proved to be optimal there.

    Raises:
        CertificateError: it is not.
    """
    play = actions[ALL_SEEN, :TARGET].tolist()
    if max(play) >= len(DICE_COUNTS):
        raise CertificateError("its play throws a number of dice other than 0, 1 and 2")
    values = _solve([[_chance(s, play[s], to) for to in range(TARGET)] for s in range(TARGET)])
    for score in range(TARGET):
        for dice in DICE_COUNTS:
            if values[score] > 1 + sum(
                probability * values[to] for to, probability in throw(score, dice) if to < TARGET
            ):
                raise CertificateError(f"its play is not the best from {score} when only 21 is left")
    return values


def _chance(score: int, dice: int, to: int) -> Fraction:
    return next((probability for reached, probability in throw(score, dice) if reached == to), Fraction(0))


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
