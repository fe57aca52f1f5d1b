"""How two players play, as far as it shows in games that were watched.

Where a player was asked, its play is the mean of the probabilities that it gave. Elsewhere it is guessed from the
states that are most alike among those where it was asked: those that agree in all fields but the first, or but the
first two, and so on, for games put the fields that matter least to a throw first (in 421: the fiches de manche, then
the fiches, the bank, the leader's throw, down to the dice on the table). Where no state is alike, play is taken to be
optimal.

A wrong guess makes no result wrong. It serves as a forecast by which luck is measured, and a result without its luck
has the right mean whatever the forecast is. A better guess finds more of the luck.
"""

import numpy as np
from numpy.typing import NDArray

from nenette.exact import AnswerKey
from nenette.matches.luck import Step, Tracker

__all__ = ["Observer"]

Floats = NDArray[np.float64]

_TRUST_IN_GUESSES = 0.01
"""What a guess from less similar states counts, in decisions watched."""


class Observer(Tracker):
    """Watches games, from either seat one after the other, and says how both players play.

    Args:
        key: the game's.
    """

    def __init__(self, key: AnswerKey) -> None:
        super().__init__(key, 0)
        self._given = np.zeros((2, key.model.n_rows))

    def at_seat(self, seat: int) -> "Observer":
        """Itself, ready for games in which player A sits at `seat`."""
        self.seat = seat
        return self

    def _saw(self, step: Step) -> None:
        for side in (0, 1):
            legal = (step.rows >= 0) & (step.side == side)[:, None]
            np.add.at(self._given[side], step.rows[legal], step.probabilities[legal])

    def behaviour(self, side: int) -> Floats:
        """float64, (n_rows,): how player A (side 0) or the other (side 1) plays."""
        model = self.key.model
        guess = self.key.optimum
        keys = model.game.codec.keys(model.fields)
        values = [feature.values for feature in model.game.codec.features]
        for last in range(1, len(values) + 1):  # agreeing in ever more of the last fields
            span = np.prod(values[-last:])
            _, group = np.unique(keys % span, return_inverse=True)
            cell = group[model.row_state] * model.game.n_actions + model.row_action
            given = np.bincount(cell, self._given[side])[cell]
            all_given = np.add.reduceat(given, model.row_start[:-1])[model.row_state]
            guess = (given + _TRUST_IN_GUESSES * guess) / (all_given + _TRUST_IN_GUESSES)
        return guess
