"""What a game is worth wherever it stands, when both players play in fixed ways.

All values are player A's. Side 0 is where A is to move, side 1 where the opponent is. A row's value is the expected
value of what the action leads to, so that the value of a state is the mean of its rows' values, by the odds with which
they are taken, and an outcome's value less that of its row has mean 0: the luck of the throw.
"""

from dataclasses import dataclass

import numpy as np

from nenette.exact.chain import Follower, by_side, sweep
from nenette.exact.model import Floats, Model
from nenette.exact.sweeps import FIXED

MAX_FORECAST = 1000
"""The most turns for which a forecast says what each turn more is worth."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """Values by the turns that are left before the game is cut, or one for all where it is not cut.

    Attributes:
        model: the game.
        values: float64, (turns + 1 or 1, n_states, 2): of each state on each side; nothing once no turn is left.
        rows: float64, (turns + 1 or 1, n_rows, 2): of each action.
    """

    model: Model
    values: Floats
    rows: Floats

    def at(self, turns_taken: int) -> tuple[Floats, Floats]:
        """Values of states and rows, (n_states, 2) and (n_rows, 2), once so many turns have been taken."""
        left = len(self.values) - 1 - turns_taken if len(self.values) > 1 else 0
        return self.values[left], self.rows[left]


def forecast(follower: Follower, player: Floats, opponent: Floats) -> Forecast:
    """The forecast for a game that is not cut; play that never ends is worth 0.

    Args:
        follower: of a two-player model.
        player: A's behaviour, (n_rows,).
        opponent: the other's.
    """
    model, both = follower.model, (player, opponent)
    (entries,) = follower.totals(both, [by_side(model, model.payoff)])
    values, _ = sweep(model, entries, (FIXED, FIXED), np.empty((model.n_states, 2), dtype=np.int64), both)
    return Forecast(model, values[None], _rows(model, values)[None])


def forecast_within(model: Model, player: Floats, opponent: Floats, turns: int) -> Forecast:
    """The forecast for a game, every action of which is a turn, that is cut and drawn after `turns` turns."""
    behaviours = np.stack([player, opponent], axis=1)
    values = np.zeros((turns + 1, model.n_states, 2))
    rows = np.zeros((turns + 1, model.n_rows, 2))
    for left in range(1, turns + 1):
        rows[left] = _rows(model, values[left - 1])
        values[left] = np.add.reduceat(rows[left] * behaviours, model.row_start[:-1])
    return Forecast(model, values, rows)


def _rows(model: Model, values: Floats) -> Floats:
    """float64, (n_rows, 2): expected value of what each row leads to, on each side."""
    ours = model.transition @ np.concatenate([values[:, 0], values[:, 1]]) + model.payoff
    theirs = model.transition @ np.concatenate([values[:, 1], values[:, 0]]) - model.payoff
    return np.stack([ours, theirs], axis=1)
