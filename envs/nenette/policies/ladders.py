"""Ladders: the tables at which opponents are rated, by name: `demi-iles`, or `demi-iles-3` for three players of it.

A game's own name stands for its default rules. With a number of players behind it, it stands for the default rules but
for that number.
"""

import re
from dataclasses import fields
from typing import Any

from nenette.games import GAMES, OURS, Game, make_game
from nenette.games.checks import check_choice
from nenette.games.registry import find

__all__ = ["LADDERS", "TABLES", "ladder_game", "ladder_of", "reference_of", "table_named"]

TABLES = {"demi-iles-3": "equilibrium", "421-3": "cautious"}
"""Tables of more than two at which opponents come with the package, and whom their cards are against: an equilibrium,
or where none is known the best rule of thumb.
"""
LADDERS = (*OURS, *TABLES)
"""All ladders that come with the package."""
_TABLE = re.compile(r"(?P<game>.+)-(?P<players>[2-6])")


def table_named(name: str) -> Game[Any] | None:
    """The game with so many players that "demi-iles-3" names; None where it names no such table."""
    found = _TABLE.fullmatch(name)
    if found is None or name in GAMES or found["game"] not in GAMES:
        return None
    spec, players = find(found["game"]), int(found["players"])
    if "players" not in {field.name for field in fields(spec.rules)}:
        return None
    return spec.make(players=players)


def ladder_game(name: str) -> Game[Any]:
    """The game of a ladder.

    Raises:
        ValueError: there is no game of that name.
    """
    table = table_named(name)
    if table is not None:
        return table
    check_choice("a game", name, GAMES)
    return make_game(name)


def ladder_of(game: Game[Any]) -> str:
    """The name of the ladder of `game`: its own, with the number of players where that is not the default one."""
    if game.name in GAMES and game.players != find(game.name).make().players:
        return f"{game.name}-{game.players}"
    return game.name


def reference_of(game: Game[Any]) -> str:
    """Whom the figures on the cards of the ladder of `game` are against; it sits at all other seats."""
    return TABLES.get(ladder_of(game), "optimal")
