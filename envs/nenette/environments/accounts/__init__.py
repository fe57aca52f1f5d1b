"""What somebody at the table would tell of a game: a sentence or two for each thing that happens, and the table."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from nenette.environments.accounts.demi_iles import DemiIlesAccount, SoloAccount
from nenette.environments.accounts.quatre21 import Quatre21Account
from nenette.environments.accounts.words import Cast
from nenette.games import Game
from nenette.games.demi_iles import DemiIles, DemiIlesSolo
from nenette.games.quatre21 import Quatre21

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


_ACCOUNTS: dict[type[Game[Any]], Callable[[Any, Cast], Account]] = {
    DemiIlesSolo: SoloAccount,
    DemiIles: DemiIlesAccount,
    Quatre21: Quatre21Account,
}


def make_account(game: Game[Any], learner: int | None, others: Sequence[str]) -> Account:
    """The teller of a game, who calls the learner "You" and the seats after it by the names of their policies.

    Without a learner (None), `others` are the names of all seats.

    Raises:
        ValueError: nobody can tell of such a game.
    """
    for kind, account in _ACCOUNTS.items():
        if isinstance(game, kind):
            return account(game, Cast(learner, others))
    raise ValueError(f"there is no account of {game.name}: render_mode is None")
