"""How many seeds it takes to tell two algorithms apart.

By formula, not by simulation. The mean score over n seeds and T tasks has the variance (1 / (n T^2)) times the sum over
tasks of the variance between seeds, since runs are independent of each other. For two algorithms whose means differ by
d, with the sums of variances v of both together, a two-sided test of level a finds the difference with probability p
from about

    n = (z(1 - a / 2) + z(p))^2 v / (T d)^2

seeds of each, z being the normal distribution's quantile. What v and d are is itself known from the seeds that ran, and
roughly so when these are few. Source: J. Cohen, *Statistical power analysis for the behavioral sciences*, 1988, ch. 2.
"""

from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from nenette_agents.statistics.aggregates import as_scores

__all__ = ["FEWEST", "LEVEL", "MOST", "POWER", "seeds_to_tell_apart"]

LEVEL = 0.05
"""How often two algorithms that are the same are found to differ all the same."""
POWER = 0.8
"""How often two that differ are found to differ."""
FEWEST = 2
"""With one seed nobody knows what another would give."""
MOST = 1_000_000
"""Who needs more seeds than that differs by rounding."""


def seeds_to_tell_apart(
    first: ArrayLike, second: ArrayLike, *, level: float = LEVEL, power: float = POWER
) -> int | None:
    """How many seeds of each algorithm it takes until their mean scores are found to differ; None: more than `MOST`.

    Args:
        first: (n_seeds, n_tasks), of at least two seeds.
        second: (n_other_seeds, n_tasks), likewise.
        level: the probability of telling equals apart.
        power: the probability of telling these two apart.

    Raises:
        ValueError: the scores are not finite numbers of these shapes, or of one seed; `level` or `power` is no
            probability between 0 and 1.
    """
    both = [as_scores(first), as_scores(second)]
    tasks = {scores.shape[1] for scores in both}
    if len(tasks) > 1:
        raise ValueError(f"both are compared on the same tasks, and have {both[0].shape[1]} and {both[1].shape[1]}")
    if min(len(scores) for scores in both) < FEWEST:
        raise ValueError("how scores vary between seeds is known from two seeds on, and one was given")
    for name, given in (("level", level), ("power", power)):
        if not 0 < given < 1:
            raise ValueError(f"{name} is a probability between 0 and 1, and {given} was given")
    apart = float(np.abs(both[0].mean(axis=0).sum() - both[1].mean(axis=0).sum()))
    variance = sum(float(scores.var(axis=0, ddof=1).sum()) for scores in both)
    quantiles = NormalDist().inv_cdf(1 - level / 2) + NormalDist().inv_cdf(power)
    if apart == 0 or apart < quantiles * sqrt(variance / MOST):
        return None
    return max(FEWEST, ceil(variance * (quantiles / apart) ** 2))
