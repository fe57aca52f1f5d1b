"""Finite probability distributions with exact probabilities."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Distribution(Generic[T]):
    """Distinct outcomes with positive integer weights; an outcome's probability is its weight over `total`.

    The same object is sampled by the environments and enumerated by the solver, so both have the same probabilities.
    Iterating yields `(outcome, probability)` pairs with `fractions.Fraction` probabilities.
    """

    outcomes: tuple[T, ...]
    weights: tuple[int, ...]
    _cumulative: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.outcomes or len(self.outcomes) != len(self.weights) or min(self.weights) <= 0:
            raise ValueError("a distribution needs at least one outcome, each with a positive integer weight")
        object.__setattr__(self, "_cumulative", tuple(accumulate(self.weights)))

    @property
    def total(self) -> int:
        """Sum of the weights."""
        return self._cumulative[-1]

    def __len__(self) -> int:
        return len(self.outcomes)

    def __iter__(self) -> Iterator[tuple[T, Fraction]]:
        return ((o, Fraction(w, self.total)) for o, w in zip(self.outcomes, self.weights, strict=True))

    @classmethod
    def certain(cls, outcome: T) -> "Distribution[T]":
        """The distribution of something that is bound to happen."""
        return cls((outcome,), (1,))

    @classmethod
    def of(cls, weights: Mapping[T, int]) -> "Distribution[T]":
        """A distribution from a mapping of outcome to weight."""
        return cls(tuple(weights), tuple(weights.values()))

    @classmethod
    def uniform(cls, outcomes: Iterable[T]) -> "Distribution[T]":
        """Equally likely outcomes; one that is listed twice is twice as likely."""
        counts: dict[T, int] = {}
        for outcome in outcomes:
            counts[outcome] = counts.get(outcome, 0) + 1
        return cls.of(counts)

    def map(self, function: Callable[[T], U]) -> "Distribution[U]":
        """The distribution of `function(outcome)`; equal images are merged."""
        if len(self.outcomes) == 1:
            return Distribution((function(self.outcomes[0]),), self.weights)
        merged: dict[U, int] = {}
        for outcome, weight in zip(self.outcomes, self.weights, strict=True):
            image = function(outcome)
            merged[image] = merged.get(image, 0) + weight
        return Distribution.of(merged)

    def then(self, follow: Callable[[T], "Distribution[U]"]) -> "Distribution[U]":
        """The distribution of a second outcome whose probabilities depend on the first; equal ones are merged."""
        nexts = [follow(outcome) for outcome in self.outcomes]
        common = lcm(*(n.total for n in nexts))
        merged: dict[U, int] = {}
        for weight, after in zip(self.weights, nexts, strict=True):
            for outcome, w in zip(after.outcomes, after.weights, strict=True):
                merged[outcome] = merged.get(outcome, 0) + weight * w * (common // after.total)
        return Distribution.of(merged)

    def sample(self, rng: np.random.Generator) -> T:
        """One outcome at random; a certain one draws no random number."""
        if len(self.outcomes) == 1:
            return self.outcomes[0]
        return self.outcomes[bisect_right(self._cumulative, int(rng.integers(self.total)))]
