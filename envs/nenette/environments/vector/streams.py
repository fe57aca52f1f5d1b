"""Random numbers in compiled code: every slot has a stream of its own.

A stream is two numbers. If they are uint64, it is xoroshiro128++ (Blackman and Vigna, 2021), seeded from a seed and the
slot's number alone: what a slot plays depends neither on how many slots there are nor on when the others begin again.
If they are int64, the first is the address of a numpy Generator's bits (see `generators`), which are then drawn.

The functions that draw run in compiled code and, for games that are played in Python, in Python.

Draws are those of `Distribution.sample` and of the single environment's opponents, in the same order:

- `below(n)`: an outcome of n equally likely ones, where there are at least two;
- `unit()`: a float64 in [0, 1), one for each choice of an opponent that has a choice.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from nenette.compiling import jitable, njit
from nenette.environments.vector.generators import integer_below, next_double

Words = NDArray[np.uint64]

INLINED: Any = {"forceinline": True, "_nrt": False}
"""Options of compiled functions that are inlined: by LLVM, for what numba itself inlines loses writes to arrays that
lie in a tuple; and without reference counts, which take as long as a game's step, since nothing is allocated."""
_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_SHIFTS = tuple(np.uint64(k) for k in (17, 47, 49, 15, 21, 28, 36, 16, 48, 11))
_17, _47, _49, _15, _21, _28, _36, _16, _48, _11 = _SHIFTS


def seed_words(seed: int, slots: NDArray[np.integer]) -> Words:
    """uint64, (slots, 2): the streams' states for `seed` and these slots' numbers."""
    base = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    with np.errstate(over="ignore"):
        first = np.uint64(_GOLDEN) * (2 * slots.astype(np.uint64) + np.uint64(1))
        words = np.stack([_mixed(base[k] ^ _mixed(first + np.uint64(k))) for k in range(2)], axis=1)
    words[(words == 0).all(axis=1), 0] = 1  # the one state that the generator never leaves
    return words


def reseeded(words: Words, begins: NDArray[np.bool_], seeds: int | Sequence[int | None] | None) -> Words:
    """The streams' states after a reset.

    Args:
        words: uint64, (streams, 2): before.
        begins: bool, (streams,): in which of them games begin; others go on.
        seeds: of all of them, or one for each; None: a stream goes on, or begins anywhere if it was never seeded.
    """
    words = words.copy()
    if isinstance(seeds, int):
        where = np.flatnonzero(begins)
        words[where] = seed_words(seeds, where)
    for stream, seed in enumerate(seeds if isinstance(seeds, Sequence) else ()):
        if seed is not None and begins[stream]:
            words[stream] = seed_words(seed, np.zeros(1, dtype=np.int64))[0]
    never = np.flatnonzero(begins & ~words.any(axis=1))  # no stream comes to this state, and none leaves it
    if len(never):
        words[never] = seed_words(int(np.random.SeedSequence().entropy), never)  # type: ignore[arg-type]
    return words


def _mixed(x: Any) -> Any:
    """The finalizer of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def word_of(s0: Any, s1: Any) -> Any:
    """What a stream gives next: of a slot's, 64 bits."""
    s0, s1 = int(s0), int(s1)
    return (_rotated((s0 + s1) & _WORD, 17) + s0) & _WORD


def moved_on(s0: Any, s1: Any) -> Any:
    """The stream once it has given them."""
    s0, s1 = int(s0), int(s0) ^ int(s1)
    return _rotated(s0, 49) ^ s1 ^ ((s1 << 21) & _WORD), _rotated(s1, 28)


def below(word: Any, n: int) -> Any:
    """One of 0 .. n - 1, n at most 2**16; of a slot's stream, probabilities are off by less than n / 2**48."""
    return ((word >> 16) * n) >> 48


def unit(word: Any) -> Any:
    """A float64 in [0, 1)."""
    return (word >> 11) * 2.0**-53


def _rotated(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & _WORD


@njit(**INLINED)
def _slots_word(s0, s1):  # type: ignore[no-untyped-def]
    total = s0 + s1
    return ((total << _17) | (total >> _47)) + s0


@njit(**INLINED)
def _slots_next(s0, s1):  # type: ignore[no-untyped-def]
    s1 ^= s0
    return ((s0 << _49) | (s0 >> _15)) ^ s1 ^ (s1 << _21), (s1 << _28) | (s1 >> _36)


@overload(word_of, jit_options=INLINED)
def _word_of(s0, s1):  # type: ignore[no-untyped-def]
    return (lambda s0, s1: _slots_word(s0, s1)) if s0 == types.uint64 else (lambda s0, s1: s0)


@overload(moved_on, jit_options=INLINED)
def _moved_on(s0, s1):  # type: ignore[no-untyped-def]
    return (lambda s0, s1: _slots_next(s0, s1)) if s0 == types.uint64 else (lambda s0, s1: (s0, s1))


@overload(below, jit_options=INLINED)
def _below(word, n):  # type: ignore[no-untyped-def]
    if word == types.uint64:
        return lambda word, n: np.int64(((word >> _16) * np.uint64(n)) >> _48)
    return lambda word, n: integer_below(word, n)


@overload(unit, jit_options=INLINED)
def _unit(word):  # type: ignore[no-untyped-def]
    if word == types.uint64:
        return lambda word: np.float64(word >> _11) * (1.0 / (1 << 53))
    return lambda word: next_double(word)


@jitable(**INLINED)
def draw_below(s0, s1, n):  # type: ignore[no-untyped-def]
    """An outcome of n equally likely ones, and the stream as it then is; what is certain draws nothing."""
    number = below(word_of(s0, s1), n)
    t0, t1 = moved_on(s0, s1)
    return number, (t0 if n > 1 else s0), (t1 if n > 1 else s1)  # no branch: which it is cannot be foreseen


@jitable(**INLINED)
def draw_unit(s0, s1):  # type: ignore[no-untyped-def]
    """A float64 in [0, 1), and the stream as it then is."""
    x = unit(word_of(s0, s1))
    s0, s1 = moved_on(s0, s1)
    return x, s0, s1


@jitable(**INLINED)
def pick(cumulative, row, x):  # type: ignore[no-untyped-def]
    """The action that x in [0, 1) picks by the cumulative probabilities in `row`: `bisect_right` of the single form."""
    last = cumulative.shape[1] - 1
    x *= cumulative[row, last]
    action = 0
    for a in range(last):  # no early end: which action it is cannot be foreseen, and a wrong guess costs more
        action += cumulative[row, a] <= x
    return action


class Stream:
    """A slot's stream, with the method of a numpy Generator that games use.

    Attributes:
        words: the stream's two numbers, which move on.
    """

    def __init__(self, s0: Any, s1: Any) -> None:
        self.words = s0, s1

    def integers(self, n: int) -> int:
        """One of 0 .. n - 1."""
        number, s0, s1 = draw_below(*self.words, n)
        self.words = s0, s1
        return int(number)
