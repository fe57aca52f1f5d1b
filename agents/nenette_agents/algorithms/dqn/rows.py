"""Many float32 rows in a quarter of their memory, where that loses nothing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette_agents.algorithms.dqn.states import State

__all__ = ["CompactRows"]

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
        """Takes back what `state` gave.

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
