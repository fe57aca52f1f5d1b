"""Performance profiles: which share of an algorithm's runs scores more than a threshold, for all thresholds at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nenette_agents.statistics.aggregates import Floats, as_scores
from nenette_agents.statistics.bootstrap import CONFIDENCE, RESAMPLES, percentiles, resampled

__all__ = ["Profile", "performance_profile"]


class Profile(NamedTuple):
    """A performance profile with its band.

    Attributes:
        thresholds: float64, (n,).
        shares: float64, (n,): the share of runs, over all tasks, whose score is above each threshold.
        low: float64, (n,): the band's lower edge, threshold by threshold.
        high: float64, (n,): its upper edge.
    """

    thresholds: Floats
    shares: Floats
    low: Floats
    high: Floats


def performance_profile(
    scores: ArrayLike,
    thresholds: ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int = 0,
) -> Profile:
    """The profile of scores (n_seeds, n_tasks); band, confidence and random generator as in `estimate`.

    Raises:
        ValueError: the scores are not finite numbers of that shape, or `confidence` does not lie between 0 and 1.
    """
    found, at = as_scores(scores), np.asarray(thresholds, dtype=np.float64)

    def above(many: Floats) -> Floats:
        # One threshold after the other: all at once would hold resamples times thresholds.
        return np.stack([(many > threshold).mean(axis=(-2, -1)) for threshold in at], axis=-1)

    low, high = percentiles(resampled(found, above, n_resamples=n_resamples, rng=rng), confidence)
    return Profile(at, above(found), low, high)
