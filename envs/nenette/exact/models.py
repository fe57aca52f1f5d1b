"""The models of the games that can be written out."""

from collections.abc import Callable
from itertools import product
from typing import Any

from nenette.exact.enumeration import enumerate_game
from nenette.exact.model import Model
from nenette.exact.quatre21_model import quatre21_model
from nenette.exact.responses import Unsolvable
from nenette.games import Game
from nenette.games.demi_iles import TARGET, DemiIles, State
from nenette.games.quatre21 import Quatre21


def _demi_iles_model(game: DemiIles) -> Model:
    if game.players > 2:
        raise Unsolvable(f"demi-iles is solved for two players; with {game.players} it is no zero-sum game of two")
    return enumerate_game(game, (State(scores, 0) for scores in product(range(TARGET), repeat=2)))


_MAKERS: dict[str, Callable[[Any], Model]] = {DemiIles.name: _demi_iles_model, Quatre21.name: quatre21_model}


def model_of(game: Game[Any]) -> Model:
    """All states of `game` as arrays: 441 for demi-iles with two players, 148,252 for a manche of 421, 593,008 a match.

    Raises:
        Unsolvable: the game cannot be written out.
    """
    maker = _MAKERS.get(game.name)
    if maker is None:
        raise Unsolvable(f"{game.name} is not solved here; {' and '.join(_MAKERS)} are")
    return maker(game)
