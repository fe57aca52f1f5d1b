"""Intervals by the stratified bootstrap: what other seeds would have given, as far as those that ran can tell.

Each resample draws, for every task by itself, as many of its runs as there are, with replacement. The interval is that
of the percentiles of the statistic over the resamples. With few seeds it is too narrow, rather than too wide: five
seeds hold no more than five of the values that a training can end at.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nenette_agents.statistics.aggregates import Floats, Statistic, as_scores

__all__ = ["CONFIDENCE", "RESAMPLES", "Interval", "estimate", "percentiles", "resampled", "rows"]

CONFIDENCE = 0.95
RESAMPLES = 5000
_NUMBERS_AT_ONCE = 2_000_000
"""So many scores of resamples are held at a time, 16 MB of them."""


class Interval(NamedTuple):
    """A figure with its bootstrap interval.

    Attributes:
        value: the figure of the scores themselves.
        low: the interval's lower end.
        high: its upper end.
    """

    value: float
    low: float
    high: float


def rows(
    n_resamples: int, rng: np.random.Generator, *shapes: tuple[int, int], numbers: int
) -> Iterator[tuple[NDArray[np.intp], ...]]:
    """Which seed's score each resample takes for each task, in blocks.

    Args:
        n_resamples: how many resamples all blocks have together.
        rng: the random generator.
        shapes: (n_seeds, n_tasks) of each algorithm.
        numbers: how many numbers a resample takes, so that a block is not too large.

    Yields:
        For each algorithm the rows of a block, int, (n, n_seeds, n_tasks).
    """
    block = max(1, _NUMBERS_AT_ONCE // numbers)
    for done in range(0, n_resamples, block):
        n = min(block, n_resamples - done)
        yield tuple(rng.integers(seeds, size=(n, seeds, tasks)) for seeds, tasks in shapes)


def resampled(
    scores: ArrayLike, statistic: Statistic, *, n_resamples: int = RESAMPLES, rng: np.random.Generator | int = 0
) -> Floats:
    """The statistic of every resample, (n_resamples, ...).

    Args:
        scores: (n_seeds, n_tasks).
        statistic: what makes an array (n, ...) of resamples (n, n_seeds, n_tasks).
        n_resamples: how many.
        rng: the random generator, or the seed of one.

    Raises:
        ValueError: the scores are not finite numbers of that shape.
    """
    found, generator = as_scores(scores), np.random.default_rng(rng)
    tasks = np.arange(found.shape[1])
    shape = (len(found), len(tasks))
    drawn = rows(n_resamples, generator, shape, numbers=found.size)
    return np.concatenate([statistic(found[block, tasks]) for (block,) in drawn])


def percentiles(figures: Floats, confidence: float = CONFIDENCE) -> Floats:
    """The two ends, (2, ...), of the middle `confidence` of figures (n_resamples, ...).

    Raises:
        ValueError: `confidence` does not lie between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, and {confidence} was given")
    outside = (1 - confidence) / 2
    found: Floats = np.quantile(figures, [outside, 1 - outside], axis=0)
    return found


def estimate(
    scores: ArrayLike,
    statistic: Statistic,
    *,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int = 0,
) -> Interval:
    """A statistic of scores with its percentile interval.

    Args:
        scores: (n_seeds, n_tasks).
        statistic: one figure for each of many resamples, as those of `nenette_agents.statistics.aggregates`.
        confidence: the share of the resamples that the interval holds.
        n_resamples: how many.
        rng: the random generator, or the seed of one.

    Raises:
        ValueError: the scores are not finite numbers of that shape, or `confidence` does not lie between 0 and 1.
    """
    low, high = percentiles(resampled(scores, statistic, n_resamples=n_resamples, rng=rng), confidence)
    return Interval(float(statistic(as_scores(scores))), float(low), float(high))
