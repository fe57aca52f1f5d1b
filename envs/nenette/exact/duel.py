"""A single round of 421 between perfect players, to the last digit.

A duel over one fiche: the leader throws up to three times, the follower at most as often, the better throw wins and a
tie is worth one half. It has no cycles, so it is solved backwards in rational numbers.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from nenette.games.quatre21 import THROW
from nenette.games.quatre21_rules import COMBINATIONS, HANDS, MAX_THROWS, Dice, strength, throw


def leaders_chance() -> Fraction:
    """The chance that the leader wins a duel over one fiche, a tie counting one half, under perfect play by both."""
    return _best_turn(lambda dice, thrown: 1 - _followers_chance(dice, thrown), MAX_THROWS)


@cache
def _followers_chance(leaders: Dice, limit: int) -> Fraction:
    def chance(dice: Dice, thrown: int) -> Fraction:
        mine, other = strength(dice), strength(leaders)
        return Fraction((mine > other) * 2 + (mine == other), 2)

    return _best_turn(chance, limit)


def _best_turn(chance: Callable[[Dice, int], Fraction], limit: int) -> Fraction:
    """What a turn of up to `limit` throws is worth, when stopping with dice after so many throws is worth `chance`."""
    standing = {dice: chance(dice, limit) for dice in COMBINATIONS}
    for thrown in range(limit - 1, 0, -1):
        thrown_again = {kept: _mean(standing, kept) for kept in HANDS if len(kept) < 3}
        standing = {
            dice: max(chance(dice, thrown), *(thrown_again[kept] for kept in _subsets(dice))) for dice in COMBINATIONS
        }
    return _mean(standing, ())


def _mean(values: dict[Dice, Fraction], kept: Dice) -> Fraction:
    outcomes = throw(kept)
    weighted = sum(w * values[dice] for dice, w in zip(outcomes.outcomes, outcomes.weights, strict=True))
    return Fraction(weighted) / outcomes.total


def _subsets(dice: Dice) -> set[Dice]:
    """What can be kept when at least one die is thrown again."""
    return {tuple(die for i, die in enumerate(dice) if not action >> i & 1) for action in range(1, THROW + 1)}
