"""Saved states: arrays and values read back with their shapes, dtypes and bounds checked; random streams as arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette_agents.errors import CheckpointError, shown

__all__ = ["State", "array", "generator_words", "integer", "make_generator", "number", "rows", "set_generator_words"]


State = dict[str, Any]
"""What a part of a training says of itself: arrays, and values that JSON has words for."""


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


_LOW = (1 << 64) - 1


def make_generator(seed: int | None, use: int) -> np.random.Generator:
    """A random generator for one `use` of a seed, independent of others; without a seed, a new one each time."""
    entropy = np.random.SeedSequence().entropy if seed is None else seed
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(use,))))


def generator_words(generator: np.random.Generator) -> NDArray[np.uint64]:
    """The state of a PCG64 stream, uint64 (6,)."""
    generator_state: dict[str, Any] = dict(generator.bit_generator.state)
    state, increment = generator_state["state"]["state"], generator_state["state"]["inc"]
    words = [
        state >> 64,
        state & _LOW,
        increment >> 64,
        increment & _LOW,
        generator_state["has_uint32"],
        generator_state["uinteger"],
    ]
    return np.array(words, dtype=np.uint64)


def set_generator_words(generator: np.random.Generator, words: NDArray[np.uint64]) -> None:
    """Puts the stream where it was when `generator_words` gave `words`.

    Raises:
        ValueError: they are not six words.
    """
    if words.shape != (6,) or words.dtype != np.uint64:
        raise ValueError(f"a random stream is kept as 6 words of 64 bits, not {words.dtype} {words.shape}")
    high, low, increment_high, increment_low, has_half, half = (int(word) for word in words)
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": increment_high << 64 | increment_low},
        "has_uint32": has_half,
        "uinteger": half,
    }
