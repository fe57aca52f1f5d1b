"""21 des Demi-Îles with several players, as played at a table."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache

from nenette.games.demi_iles import DICE_COUNTS, TARGET, throw
from nenette.policies.registry import register
from nenette.policies.rule_of_thumb import RuleOfThumb

__all__ = ["Blocker", "Greedy", "chance_of_21", "greedy_dice", "threat"]

_GAME = "demi-iles"


@cache
def chance_of_21(score: int, dice: int) -> Fraction:
    """The chance that throwing `dice` dice from `score` lands on 21."""
    return next((probability for reached, probability in throw(score, dice) if reached == TARGET), Fraction(0))


@cache
def _expected_score(score: int, dice: int) -> Fraction:
    return sum((reached * probability for reached, probability in throw(score, dice)), Fraction(0))


def greedy_dice(score: int, among: Iterable[int]) -> int:
    """Of these numbers of dice the one most likely to land on 21, then the one with the highest expected score.

    No score is above 21, so the highest expected score is also the one nearest to 21. Of equals, the fewest dice.
    """
    return max(sorted(among), key=lambda dice: (chance_of_21(score, dice), _expected_score(score, dice)))


@cache
def threat(scores: tuple[int, ...], dice: int) -> Fraction:
    """The chance that one of the others lands on 21 at once, each throwing as is best for that.

    `scores` are the others'; each has lost `dice` by then. What they would do to each other in between is left out.
    """
    nobody = Fraction(1)
    for score in scores:
        nobody *= 1 - max(chance_of_21(max(0, score - dice), thrown) for thrown in DICE_COUNTS)
    return 1 - nobody


@register(_GAME, "greedy")
class Greedy(RuleOfThumb):
    """Runs for 21 and looks at nobody.

    "I throw the dice that are most likely to land me on 21 right now. If none can, the ones that take me highest."
    """

    name = "greedy"
    looks_at = ("own score",)

    def act(self, seen: Sequence[int], legal: Sequence[int]) -> int:
        """See `RuleOfThumb`."""
        return greedy_dice(seen[0], legal)


@register(_GAME, "blocker")
class Blocker(RuleOfThumb):
    """Blocks first, then runs.

    "If one of the others could win with their next throw as they stand, I throw the number of dice that leaves them the
    smallest chance, since each die I throw takes one from their scores. Where that leaves me a choice, or if nobody is
    near winning, I run for 21 like anybody."
    """

    name = "blocker"

    def act(self, seen: Sequence[int], legal: Sequence[int]) -> int:
        """See `RuleOfThumb`."""
        own, *others = seen[:-1]
        scores = tuple(others)
        if not threat(scores, 0):
            return greedy_dice(own, legal)
        least = min(threat(scores, dice) for dice in legal)
        return greedy_dice(own, [dice for dice in legal if threat(scores, dice) == least])
