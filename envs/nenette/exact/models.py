"""The models of the games that can be written out."""

from itertools import product
from typing import Any

from nenette.exact.enumeration import enumerate_game
from nenette.exact.model import Model
from nenette.exact.responses import Unsolvable
from nenette.games import Game, spec_of
from nenette.games.demi_iles import TARGET, DemiIles, DemiIlesSolo, State
from nenette.games.registry import referred
from nenette.games.variations import replaced_rules


def demi_iles_model(game: DemiIles) -> Model:
    """All pairs of scores, those included that no game comes to."""
    if game.players > 2:
        raise Unsolvable(f"demi-iles is solved for two players; with {game.players} it is no zero-sum game of two")
    return enumerate_game(game, (State(scores, 0) for scores in product(range(TARGET), repeat=2)))


def model_of(game: Game[Any]) -> Model:
    """All states of `game` as arrays: 441 for demi-iles with two players, 148,252 for a manche of 421, 593,008 a match.

    A game that has a quick way of its own (`GameSpec.model`) is written out that way; any other, variations of those
    included, by walking through its states.

    Raises:
        Unsolvable: the game cannot be written out.
    """
    spec = spec_of(game)
    if isinstance(game, DemiIlesSolo):
        changed = ", ".join(rule.where for rule in replaced_rules())
        variation = f"{changed}, which was replaced" if changed else f"the variation {type(game).__name__}"
        raise Unsolvable(
            f"{game.name} has 12.6 million states, too many to be written out"
            + ("" if spec else f": it is solved by its own solver, which does not know {variation}")
        )
    if spec is not None and spec.model is not None:
        model: Model = referred(spec.model)(game)
        return model
    return enumerate_game(game)
