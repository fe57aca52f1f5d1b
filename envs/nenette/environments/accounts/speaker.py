"""What a person who plays has to know beside the account: the counters on the table, the question, the moves.

It stands beside what tells the game, so that a move has one wording wherever it is spoken of.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nenette.environments.accounts.words import Cast
from nenette.games import Game

__all__ = ["Speaker", "Tally"]


class Tally(NamedTuple):
    """A number that every seat has, such as its fiches.

    Attributes:
        label: what is counted.
        numbers: each seat's.
        out_of: the most that a seat can have; None where there is no such number.
    """

    label: str
    numbers: Sequence[int]
    out_of: int | None = None


class Speaker:
    """Speaks of any game by the numbers of its actions; the accounts of our games know better.

    Attributes:
        game: what is played.
        cast: who plays.
        names_faces: whether the account says which faces fell, so that they need not be said again.
    """

    names_faces: bool = False

    nobody_won: str = "Cut here: nobody has won."

    def __init__(self, game: Game[Any], cast: Cast) -> None:
        self.game: Any = game
        self.cast = cast

    def called(self, seat: int) -> str:
        """A player's name within a sentence."""
        return self.cast.called(seat)

    def tallies(self, state: Any) -> list[Tally]:
        """The counters on the table."""
        return []

    def phase(self, state: Any) -> str:
        """What else there is to know of the table, in a few words; may be nothing."""
        fields = zip(self.game.codec.names, self.game.encode(state, 0), strict=True)
        return " · ".join(f"{name}: {value}" for name, value in fields)

    def lies(self, state: Any) -> str:
        """What lies before the mover, in a few words; may be nothing."""
        return ""

    def ending(self, state: Any, *, cut: bool) -> str:
        """How the game has ended, in a sentence."""
        if cut:
            return self.nobody_won
        returns = self.game.returns(state) or ()
        return f"Over: {', '.join(f'{one:+g}' for one in returns)}."

    def question(self, state: Any) -> str:
        """What the mover is asked, in a sentence."""
        return f"{self.cast.does(self.game.seat(state), 'choose')}: {', '.join(self.keys(state))}?"

    def keys(self, state: Any) -> Mapping[str, int]:
        """What may be typed, and which action it means: one key for each move that differs from the others."""
        return {str(action): action for action in self.game.legal_actions(state)}

    def read(self, state: Any, text: str) -> int | None:
        """The action that somebody means who types `text`; None if that is no move here."""
        return self.keys(state).get(text.strip().lower())

    def move(self, state: Any, action: int) -> str:
        """An action as a person calls it, as an order: "throw two dice"."""
        return f"action {action}"

    def dice(self, state: Any, action: int, fallen: Any, rng: np.random.Generator) -> tuple[int, ...]:
        """The faces to show of what fell; drawn, with `rng`, where the account names a throw by what it leads to."""
        return ()
