"""What a replay buffer is made of: compact rows of observations, and the priorities of transitions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette_agents.states import State

__all__ = ["CompactRows", "Priorities", "SumTree"]

_CELLS = 65_535
_MOST_LEVELS = 256


class CompactRows:
    """Float32 rows that are read back exactly as they were written.

    Observations of our games are made of few different numbers from 0 to 1: bits and shares of small counts. As long as
    there are at most 256, a number takes one byte, its place in the list of `levels`. Rows with other numbers turn all
    of the memory into plain float32, once and for all.

    Attributes:
        levels: the different numbers met, float32, in the order in which they were; None once the rows are plain.
    """

    def __init__(self, capacity: int, size: int) -> None:
        """`capacity` rows of `size` zeros."""
        self.levels: NDArray[np.float32] | None = np.zeros(1, dtype=np.float32)
        self._rows: NDArray[Any] = np.zeros((capacity, size), dtype=np.uint8)
        # Which level lies in which of 65,536 cells of [0, 1]; a cell without one says 0, which is level 0.0's code.
        self._level_of_cell = np.zeros(_CELLS + 1, dtype=np.uint8)

    @property
    def nbytes(self) -> int:
        """Memory of the rows, in bytes."""
        return self._rows.nbytes

    def write(self, places: NDArray[np.intp], rows: NDArray[np.float32]) -> None:
        """Puts `rows` (n, size) at `places` (n,)."""
        self._rows[places] = rows if self.levels is None else self._coded(rows)

    def read(self, places: NDArray[np.intp]) -> NDArray[np.float32]:
        """The rows at `places`, float32 (n, size), as a copy."""
        found: NDArray[Any] = self._rows.take(places, axis=0)
        return found if self.levels is None else self.levels.take(found)

    def state(self, filled: int) -> State:
        """The first `filled` rows as they are kept, and the levels (none if plain)."""
        levels = np.zeros(0, dtype=np.float32) if self.levels is None else self.levels
        return {"rows": self._rows[:filled].copy(), "levels": levels.copy()}

    def load_state(self, state: State) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: rows of another size or kind, or more than there is room for.
        """
        rows, levels = state["rows"], state["levels"].astype(np.float32)
        plain = len(levels) == 0
        expected = np.dtype(np.float32 if plain else np.uint8)
        if rows.ndim != 2 or rows.shape[1] != self._rows.shape[1] or len(rows) > len(self._rows):
            raise ValueError(f"at most {len(self._rows)} rows of {self._rows.shape[1]} are expected, not {rows.shape}")
        if rows.dtype != expected or (not plain and rows.size and int(rows.max()) >= len(levels)):
            raise ValueError(f"rows of {rows.dtype} do not go with {len(levels)} levels")
        self._rows = np.zeros(self._rows.shape, dtype=expected)
        self._rows[: len(rows)] = rows
        self.levels = None if plain else levels
        self._level_of_cell[:] = 0
        if not plain:
            self._level_of_cell[_cells(levels)] = np.arange(len(levels))

    def _coded(self, rows: NDArray[np.float32]) -> NDArray[np.uint8] | NDArray[np.float32]:
        """The rows as they are to be kept, which may by now be as they are."""
        if not (rows.size == 0 or (rows.min() >= 0 and rows.max() <= 1)):  # nor a number at all
            return self._plain(rows)
        assert self.levels is not None
        cells = _cells(rows)
        codes: NDArray[np.uint8] = self._level_of_cell[cells]
        unknown = self.levels[codes] != rows
        if not unknown.any():
            return codes
        for level in np.unique(rows[unknown]):
            cell = _cells(level)
            # Two numbers so close that they share a cell, or one too many to be numbered in a byte.
            if self._level_of_cell[cell] or cell == 0 or len(self.levels) == _MOST_LEVELS:
                return self._plain(rows)
            self._level_of_cell[cell] = len(self.levels)
            self.levels = np.append(self.levels, level)
        return self._level_of_cell[cells]

    def _plain(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        assert self.levels is not None
        self._rows = self.levels[self._rows]
        self.levels = None
        return rows


def _cells(numbers: NDArray[np.float32]) -> NDArray[np.intp]:
    """Which cell of [0, 1] each number lies in."""
    cells: NDArray[np.intp] = (numbers * np.float32(_CELLS) + np.float32(0.5)).astype(np.intp)
    return cells


_FLOOR = 1e-3
"""Added to every error, so that nothing is never drawn again."""


@dataclass(frozen=True)
class Priorities:
    """The exponents of prioritised replay.

    Attributes:
        alpha: power of the error; 0: all are drawn alike.
        beta: power of the correction at the beginning, which grows to 1 (all of it) by the end of the training.
    """

    alpha: float = 0.6
    beta: float = 0.4


class SumTree:
    """Weights of a fixed number of places, by which places are drawn.

    Attributes:
        largest: the largest weight that was ever set; at first 1.
    """

    def __init__(self, capacity: int) -> None:
        """A tree in which every weight is 0."""
        self._capacity = capacity
        self._leaves = 1 << max(0, int(capacity - 1).bit_length())
        self._sums = np.zeros(2 * self._leaves)
        self.largest = 1.0

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self._sums[1])

    def weights(self, places: NDArray[np.intp]) -> NDArray[np.float64]:
        """What `places` weigh, float64 of their shape."""
        found: NDArray[np.float64] = self._sums[places + self._leaves]
        return found

    def set(self, places: NDArray[np.intp], weights: NDArray[np.float64]) -> None:
        """Gives `places` (n,) their weights, finite and not negative; of a place given twice the last counts."""
        _set(self._sums, self._leaves, places, weights)
        if len(weights):
            self.largest = max(self.largest, float(weights.max()))

    def draw(self, shares: NDArray[np.float64]) -> NDArray[np.intp]:
        """The place at each share (0 <= share < 1) of the total; (n,), none of them without weight."""
        found: NDArray[np.intp] = _find(self._sums, self._leaves, shares * self.total)
        return found

    def state(self) -> State:
        """All weights, and the largest there ever was: the sums follow from them."""
        leaves = self._sums[self._leaves : self._leaves + self._capacity]
        return {"weights": leaves.copy(), "largest": np.array([self.largest])}

    def load_state(self, state: State) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: weights of another number of places, or such as cannot be.
        """
        weights = state["weights"]
        if weights.shape != (self._capacity,) or weights.dtype != np.float64:
            raise ValueError(f"weights of {self._capacity} places are expected, not {weights.dtype} {weights.shape}")
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError("weights of places are finite and not negative")
        self._sums[:] = 0
        self.set(np.arange(self._capacity), weights)
        self.largest = float(state["largest"][0])


def weights_of_errors(errors: NDArray[np.floating], alpha: float) -> NDArray[np.float64]:
    """The weights, float64 (n,), of transitions with these absolute errors."""
    weights: NDArray[np.float64] = (errors.astype(np.float64) + _FLOOR) ** alpha
    return weights


def corrections(probabilities: NDArray[np.float64], size: int, beta: float) -> NDArray[np.float32]:
    """Importance weights of drawn transitions, float32 (n,), the largest 1: (size * probabilities) ** -beta, scaled."""
    found = (size * probabilities) ** -beta
    scaled: NDArray[np.float32] = (found / found.max()).astype(np.float32)
    return scaled


@njit()
def _set(sums, leaves, places, weights):  # type: ignore[no-untyped-def]  # compiled
    for k in range(len(places)):
        node = leaves + places[k]
        sums[node] = weights[k]
        node >>= 1
        while node:
            # Added up anew, and not changed by the difference: nothing drifts.
            sums[node] = sums[2 * node] + sums[2 * node + 1]
            node >>= 1


@njit()
def _find(sums, leaves, targets):  # type: ignore[no-untyped-def]  # compiled
    found = np.empty(len(targets), dtype=np.intp)
    for k in range(len(targets)):
        target = targets[k]
        node = 1
        while node < leaves:
            node *= 2
            # Rounding may lead past all that has weight: then the left branch is the last that has any.
            if target >= sums[node] and sums[node + 1] > 0:
                target -= sums[node]
                node += 1
        found[k] = node - leaves
    return found
