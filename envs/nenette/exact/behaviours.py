"""How a policy behaves in a model, as a probability for each of its rows: what all models share."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["RARE", "Behaviours", "Floats", "Ints"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RARE = 1e-9
"""Probability below which an action counts as never taken, where play may go on for ever.

What happens once in so many moves decides endless games, and floating-point numbers cannot distinguish it from never.
So the exploitability of a policy in an endless game jumps there: it is 1 if its only mistake has a probability a little
above this, and 0 if it has one a little below. `Behaviours.rare` says what is left out, and scores say how much that
was. Where a game is cut after some turns, or always ends, nothing is left out.
"""


class Behaviours:
    """What a model does with its rows, the (state, action) pairs.

    Attributes:
        fields: int16, (n_states, fields): each state as its mover sees it (`Game.encode`).
        row_start: int64, (n_states + 1,): state s has the rows row_start[s] .. row_start[s + 1] - 1.
        row_action: int64, (n_rows,): the action of each row, ascending within a state.
    """

    fields: NDArray[np.int16]
    row_start: Ints
    row_action: Ints

    @property
    def n_states(self) -> int:
        """Number of states that are not terminal."""
        return len(self.fields)

    @property
    def n_rows(self) -> int:
        """Number of (state, action) pairs."""
        return len(self.row_action)

    @cached_property
    def row_state(self) -> Ints:
        """int64, (n_rows,): the state of each row."""
        return np.repeat(np.arange(self.n_states), np.diff(self.row_start))

    def uniform(self) -> Floats:
        """float64, (n_rows,): the behaviour that takes every legal action equally often."""
        return np.repeat(1.0 / np.diff(self.row_start), np.diff(self.row_start))

    def pure(self, rows: Ints) -> Floats:
        """float64, (n_rows,): the behaviour that takes row rows[s] in each state s."""
        behaviour = np.zeros(self.n_rows)
        behaviour[rows] = 1.0
        return behaviour

    def normalised(self, behaviour: Floats) -> Floats:
        """float64, (n_rows,): the behaviour, with sums that are exactly 1 but for rounding.

        Raises:
            ValueError: probabilities are negative, or do not sum to 1 within 1e-4.
        """
        sums = np.add.reduceat(behaviour, self.row_start[:-1])
        if not np.all(np.abs(sums - 1.0) <= 1e-4) or behaviour.min() < 0:
            raise ValueError("a policy's action probabilities are negative or do not sum to 1 in some state")
        return behaviour / sums[self.row_state]

    def rare(self, behaviour: Floats) -> NDArray[np.bool_]:
        """bool, (n_rows,): which rows are taken with a probability above 0 and below `RARE`."""
        return (behaviour > 0.0) & (behaviour < RARE)

    def without_rare(self, behaviour: Floats) -> Floats:
        """float64, (n_rows,): the same behaviour when `rare` rows are never taken."""
        rare = self.rare(behaviour)
        if not rare.any():
            return behaviour
        left = np.where(rare, 0.0, behaviour)
        return left / np.add.reduceat(left, self.row_start[:-1])[self.row_state]
