"""States as arrays, so that they can be kept and gone on from; those of random streams too."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["State", "generator_words", "make_generator", "set_generator_words"]

State = dict[str, NDArray[Any]]
"""Named arrays from which something goes on exactly where it was."""

_LOW = (1 << 64) - 1


def make_generator(seed: int | None, use: int) -> np.random.Generator:
    """A stream of its own for each `use` of a seed; without a seed, another one each time."""
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
