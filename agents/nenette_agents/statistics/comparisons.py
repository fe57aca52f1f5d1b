"""Two algorithms compared: how often one is better than the other, and by how much with the same seeds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nenette_agents.statistics.aggregates import Floats, as_scores, mean
from nenette_agents.statistics.bootstrap import CONFIDENCE, RESAMPLES, Interval, estimate, percentiles, rows

__all__ = ["Difference", "paired_difference", "probability_of_improvement"]


class Difference(NamedTuple):
    """How much more one algorithm scores than another, run by run of the same seed and task.

    Attributes:
        mean: the mean difference over seeds and tasks, with its interval.
        wins: the share of (seed, task) pairs in which the first scores more; equal scores count one half.
    """

    mean: Interval
    wins: float


def probability_of_improvement(
    first: ArrayLike,
    second: ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int = 0,
) -> Interval:
    """The probability that a run of the first scores more than one of the second on the same task, tasks averaged.

    Any seed of the one is compared with any seed of the other; equal scores count one half. In the interval's resamples
    both are drawn independently of each other.

    Args:
        first: (n_seeds, n_tasks).
        second: (n_other_seeds, n_tasks).
        confidence: the share of the resamples that the interval holds.
        n_resamples: how many.
        rng: the random generator, or the seed of one.

    Raises:
        ValueError: the scores are not finite numbers of these shapes, or they are of other numbers of tasks.
    """
    ours, theirs = _of_the_same_tasks(first, second)
    generator, tasks = np.random.default_rng(rng), np.arange(ours.shape[1])
    # What every pair of runs comes to is looked up: each resample needs only which runs it has.
    ahead = _ahead(ours[:, None], theirs[None])
    shapes = [(len(one), len(tasks)) for one in (ours, theirs)]
    found = [
        ahead[one[:, :, None], other[:, None], tasks].mean(axis=(-3, -2, -1))
        for one, other in rows(n_resamples, generator, *shapes, numbers=ahead.size)
    ]
    low, high = percentiles(np.concatenate(found), confidence)
    return Interval(float(ahead.mean()), float(low), float(high))


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int = 0,
) -> Difference:
    """How much more the first scores than the second with the same seeds.

    A resample draws seeds for each task, and takes both algorithms' runs of each: what a seed gives to both is no part
    of the interval.

    Args:
        first: (n_seeds, n_tasks).
        second: the same shape, row i by the same seed.
        confidence: the share of the resamples that the interval holds.
        n_resamples: how many.
        rng: the random generator, or the seed of one.

    Raises:
        ValueError: the scores are not finite numbers of one shape.
    """
    ours, theirs = _of_the_same_tasks(first, second)
    if len(ours) != len(theirs):
        raise ValueError(f"paired runs have the same seeds, and there are {len(ours)} of the one and {len(theirs)}")
    found = estimate(ours - theirs, mean, confidence=confidence, n_resamples=n_resamples, rng=rng)
    return Difference(found, float(_ahead(ours, theirs).mean()))


def _of_the_same_tasks(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    ours, theirs = as_scores(first), as_scores(second)
    if ours.shape[1] != theirs.shape[1]:
        raise ValueError(f"both are compared on the same tasks, and have {ours.shape[1]} and {theirs.shape[1]}")
    return ours, theirs


def _ahead(ours: Floats, theirs: Floats) -> Floats:
    """1 where the first scores more, one half where both score the same."""
    found: Floats = (np.sign(ours - theirs) + 1) / 2
    return found
