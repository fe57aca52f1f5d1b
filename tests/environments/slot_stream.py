"""The random stream of one slot of a vector environment, written again with Python's integers.

It stands in for a numpy Generator in the single environment, which then draws the numbers that the slot draws.
"""

from typing import Any

import numpy as np

_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mixed(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def _turned(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & _WORD


class SlotStream:
    """xoroshiro128++, with the two methods of a Generator that games and opponents use."""

    def __init__(self, seed: int, slot: int) -> None:
        base = [int(word) for word in np.random.SeedSequence(seed).generate_state(2, np.uint64)]
        first = _GOLDEN * (2 * slot + 1)
        self.state = [_mixed(base[k] ^ _mixed((first + k) & _WORD)) for k in range(2)]
        self.drawn = 0

    def _next(self) -> int:
        one, two = self.state
        word = (_turned((one + two) & _WORD, 17) + one) & _WORD
        two ^= one
        self.state = [_turned(one, 49) ^ two ^ ((two << 21) & _WORD), _turned(two, 28)]
        self.drawn += 1
        return word

    def integers(self, n: int) -> int:
        return ((self._next() >> 16) * int(n)) >> 48

    def random(self) -> float:
        return float(self._next() >> 11) * 2.0**-53


def give(env: Any, seed: int, slot: int) -> SlotStream:
    """Lets the single environment draw what the slot draws."""
    stream = SlotStream(seed, slot)
    env._np_random = stream
    return stream
