"""421, as played at a table."""

from collections.abc import Sequence

from nenette.games.quatre21 import STOP, Quatre21
from nenette.games.quatre21_observation import FOR_TWO
from nenette.games.quatre21_rules import COMBINATIONS, HANDS, Dice, strength, worth
from nenette.policies.registry import register
from nenette.policies.rule_of_thumb import RuleOfThumb

__all__ = ["AFond", "BeatIt", "Cautious", "throw_for_421"]

_GAME = "421"
_BEST: Dice = COMBINATIONS[0]
_ENOUGH = 2  # fiches
# Holding 421 and made to throw, one gives up the 2 first: the 4 and the 1 can still make 411, and never a nénette.
_GIVEN_UP = (2, 4, 1)


def throw_for_421(dice: Dice, frozen: int, legal: Sequence[int]) -> int:
    """The action that keeps one 4, one 2 and one 1 of the dice on the table and throws the others again.

    Frozen dice stay, and stand for their face where it is one of the three. Where all that is not frozen would be kept
    but stopping is not allowed, a single die is thrown again: the 2, else the 4, else the 1.
    """
    wanted, again = list(_BEST), 0
    for i in sorted(range(len(dice)), key=lambda i: not frozen >> i & 1):
        if dice[i] in wanted:
            wanted.remove(dice[i])
        elif not frozen >> i & 1:
            again |= 1 << i
    if again in legal:
        return again
    return min(legal, key=lambda action: (action.bit_count(), _GIVEN_UP.index(dice[action.bit_length() - 1])))


class _TablePlayer(RuleOfThumb):
    """Throws for 421 unless it is content with what lies on the table, and allowed to stop."""

    game: Quatre21

    def __init__(self, game: Quatre21) -> None:
        weakest = "the leader's throw" if game.players == FOR_TWO else "the weakest throw"
        self.looks_at = (weakest, "dice on the table", "frozen dice")
        super().__init__(game)

    def act(self, seen: Sequence[int], legal: Sequence[int]) -> int:
        """See `RuleOfThumb`."""
        weakest, hand, frozen = seen
        dice = HANDS[hand]
        if STOP in legal and (dice == _BEST or self.content(dice, weakest - 1)):
            return STOP
        return throw_for_421(dice, frozen, legal)

    def content(self, dice: Dice, to_beat: int) -> bool:
        """Whether to stop on `dice`; `to_beat` is the strength of the weakest throw so far, -1 for the leader."""
        return False


@register(_GAME, "a-fond")
class AFond(_TablePlayer):
    """Always à fond for the best throw.

    "I keep a 4, a 2 and a 1 and throw everything else again, as often as I may. Only 421 stops me."
    """

    name = "a-fond"


@register(_GAME, "cautious")
class Cautious(_TablePlayer):
    """Stops on anything worth two fiches or more.

    "A bird in the hand: what is worth two fiches or more I keep. With anything less I go for 421."
    """

    name = "cautious"

    def content(self, dice: Dice, to_beat: int) -> bool:
        """Worth at least two fiches."""
        return worth(dice, self.game.rules) >= _ENOUGH


@register(_GAME, "beat-it")
class BeatIt(_TablePlayer):
    """Leads à fond, and as follower stops once somebody is beaten: of two players, the leader.

    "When I lead I go à fond for 421. When I follow, I only have to beat what lies there, and stop as soon as I do."
    """

    name = "beat-it"

    def content(self, dice: Dice, to_beat: int) -> bool:
        """Stronger than the weakest throw, if there is one."""
        return 0 <= to_beat < strength(dice)
