"""A review of a played game: the value of every choice, what was given away, and what was luck.

The value V of a position to a player is the win less the loss under optimal play of both from there on, in the game
that `nenette.exact.AnswerKey` judges by (for 21 des Demi-Îles the one with trembling hands). It is given as a *winning
chance*, (1 + V) / 2, so that a draw counts as half a win. Let Q(s, a) be the same of a choice. Then V(s) is the largest
Q(s, a), and for every game that was played to its end

    result = V₀ − Σ (V(s) − Q(s, a)), over own choices, + the same over the other's + luck,

where the luck of a throw is V(s') − Q(s, a), in the player's favour, and that of the opening V(first state) − V₀. It is
the method of `nenette.matches.luck` for a single game, with V for optimal play. In the game of trembling hands "luck"
holds, too, that no hand has trembled: at most a thousandth of what choices differ by.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nenette.exact import AnswerKey, Unsolvable, answer_key
from nenette.games import Game

__all__ = ["Chances", "Decision", "Move", "Review", "Throw", "review"]


class Move(NamedTuple):
    """An action that was taken in a game.

    Attributes:
        state: where.
        action: which.
        fallen: what fell, an outcome of `Game.chance`.
        after: the state that it led to.
    """

    state: Any
    action: int
    fallen: Any
    after: Any


class Chances:
    """The exact winning chances of a game that two play, wherever it stands.

    Attributes:
        epsilon: the probability with which each hand trembles in the game that they are of; 0: it does not.

    Raises:
        Unsolvable: the game is not solved, or it is not for two.
    """

    def __init__(self, game: Game[Any]) -> None:
        if game.players != 2:
            raise Unsolvable(f"exact chances are known for two players, and {game.name} has {game.players} here")
        self._game = game
        self._key: AnswerKey = answer_key(game)
        self.epsilon = self._key.epsilon

    def at_start(self, seat: int) -> float:
        """The winning chance of the player at `seat`, before the game has begun."""
        return sum(float(probability) * self.of(state, seat) for state, probability in self._game.initial())

    def of(self, state: Any, seat: int) -> float:
        """The winning chance of the player at `seat`, in a game that stands at `state` or has ended there."""
        returns = self._game.returns(state)
        if returns is not None:
            return (1.0 + returns[seat]) / 2
        mover = self._game.seat(state)
        chance = (1.0 + float(self._key.values[self._index(state)])) / 2
        return chance if mover == seat else 1.0 - chance

    def choices(self, state: Any) -> dict[int, float]:
        """The mover's winning chance with each legal action."""
        index = self._index(state)
        rows = self._key.rows[index]
        best = float(self._key.values[index])
        return {
            action: (1.0 + best - float(self._key.row_regrets[rows[action]])) / 2
            for action in self._game.legal_actions(state)
        }

    def _index(self, state: Any) -> int:
        return int(self._key.index(np.array([self._game.encode(state, self._game.seat(state))]))[0])


class Decision(NamedTuple):
    """A choice between several actions.

    Attributes:
        place: which move of the game it was, from 0.
        seat: whose.
        action: what was chosen, and `chance` the mover's winning chance with it.
        best: the best action, or the one chosen where it is as good, and `best_chance` the chance with that.
    """

    place: int
    seat: int
    action: int
    chance: float
    best: int
    best_chance: float

    @property
    def cost(self) -> float:
        """What was given away, in winning chance."""
        return self.best_chance - self.chance


class Throw(NamedTuple):
    """The luck of what fell.

    Attributes:
        place: which move of the game it was, from 0.
        luck: winning chance that it brought to the player whose review it is.
    """

    place: int
    luck: float


@dataclass(frozen=True)
class Review:
    """A game as one of its two players sees it.

    Attributes:
        seat: the player's.
        start: its winning chance before the game.
        opening: the luck of who begins.
        decisions: all choices, of both, in the game's order.
        throws: the luck of all that fell.
        last: its winning chance where the game ended, or stopped: 1, 0, or what is known there.
        result: 1 for a win, 0 for a loss, 1/2 for a game that was cut; None for one that was left.
    """

    seat: int
    start: float
    opening: float
    decisions: Sequence[Decision]
    throws: Sequence[Throw]
    last: float
    result: float | None

    @property
    def luck(self) -> float:
        """All luck of the game, in winning chance of the player's."""
        return self.opening + sum(throw.luck for throw in self.throws)

    @property
    def cut(self) -> float:
        """What the cut of the game brought; 0 where it was not cut."""
        return 0.0 if self.result is None else self.result - self.last

    def given_away(self, seat: int) -> float:
        """What the player at `seat` gave away, in its own winning chance."""
        return sum(decision.cost for decision in self.decisions if decision.seat == seat)

    def count(self, seat: int) -> int:
        """How many choices the player at `seat` had."""
        return sum(decision.seat == seat for decision in self.decisions)

    def costliest(self, seat: int, most: int = 3, least: float = 5e-5) -> list[Decision]:
        """The choices by which `seat` gave away most, the worst first; none that cost less than `least`."""
        own = [decision for decision in self.decisions if decision.seat == seat and decision.cost >= least]
        return sorted(own, key=lambda decision: (-decision.cost, decision.place))[:most]

    def report(self) -> dict[str, Any]:
        """One JSON object; all figures are winning chances, from 0 to 1."""
        sides = {"own": self.seat, "other": 1 - self.seat}
        return {
            "seat": self.seat,
            "result": self.result,
            "start": self.start,
            **{f"{side}_decisions": self.count(seat) for side, seat in sides.items()},
            **{f"{side}_given_away": self.given_away(seat) for side, seat in sides.items()},
            "luck": self.luck,
            "cut": self.cut,
            "last": self.last,
            "decisions": [{**decision._asdict(), "cost": decision.cost} for decision in self.decisions],
            "throws": [throw._asdict() for throw in self.throws],
        }


def review(game: Game[Any], moves: Sequence[Move], seat: int, *, cut: bool = False) -> Review:
    """Goes through a game of two.

    Args:
        game: what was played.
        moves: the game from its start, or as much of it as there is; at least one.
        seat: for whom.
        cut: whether it was cut, and drawn, after the last move.

    Raises:
        Unsolvable: the exact chances are not known.
        ValueError: there are no moves.
    """
    if not moves:
        raise ValueError("a game without a single move cannot be gone through")
    chances = Chances(game)
    decisions, throws = [], []
    for place, move in enumerate(moves):
        mover, choices = game.seat(move.state), chances.choices(move.state)
        taken = choices[move.action]
        best = max(choices, key=lambda action: (choices[action], action == move.action))
        if len(choices) > 1:
            decisions.append(Decision(place, mover, move.action, taken, best, choices[best]))
        before = taken if mover == seat else 1.0 - taken
        throws.append(Throw(place, chances.of(move.after, seat) - before))
    start, last = chances.at_start(seat), chances.of(moves[-1].after, seat)
    returns = game.returns(moves[-1].after)
    result = 0.5 if cut else None if returns is None else (1.0 + returns[seat]) / 2
    opening = chances.of(moves[0].state, seat) - start
    return Review(seat, start, opening, decisions, throws, last, result)
