"""Values out of a state that somebody else has written, each looked at before it is used."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette_agents.errors import CheckpointError, shown
from nenette_agents.runs.checkpoints.files import State

__all__ = ["array", "integer", "number", "rows"]


def array(state: State, key: str, shape: Sequence[int], dtype: Any) -> NDArray[Any]:
    """The array `key`, of this shape and dtype.

    Raises:
        CheckpointError: it is missing, or another.
    """
    return _of(state, key, tuple(shape), np.dtype(dtype))


def rows(state: State, key: str, most: int, like: NDArray[Any]) -> NDArray[Any]:
    """The array `key`: up to `most` rows, each of the shape and dtype of those of `like`.

    Raises:
        CheckpointError: it is missing, or another.
    """
    given = state.get(key)
    n = len(given) if isinstance(given, np.ndarray) and given.ndim else 0
    return _of(state, key, (min(n, most), *like.shape[1:]), like.dtype)


def _of(state: State, key: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    given = state.get(key)
    if not isinstance(given, np.ndarray):
        raise CheckpointError(f"{key} is missing or no array")
    if given.shape != shape or given.dtype != dtype:
        raise CheckpointError(f"{key} is {given.dtype} {given.shape}, and {dtype} {shape} is expected")
    return given


def integer(state: State, key: str, low: int, high: int) -> int:
    """The integer `key`, from `low` to `high`.

    Raises:
        CheckpointError: it is missing, or none, or beyond them.
    """
    value = state.get(key)
    if type(value) is not int or not low <= value <= high:
        raise CheckpointError(f"{key} is {shown(value)}, and an integer from {low} to {high} is expected")
    return value


def number(state: State, key: str) -> float:
    """The number `key`.

    Raises:
        CheckpointError: it is missing or none.
    """
    value = state.get(key)
    if type(value) not in (int, float):
        raise CheckpointError(f"{key} is {shown(value)}, and a number is expected")
    return float(value)  # type: ignore[arg-type]
