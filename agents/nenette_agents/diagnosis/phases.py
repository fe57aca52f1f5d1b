"""The phases of each game: what a state is sorted by before it is asked where an agent loses."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.games.demi_iles import DICE_COUNTS, SCORES, TARGET, DemiIles, DemiIlesSolo, throw
from nenette.games.quatre21 import Quatre21

__all__ = ["common_field", "missing_words", "phases_of"]

Ints = NDArray[np.int64]
Fields = NDArray[np.integer]
Sorter = Callable[[Game[Any], Fields], tuple[tuple[str, ...], Ints]]


def phases_of(game: Game[Any], fields: Fields) -> tuple[tuple[str, ...], Ints]:
    """The names of the game's phases, in order, and which of them each state is in.

    A game of somebody else's has one phase, "the whole game".

    Args:
        game: what is played.
        fields: (n, fields): the states as their mover sees them.

    Returns:
        The names, and int64 (n,): an index into them.
    """
    for kind, sorter in _SORTERS.items():
        if isinstance(game, kind):
            return sorter(game, fields)
    return ("the whole game",), np.zeros(len(fields), dtype=np.int64)


def common_field(game: Game[Any]) -> int | None:
    """The field of the observation by which mistakes are put together; None: by none."""
    for kind, name in _COMMON.items():
        if isinstance(game, kind):
            return game.codec.names.index(name)
    return None


@lru_cache(maxsize=1)
def _can_win() -> NDArray[np.bool_]:
    """bool, (21,): from which scores a single throw can reach 21; read from the rules."""
    wins = [any(TARGET in throw(score, dice).outcomes for dice in DICE_COUNTS) for score in SCORES[:TARGET]]
    return np.array(wins)


def _demi_iles(game: Game[Any], fields: Fields) -> tuple[tuple[str, ...], Ints]:
    others_win = _can_win()[fields[:, 1 : game.players]].any(axis=1)
    place = 2 * others_win + _can_win()[fields[:, 0]]
    names = (
        "nobody can reach 21 with one throw",
        "only the mover can reach 21 with one throw",
        "only the other can reach 21 with one throw",
        "both can reach 21 with one throw",
    )
    return names, place.astype(np.int64)


def _quatre21(game: Game[Any], fields: Fields) -> tuple[tuple[str, ...], Ints]:
    column = {name: fields[:, place] for place, name in enumerate(game.codec.names)}
    follows = column["the other leads"]
    place = 2 * follows + np.clip(column["throws made"] - 1, 0, 1)
    names = tuple(f"{role}, after the {throws} throw" for role in ("leading", "following") for throws in ("1st", "2nd"))
    return names, place.astype(np.int64)


def missing_words(missing: int) -> str:
    """The phase of the solo game in which so many scores are missing."""
    return f"{missing} of 20 scores missing" if missing else "only 21 is missing"


def _solo(game: Game[Any], fields: Fields) -> tuple[tuple[str, ...], Ints]:
    scores = TARGET - 1
    return tuple(map(missing_words, range(scores, -1, -1))), fields[:, 1:].sum(axis=1).astype(np.int64)


_SORTERS: dict[type[Game[Any]], Sorter] = {DemiIles: _demi_iles, DemiIlesSolo: _solo, Quatre21: _quatre21}
_COMMON: dict[type[Game[Any]], str] = {DemiIles: "own score", Quatre21: "dice on the table"}
