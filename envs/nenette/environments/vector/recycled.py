"""Arrays that a caller may keep, and that are used again once nobody holds a reference to them.

The system clears memory that is new to a process; for large arrays that takes longer than filling them.
"""

from sys import getrefcount
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["Recycled"]

_KEPT = 3
"""Arrays at hand: a learner looks at one while the next is filled, and may hold one more."""

_SMALL = 1 << 14
"""Bytes up to which a new array costs nothing."""


class Recycled:
    """Uninitialised arrays of one shape and type."""

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        first = np.empty(shape, dtype)
        self._small = first.nbytes <= _SMALL
        self._arrays: list[NDArray[Any]] = [first]
        del first
        self._alone = self._holders(0)  # views and buffers of an array hold it, too

    def take(self) -> NDArray[Any]:
        """An array that nobody else holds."""
        if self._small:
            return np.empty(self._shape, self._dtype)
        arrays = self._arrays
        for place in range(len(arrays)):
            if self._holders(place) == self._alone:
                return arrays[place]
        if len(arrays) == _KEPT:
            del arrays[0]
        arrays.append(np.empty(self._shape, self._dtype))
        return arrays[-1]

    def _holders(self, place: int) -> int:
        return getrefcount(self._arrays[place])

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has arrays of its own."""
        return Recycled, (self._shape, self._dtype)
