"""One figure for an algorithm's scores of many seeds and tasks.

All functions take scores of shape (..., n_seeds, n_tasks) and give an array of shape (...), so that a statistic of
thousands of resamples is one call.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["AGGREGATES", "Statistic", "as_scores", "interquartile_mean", "mean", "median", "optimality_gap"]

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Any]
"""What makes an array (...) of scores (..., n_seeds, n_tasks)."""


def as_scores(scores: ArrayLike) -> Floats:
    """Scores as float64, of shape (n_seeds, n_tasks).

    Raises:
        ValueError: they have another shape, there are none, or one is not finite.
    """
    found = np.asarray(scores, dtype=np.float64)
    if found.ndim != 2 or 0 in found.shape:
        raise ValueError(f"scores have the shape (seeds, tasks), with at least one of both, not {found.shape}")
    if not np.isfinite(found).all():
        raise ValueError("a score is a finite number, and one of these is not: leave out the seeds that lack a run")
    return found


def mean(scores: Floats) -> Floats:
    """The mean over seeds and tasks, (...)."""
    found: Floats = scores.mean(axis=-2).mean(axis=-1)
    return found


def median(scores: Floats) -> Floats:
    """The median over tasks of each task's mean over seeds, (...)."""
    found: Floats = np.median(scores.mean(axis=-2), axis=-1)
    return found


def interquartile_mean(scores: Floats) -> Floats:
    """The mean of the middle half of all scores, (...): a quarter of them, rounded down, is left out at either end."""
    together = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    n = together.shape[-1]
    found: Floats = together[..., n // 4 : n - n // 4].mean(axis=-1)
    return found


def optimality_gap(scores: Floats, best: float = 1.0) -> Floats:
    """How far the scores fall short of `best` on average, (...); what is above `best` counts as `best`."""
    found: Floats = best - np.minimum(scores, best).mean(axis=(-2, -1))
    return found


AGGREGATES: Mapping[str, Statistic] = MappingProxyType(
    {
        "interquartile mean": interquartile_mean,
        "median": median,
        "mean": mean,
        "optimality gap": optimality_gap,
    }
)
"""Statistics of a leaderboard, by the names that tables show."""
