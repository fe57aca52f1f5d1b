"""The exact figures of a game that has been certified, cached beside its solution."""

from typing import Any

from nenette.exact import store
from nenette.games import Game

__all__ = ["cache_figures", "exact_figures"]


def cache_figures(game: Game[Any], figures: dict[str, Any]) -> None:
    """Writes the figures of a certificate that has been proved to the cache."""
    store.write(store.path(game, "certified"), {}, figures)


def exact_figures(game: Game[Any]) -> dict[str, Any]:
    """The figures as `nenette solve` shows them: `exact` is the exact `value`, exact_NAME another exact figure.

    Empty where the game has not been certified on this machine.
    """
    cached = store.read(store.path(game, "certified"))
    figures = cached[1] if cached is not None else {}
    return {"exact" if name == "value" else f"exact_{name}": figure for name, figure in figures.items()}
