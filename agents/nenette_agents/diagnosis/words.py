"""States and moves as a player would say them, for any game."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.environments.accounts import make_account, make_speaker
from nenette.games import Game
from nenette_agents.play.story import where

__all__ = ["Words"]

_LEAST = 0.005
"""A move that is played less often is not named."""


class Words:
    """Tells states of a game of which the agent, called "it", is the mover."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        names = ["it", *("the other" for _ in range(game.players - 1))]
        self._speaker = make_speaker(make_account(game, None, names), game, None, names)

    def position(self, fields: Sequence[int] | NDArray[np.integer]) -> str:
        """Where the game stands, in a sentence or two."""
        return where(self._speaker, self._game.decode([int(value) for value in fields]), "; ")

    def common(self, fields: Sequence[int] | NDArray[np.integer]) -> str:
        """What lies before the mover, other things apart: "at 12", "with 6-4-2"."""
        state = self._game.decode([int(value) for value in fields])
        if hasattr(state, "dice"):
            return f"with {'-'.join(map(str, state.dice))}"
        return f"at {state.scores[self._game.seat(state)]}" if hasattr(state, "scores") else ""

    def move(self, fields: Sequence[int] | NDArray[np.integer], action: int) -> str:
        """An action, as an order: "throw two dice"."""
        return self._speaker.move(self._game.decode([int(value) for value in fields]), int(action))

    def play(self, fields: Sequence[int] | NDArray[np.integer], probabilities: NDArray[np.floating]) -> str:
        """What is played there: the moves, the likeliest first, with their probabilities if there are several.

        Args:
            fields: the state's.
            probabilities: (n_actions,): of each action.
        """
        moves: dict[str, float] = {}
        for action in np.flatnonzero(probabilities > 0).tolist():  # of equal dice it is the same which are thrown
            move = self.move(fields, action)
            moves[move] = moves.get(move, 0.0) + float(probabilities[action])
        ranked = sorted(((move, p) for move, p in moves.items() if p >= _LEAST), key=lambda one: -one[1])
        if len(ranked) == 1 and ranked[0][1] > 1 - _LEAST:
            return ranked[0][0]
        return ", ".join(f"{move} ({p:.0%})" for move, p in ranked)
