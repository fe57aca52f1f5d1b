"""States as flat float32 vectors, and back.

A game names the *fields* of what a seat sees: small integers such as "own score" or "throws made". Each field becomes
a block of features by looking up a row of a fixed table (a one-hot row, a bit, a scaled number, or any of them
together), and the blocks stand side by side. Rows of a table are distinct, so its fields can be read from a vector
exactly, and the state from its fields: the same vector serves a network, a table of the solver and a person reading a
log.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Feature:
    """One field and the block of features it becomes.

    Attributes:
        name: what the field is called.
        table: float32, (number of values, width), in [0, 1]; row v is the block of value v.
        code: float64, (width,); `table @ code` gives distinct integers >= 0, from which a block's value is read.
        labels: one description a feature of the block.
    """

    name: str
    table: NDArray[np.float32]
    code: NDArray[np.float64]
    labels: tuple[str, ...]
    value_of_code: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        codes = np.rint(self.table.astype(np.float64) @ self.code).astype(np.int64)
        if len(set(codes.tolist())) != len(codes) or codes.min() < 0 or len(self.labels) != self.table.shape[1]:
            raise ValueError(f"feature {self.name!r}: the code must be another number for each of its values")
        lookup = np.full(int(codes.max()) + 1, -1, dtype=np.int64)
        lookup[codes] = np.arange(len(codes))
        object.__setattr__(self, "value_of_code", lookup)

    @property
    def values(self) -> int:
        """How many values the field has: 0 .. values - 1."""
        return len(self.table)


def one_hot(name: str, values: int) -> Feature:
    """`values` features, the one at the field's value is 1."""
    labels = tuple(f"{name} is {v}" for v in range(values))
    return Feature(name, np.eye(values, dtype=np.float32), np.arange(values, dtype=np.float64), labels)


def bit(name: str) -> Feature:
    """One feature: 0 or 1."""
    return Feature(name, np.array([[0], [1]], dtype=np.float32), np.ones(1), (name,))


class Codec:
    """The layout of a game's observations: an ordered list of features.

    Attributes:
        features: the fields in order.
        size: length of an observation.
    """

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = tuple(features)
        self.size = sum(f.table.shape[1] for f in self.features)
        self._tables = [f.table for f in self.features]
        self._code = np.zeros((self.size, len(self.features)))
        start, lookups = 0, list[NDArray[np.int64]]()
        for k, feature in enumerate(self.features):
            width = feature.table.shape[1]
            self._code[start : start + width, k] = feature.code
            start += width
            lookups.append(feature.value_of_code)
        self._lookup = np.concatenate(lookups)
        lengths = np.array([len(x) for x in lookups])
        self._offsets = lengths.cumsum() - lengths
        self._last_codes = lengths - 1
        radix = np.cumprod([1] + [f.values for f in self.features[:0:-1]])[::-1]
        self._radix = radix.astype(np.int64)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each feature of an observation means, in order."""
        return tuple(label for f in self.features for label in f.labels)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields' names, in order."""
        return tuple(f.name for f in self.features)

    def encode_one(self, fields: Sequence[int]) -> NDArray[np.float32]:
        """One observation, float32 (size,), from one tuple of field values."""
        return np.concatenate([table[v] for table, v in zip(self._tables, fields, strict=True)])

    def encode(self, fields: NDArray[np.integer]) -> NDArray[np.float32]:
        """Observations, float32 (n, size), from field values, integer (n, fields)."""
        return np.concatenate([table[fields[:, k]] for k, table in enumerate(self._tables)], axis=1)

    def decode(self, observations: NDArray[np.floating]) -> NDArray[np.int64]:
        """Field values, int64 (n, fields), from observations (n, size).

        Raises:
            ValueError: a row is no observation of this layout.
        """
        if observations.ndim != 2 or observations.shape[1] != self.size:
            raise ValueError(
                f"observations of shape {observations.shape} were given; this game's have shape (n, {self.size})"
            )
        with np.errstate(invalid="ignore"):  # infinite features: their row is turned down below
            codes = np.rint(observations @ self._code)
        within = (codes >= 0) & (codes <= self._last_codes)
        values: NDArray[np.int64] = self._lookup[np.where(within, codes, 0).astype(np.int64) + self._offsets]
        # A foreign vector may add up to a known code (all zeros do), so what was read is held against the features.
        known = (within & (values >= 0)).all(axis=1) & (self.encode(values) == observations).all(axis=1)
        if not known.all():
            row = int(np.argmin(known))
            raise ValueError(f"row {row} is not an observation of this game: its features match no state")
        return values

    def keys(self, fields: NDArray[np.integer]) -> NDArray[np.int64]:
        """One int64 a row of field values (n, fields): different for different rows, ordered as the rows are."""
        keys: NDArray[np.int64] = fields.astype(np.int64) @ self._radix
        return keys
