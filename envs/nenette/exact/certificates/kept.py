"""The exact figures of a game that has been certified, kept beside its solution."""

from typing import Any

from nenette.exact import store
from nenette.games import Game


def keep(game: Game[Any], figures: dict[str, Any]) -> None:
    """Keeps the figures of a certificate that has been proved."""
    store.write(store.path(game, "certified"), {}, figures)


def exact_figures(game: Game[Any]) -> dict[str, Any]:
    """As `nenette solve` shows them: `exact` is the exact `value`, exact_NAME the exact figure of that name.

    Empty where the game has not been certified on this machine.
    """
    kept = store.read(store.path(game, "certified"))
    figures = kept[1] if kept is not None else {}
    return {"exact" if name == "value" else f"exact_{name}": figure for name, figure in figures.items()}
