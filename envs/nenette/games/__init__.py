"""The rules of the games: pure functions with exact odds, and states that are named tuples."""

from nenette.games.catalogue import GAMES, make_game
from nenette.games.distribution import Distribution
from nenette.games.game import Game

__all__ = ["GAMES", "Distribution", "Game", "make_game"]
