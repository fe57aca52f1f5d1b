"""Looking states up in tables that are sorted by key."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game

__all__ = ["find_states"]


def find_states(keys: NDArray[np.int64], asked: NDArray[np.int64], game: Game[Any]) -> NDArray[np.int64]:
    """int64, (n,): where the states with the keys `asked`, (n,), stand in a table.

    Args:
        keys: int64, ascending: those of the table's states.
        asked: `game.codec.keys` of the states.
        game: for the error's text.

    Raises:
        ValueError: a state is not in the table: nothing is left to decide there.
    """
    where = np.searchsorted(keys, asked).clip(max=len(keys) - 1)
    if not np.array_equal(keys[where], asked):
        raise ValueError(f"a state was given in which no move is to be made in {game.name}")
    return where
