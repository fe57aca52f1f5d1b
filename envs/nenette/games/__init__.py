"""The rules of the games: pure functions with exact probabilities, and states that are named tuples."""

from nenette.games.catalogue import OURS
from nenette.games.distribution import Distribution
from nenette.games.game import Game
from nenette.games.registry import GAMES, GameSpec, make_game, register, spec_of

__all__ = ["GAMES", "OURS", "Distribution", "Game", "GameSpec", "make_game", "register", "spec_of"]
