"""Games that somebody has made out of ours by a subclass, or that are like ours in name only."""

from dataclasses import dataclass
from typing import Any

from nenette.games.demi_iles import DemiIles, DemiIlesSolo, State
from nenette.games.quatre21 import Quatre21, Quatre21Rules


class Loser(DemiIles):
    """Whoever stands on 21 loses."""

    def returns(self, state: State) -> tuple[float, ...] | None:
        paid = super().returns(state)
        return None if paid is None else tuple(-x for x in paid)


class Mine(Loser):
    """The same under a name of its own."""

    name = "mine"


class Helped(DemiIles):
    """Plays what its parent plays: only things of its own are added."""

    def highest(self, state: State) -> int:
        return max(state.scores)


class SlowSolo(DemiIlesSolo):
    """Two for each turn."""

    turn_reward = -2.0


class OtherWayRound(Quatre21):
    """Whoever loses the match has won it."""

    def returns(self, state: Any) -> tuple[float, ...] | None:
        paid = super().returns(state)
        return None if paid is None else tuple(-x for x in paid)


@dataclass(frozen=True)
class RulesOfTomorrow(Quatre21Rules):
    """The rules of 421 with a field more, whose default changes nothing."""

    with_jokers: bool = False
