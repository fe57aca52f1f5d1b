"""Policies against each other: played, and scored exactly where the game is solved."""

from nenette.matches.cross_table import CrossTable, cross_table
from nenette.matches.sample import Adjustment
from nenette.matches.sampled import Played, play
from nenette.matches.score import Score, score

__all__ = ["Adjustment", "CrossTable", "Played", "Score", "cross_table", "play", "score"]
