"""21 des Demi-Îles alone, as played at a table."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from nenette.games.demi_iles import DICE_COUNTS, SCORES, TARGET, throw
from nenette.policies.registry import register
from nenette.policies.rule_of_thumb import RuleOfThumb

__all__ = ["Climber", "Collector", "best_throws", "throws_away"]

_GAME = "demi-iles-solo"
_FINISH = frozenset({TARGET})


@lru_cache(maxsize=1 << 14)
def throws_away(goals: frozenset[int]) -> tuple[int, ...]:
    """How many throws, with luck, each score (0..21) is from standing on one of `goals`; 0 on a goal itself."""
    away = dict.fromkeys(goals, 0)
    distance = 0
    while len(away) < len(SCORES):
        distance += 1
        near = [
            s for s in SCORES if s not in away and any(set(throw(s, k).outcomes) & away.keys() for k in DICE_COUNTS)
        ]
        if not near:
            break
        away.update(dict.fromkeys(near, distance))
    return tuple(away.get(score, len(SCORES)) for score in SCORES)


@lru_cache(maxsize=1 << 14)
def best_throws(goals: frozenset[int]) -> tuple[int, ...]:
    """From each score (0..21) the number of dice most likely to land on one of `goals`, or a throw nearer to them.

    Landing on a goal is what counts where one throw can do it. Of equals, the fewest dice. Whoever plays on like that
    gets there for certain: each throw has a chance to come nearer, and there are finitely many scores.
    """
    away = throws_away(goals)

    def chance(score: int, dice: int) -> Fraction:
        wanted = min(away[reached] for k in DICE_COUNTS for reached in throw(score, k).outcomes)
        return sum((odds for reached, odds in throw(score, dice) if away[reached] == wanted), Fraction(0))

    return tuple(max(DICE_COUNTS, key=lambda dice: chance(score, dice)) for score in SCORES)


def _missing(seen: Sequence[int]) -> list[int]:
    """The scores never stood on, ascending, from the bits of 1..20."""
    return [score for score, stood_on in enumerate(seen, start=1) if not stood_on]


@register(_GAME, "collector")
class Collector(RuleOfThumb):
    """Takes whatever is missing, in any order.

    "I throw the dice that are most likely to land on a score I still need. If none can, the ones most likely to bring
    me a throw nearer to one. When I have all of them, I do the same for 21."
    """

    name = "collector"

    def act(self, seen: Sequence[int], legal: Sequence[int]) -> int:
        """See `RuleOfThumb`."""
        score, *stood_on = seen
        return best_throws(frozenset(_missing(stood_on)) or _FINISH)[score]


@register(_GAME, "climber")
class Climber(RuleOfThumb):
    """Ticks the scores off in order.

    "I want the lowest score that I still need and nothing else: I throw the dice most likely to land on it, or to bring
    me a throw nearer to it. Others that I happen to land on count, of course. When I have all of them, I go for 21."
    """

    name = "climber"

    def act(self, seen: Sequence[int], legal: Sequence[int]) -> int:
        """See `RuleOfThumb`."""
        score, *stood_on = seen
        return best_throws(frozenset(_missing(stood_on)[:1]) or _FINISH)[score]
