"""What somebody at the table would tell of a game: a sentence or two for each thing that happens, and the table."""

from collections.abc import Sequence
from typing import Any, Protocol

from nenette.environments.accounts.speaker import Speaker
from nenette.environments.accounts.words import Cast
from nenette.games import Game, spec_of
from nenette.games.registry import referred

__all__ = ["Account", "make_account", "make_speaker"]

_YOU = {"fr": "Toi"}


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


class PlainAccount(Speaker):
    """Tells any game: the actions by their numbers, what falls, and the fields of the table as they are called."""

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
        over = cut or game.returns(state) is not None
        last = self.ending(state, cut=cut) if over else self.question(state)
        return [f"  [ {self.phase(state)} ]  {last}"]


def make_account(game: Game[Any], learner: int | None, others: Sequence[str], language: str = "en") -> Account:
    """The teller of a game, who calls the learner "You" and the seats after it by the names of their policies.

    Without a learner (None), `others` are the names of all seats. A game without an account in `language` has one in
    English.
    """
    spec = spec_of(game)
    translated = None if spec is None else spec.translations.get(language)
    teller = PlainAccount if spec is None or spec.account is None else referred(translated or spec.account)
    you = _YOU.get(language, "You") if translated else "You"
    account: Account = teller(game, Cast(learner, others, you=you))
    return account


def make_speaker(account: Account, game: Game[Any], learner: int | None, others: Sequence[str]) -> Speaker:
    """Who asks a person that plays: the account itself where it can, or else one that speaks of numbered actions."""
    return account if isinstance(account, Speaker) else PlainAccount(game, Cast(learner, others))
