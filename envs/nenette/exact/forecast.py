"""The value of each state of a game when both players play fixed policies.

All values are player A's. Side 0 is where A is to move, side 1 where the opponent is. A row's value is the expected
value of what the action leads to, so that the value of a state is the mean of its rows' values, by the probabilities
with which they are taken, and an outcome's value less that of its row has mean 0: the luck of the throw.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nenette.exact.chain import PolicyEvaluator, by_side, sweep
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


def forecast(evaluator: PolicyEvaluator, player: Floats, opponent: Floats) -> Forecast:
    """The forecast for a game that is not cut; play that never ends is worth 0.

    Args:
        evaluator: of a two-player model.
        player: A's behaviour, (n_rows,).
        opponent: the other's.
    """
    model, both = evaluator.model, (player, opponent)
    (entries,) = evaluator.totals(both, [by_side(model, model.payoff)])
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


def chances_within(model: Model, player: Floats, opponent: Floats, turns: int) -> Floats:
    """float64, (2, n_states, 2): A's chances of having won, and of having lost, after `turns` turns, from each state.

    Args:
        model: a game, every action of which is a turn.
        player: A's behaviour, (n_rows,).
        opponent: the other's.
        turns: how many are left before the game is cut.
    """
    n = model.n_states
    steps, wins, losses = [], [], []
    for behaviour in (player, opponent):
        play = sparse.csr_array((behaviour, (model.row_state, np.arange(model.n_rows))))
        steps.append(sparse.csr_array(play @ model.transition))
        wins.append(play @ model.win)
        losses.append(play @ model.loss)
    theirs = sparse.hstack([steps[1][:, n:], steps[1][:, :n]])  # "the same player" is the opponent there
    step = sparse.csr_array(sparse.vstack([steps[0], theirs]))
    at_once = np.stack([np.concatenate([wins[0], losses[1]]), np.concatenate([losses[0], wins[1]])], axis=1)
    chances = np.zeros_like(at_once)
    for _ in range(turns):
        before, chances = chances, step @ chances + at_once
        if np.array_equal(before, chances):  # and so it stays, to the last bit
            break
    by_side: Floats = chances.T.reshape(2, 2, n).transpose(0, 2, 1)
    return by_side


def best_response_within(model: Model, opponent: Floats, turns: int) -> Floats:
    """float64, (n_states, 2): what the best response to `opponent`, (n_rows,), gets in `turns` turns.

    The response is A; every action of the game is a turn.
    """
    first, values = model.row_start[:-1], np.zeros((model.n_states, 2))
    for _ in range(turns):
        rows, before = _rows(model, values), values
        best = np.maximum.reduceat(rows[:, 0], first)
        values = np.stack([best, np.add.reduceat(rows[:, 1] * opponent, first)], axis=1)
        if np.array_equal(before, values):  # and so it stays, to the last bit
            break
    return values


def _rows(model: Model, values: Floats) -> Floats:
    """float64, (n_rows, 2): expected value of what each row leads to, on each side."""
    ours = model.transition @ np.concatenate([values[:, 0], values[:, 1]]) + model.payoff
    theirs = model.transition @ np.concatenate([values[:, 1], values[:, 0]]) - model.payoff
    return np.stack([ours, theirs], axis=1)
