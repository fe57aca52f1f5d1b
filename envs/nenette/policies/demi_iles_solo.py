"""21 des Demi-Îles alone, as played at a table.

Sets of scores are bits here, bit s for score s, so that a rule is worked out for many situations at once: there are
twelve million.
"""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.games.demi_iles import DICE_COUNTS, SCORES, TARGET, throw
from nenette.policies.policy import Masks, Observations
from nenette.policies.registry import register
from nenette.policies.rule_of_thumb import RuleOfThumb

__all__ = ["Climber", "Collector", "best_throws"]

Ints = NDArray[np.int64]

_GAME = "demi-iles-solo"
_HALF = len(SCORES) // 2
_LOW = (1 << _HALF) - 1
_COMMON = 36  # probabilities of throws are multiples of 1/36; counting in these leaves ties exact
_FINISH = 1 << TARGET
_NEEDED = _FINISH - 2  # 1..20


class _Halves(NamedTuple):
    """What is added up over a set of scores, by the bits of its lower and of its upper half.

    Attributes:
        chances: int64, (2, 2048, 22, 3): 36 times the chance that a throw from a score lands on one of them.
        before: int64, (2, 2048): bits of the scores from which some throw may land on one of them.
    """

    chances: Ints
    before: Ints


@cache
def _halves() -> _Halves:
    weights = np.zeros((len(SCORES), len(SCORES), len(DICE_COUNTS)), dtype=np.int64)  # by reached, score, dice
    for score in SCORES:
        for dice in DICE_COUNTS:
            for reached, probability in throw(score, dice):
                weights[reached, score, dice] = int(probability * _COMMON)
    bits = np.arange(1 << _HALF)[:, None] >> np.arange(_HALF) & 1
    chances = np.stack([np.tensordot(bits, weights[first : first + _HALF], 1) for first in (0, _HALF)])
    before = (chances > 0).any(axis=3) @ (1 << np.arange(len(SCORES)))
    return _Halves(chances, before)


def best_throws(scores: Ints, goals: Ints) -> Ints:
    """The number of dice most likely to land on a goal, or a throw nearer to one; of equals, the fewest.

    Landing on a goal is what counts where one throw can do it. Whoever plays on like that gets there for certain: each
    throw has a chance to come nearer, and there are finitely many scores.

    Args:
        scores: int64, (n,): where to throw from.
        goals: int64, (n,): bits of the scores wanted, not that one.

    Returns:
        int64, (n,): numbers of dice.
    """
    chances, before = _halves()
    near = goals.copy()
    for _ in SCORES:
        leading = before[0][near & _LOW] | before[1][near >> _HALF]
        far = np.flatnonzero(leading >> scores & 1 == 0)
        if not len(far):
            break
        near[far] |= leading[far]
    best: Ints = (chances[0][near & _LOW, scores] + chances[1][near >> _HALF, scores]).argmax(axis=1)
    return best


class _GoalSeeker(RuleOfThumb):
    """Somebody who has scores in mind, and throws whatever is likeliest to lead there."""

    @abstractmethod
    def goals(self, missing: Ints) -> Ints:
        """Bits of the scores wanted, from those of the scores never stood on, at least one a row; both int64 (n,)."""

    def dice(self, scores: Ints, missing: Ints) -> Ints:
        """int64, (n,): the numbers of dice thrown from scores (n,) with the bits of those still missing (n,)."""
        return best_throws(scores, np.where(missing > 0, self.goals(missing), _FINISH))

    def act(self, seen: Sequence[int], legal: Sequence[int]) -> int:
        """See `RuleOfThumb`."""
        fields = np.array([seen], dtype=np.int64)
        return int(self._dice(fields)[0])

    def _actions(self, observations: Observations, masks: Masks) -> Ints:
        return self._dice(self.game.codec.decode(observations))

    def _dice(self, fields: Ints) -> Ints:
        stood_on = fields[:, 1:] @ (1 << np.arange(1, TARGET))
        return self.dice(fields[:, 0], _NEEDED & ~stood_on)


@register(_GAME, "collector")
class Collector(_GoalSeeker):
    """Takes whatever is missing, in any order.

    "I throw the dice that are most likely to land on a score I still need. If none can, the ones most likely to bring
    me a throw nearer to one. When I have all of them, I do the same for 21."
    """

    name = "collector"

    def goals(self, missing: Ints) -> Ints:
        """All that is missing."""
        return missing


@register(_GAME, "climber")
class Climber(_GoalSeeker):
    """Ticks the scores off in order.

    "I want the lowest score that I still need and nothing else: I throw the dice most likely to land on it, or to bring
    me a throw nearer to it. Others that I happen to land on count, of course. When I have all of them, I go for 21."
    """

    name = "climber"

    def goals(self, missing: Ints) -> Ints:
        """The lowest of those missing."""
        return missing & -missing
