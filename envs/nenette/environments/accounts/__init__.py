"""What somebody at the table would tell of a game: a sentence or two for each thing that happens, and the table."""

from collections.abc import Sequence
from typing import Any, Protocol

from nenette.environments.accounts.words import Cast
from nenette.games import Game, spec_of
from nenette.games.registry import referred

__all__ = ["Account", "make_account"]


class Account(Protocol):
    """Tells one game."""

    def start(self, state: Any) -> list[str]:
        """How the game begins, in lines."""
        ...

    def event(self, state: Any, action: int, fallen: Any, after: Any) -> list[str]:
        """What there is to say of an action, what fell, and the state after it: lines, none where nothing shows."""
        ...

    def table(self, state: Any, *, cut: bool) -> list[str]:
        """The table as it stands, in lines; `cut` says that the game ends here without a winner."""
        ...


class PlainAccount:
    """Tells any game: the actions by their numbers, what falls, and the fields of the table as they are called."""

    def __init__(self, game: Game[Any], cast: Cast) -> None:
        self.game = game
        self.cast = cast

    def start(self, state: Any) -> list[str]:
        """Who is first to move."""
        return [f"A game of {self.game.name}: {self.cast.then_does(self.game.seat(state), 'begin')}."]

    def event(self, state: Any, action: int, fallen: Any, after: Any) -> list[str]:
        """One line an action."""
        falls = "" if fallen is None else f": {fallen}"
        return [f"{self.cast.does(self.game.seat(state), 'take')} action {action}{falls}."]

    def table(self, state: Any, *, cut: bool) -> list[str]:
        """What the first seat sees, then what is next."""
        game = self.game
        seen = " · ".join(
            f"{name}: {value}" for name, value in zip(game.codec.names, game.fields(state, 0), strict=True)
        )
        returns = game.returns(state)
        if returns is not None:
            last = f"Over: {', '.join(f'{r:+g}' for r in returns)}."
        elif cut:
            last = "Cut here: nobody has won."
        else:
            last = f"{self.cast.does(game.seat(state), 'choose')}: {', '.join(map(str, game.legal_actions(state)))}?"
        return [f"  [ {seen} ]  {last}"]


def make_account(game: Game[Any], learner: int | None, others: Sequence[str]) -> Account:
    """The teller of a game, who calls the learner "You" and the seats after it by the names of their policies.

    Without a learner (None), `others` are the names of all seats.
    """
    spec = spec_of(game)
    teller = PlainAccount if spec is None or spec.account is None else referred(spec.account)
    account: Account = teller(game, Cast(learner, others))
    return account
