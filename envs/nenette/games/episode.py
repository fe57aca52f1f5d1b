"""An episode: one game as it is played, until it ends by its rules or is cut.

Environments and played matches play their games with it. `is_cut` decides for all of them when a game is cut, and for
compiled code, too.
"""

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

from nenette.games.game import Game

__all__ = ["Episode", "end_of", "is_cut", "nearest_legal"]

S = TypeVar("S")

Event = Callable[[S, int, Any, S], None]
"""Called with a state, the action taken there, what fell and the state after it."""


def is_cut(turns: int, max_turns: int, starts_turn: bool) -> bool:
    """Whether a game that goes on is cut: its turns, of all players together, are used up, and a new one would begin.

    It works on numbers, so that it can be compiled. Callers without a limit do not call it.
    """
    return turns >= max_turns and starts_turn


def end_of(game: Game[S], state: S, turns: int, max_turns: int | None) -> tuple[tuple[float, ...] | None, bool]:
    """Each seat's return where the game has ended by its rules, else None; and whether it is cut.

    Args:
        game: what is played.
        state: where it stands.
        turns: turns that have been begun, of all players together.
        max_turns: how many there are at most; None: as many as it takes.
    """
    returns = game.returns(state)
    if returns is not None or max_turns is None:
        return returns, False
    return None, is_cut(turns, max_turns, game.starts_turn(state))


class Episode(Generic[S]):
    """A game under way.

    Attributes:
        game: what is played.
        rng: the source of random numbers: a numpy Generator, or an object with its method `integers`.
        state: where the game stands.
        turns: turns that have been begun, of all players together.
        returns: each seat's return once the game has ended by its rules, else None.
        cut: whether the game has been cut: it is worth 0 to everybody.
    """

    def __init__(
        self,
        game: Game[S],
        rng: Any,
        state: S | None = None,
        turns: int = 0,
        *,
        max_turns: int | Literal["rules"] | None = "rules",
        event: Event[S] | None = None,
    ) -> None:
        """A game at its start, or continued from a state.

        Args:
            game: what is played.
            rng: see `Episode`.
            state: where the game continues; None: it starts, and its first state is drawn.
            turns: see `Episode`.
            max_turns: turns after which the game is cut; "rules" is what the game says, None never cuts.
            event: called after each action.
        """
        self.game = game
        self.rng = rng
        self.state: S = game.initial().sample(rng) if state is None else state
        self.turns = turns
        self._max_turns = game.max_turns if max_turns == "rules" else max_turns
        self._event = event
        self.returns, self.cut = end_of(game, self.state, turns, self._max_turns)

    @property
    def over(self) -> bool:
        """Whether the game has ended by its rules or has been cut."""
        return self.cut or self.returns is not None

    @property
    def mover(self) -> int:
        """The seat to move."""
        return self.game.seat(self.state)

    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions of the seat to move; in a game that was cut, of the seat whose move it would be."""
        return self.game.legal_actions(self.state)

    def play(self, action: int) -> float:
        """Plays a legal action of the seat to move, and returns that seat's reward for the turn, without `returns`."""
        game, state = self.game, self.state
        begins = game.starts_turn(state)
        self.turns += begins
        fallen = game.chance(state, action).sample(self.rng)
        self.state = after = game.follow(state, action, fallen).sample(self.rng)
        self.returns, self.cut = end_of(game, after, self.turns, self._max_turns)
        if self._event is not None:
            self._event(state, action, fallen, after)
        return game.turn_reward if begins else 0.0

    def stop(self) -> None:
        """Cuts the game where it stands, unless it has ended."""
        self.cut = self.returns is None


def nearest_legal(action: int, legal: tuple[int, ...]) -> int:
    """`action` itself, or else the legal action that differs from it in the fewest bits; the lowest of several."""
    return min(legal, key=lambda other: ((action ^ other).bit_count(), other))
