"""Whether two rankings of the same algorithms agree."""

import numpy as np
from numpy.typing import ArrayLike

from nenette_agents.statistics.aggregates import Floats, Statistic, as_scores, interquartile_mean

__all__ = ["halves_agreement", "kendall_tau"]


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float | None:
    """Kendall's tau-b of two lists of figures, both (n,): 1 where they rank alike, -1 where one is the other's reverse.

    None where one of them ranks nothing: all its figures are equal, or there is only one.

    Raises:
        ValueError: they are not lists of one length.
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"rankings are lists of one length, not {one.shape} and {other.shape}")
    signs = np.sign(one[:, None] - one), np.sign(other[:, None] - other)
    pairs = float(np.sqrt((signs[0] ** 2).sum() * (signs[1] ** 2).sum()))
    return float((signs[0] * signs[1]).sum()) / pairs if pairs else None


def halves_agreement(scores: list[Floats], statistic: Statistic = interquartile_mean) -> float | None:
    """Kendall's tau of the rankings of algorithms by the first half of their seeds and by the second.

    Args:
        scores: for each algorithm (n_seeds, n_tasks), rows by the same seeds; the one in the middle of an odd number
            belongs to no half.
        statistic: what ranks them.

    Raises:
        ValueError: the scores are not finite numbers of one shape, or there is only one seed.
    """
    found = [as_scores(one) for one in scores]
    if len({one.shape for one in found}) > 1:
        raise ValueError("halves are those of the same seeds and tasks for every algorithm, and their numbers differ")
    half = len(found[0]) // 2 if found else 0
    if half == 0:
        raise ValueError("two halves need two seeds at least")
    return kendall_tau(
        [float(statistic(one[:half])) for one in found], [float(statistic(one[-half:])) for one in found]
    )
