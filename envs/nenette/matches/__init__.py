"""Policies against each other: played, and scored exactly where the game is solved."""

from nenette.matches.sampled import Played, play
from nenette.matches.score import Score, score

__all__ = ["Played", "Score", "play", "score"]
