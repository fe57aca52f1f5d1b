"""Runs that were trained with games of other lengths, scored alike: in the game as it ships."""

from pathlib import Path
from typing import Any

from nenette.games import make_game
from nenette.matches import score
from nenette.policies import load_opponent
from nenette_agents.runs.folders import open_run

__all__ = ["as_shipped", "in_order"]


def as_shipped(outcome: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a training, with the score of its policy in the game with its default `max_turns`.

    Raises:
        ValueError: the run was trained with other rules than the default ones, apart from `max_turns`.
    """
    folder, reported = Path(outcome["run"]), outcome["score"]
    game = make_game(reported["game"])
    if open_run(folder)[1].make_game().max_turns == game.max_turns:
        return outcome
    found = score(load_opponent(folder, game), game, reported["against"]).report()
    return {**outcome, "score": {**reported, **found}}


def in_order(outcomes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By game, PPO before DQN, whichever was trained first."""
    return sorted(outcomes, key=lambda outcome: (outcome["score"]["game"], outcome["algorithm"] != "ppo"))
