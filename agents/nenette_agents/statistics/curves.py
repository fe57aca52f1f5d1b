"""Learning curves at equal step counts, and the area under them.

Between the steps at which a run was scored, its score is taken to go in a straight line.
"""

import numpy as np
from numpy.typing import ArrayLike

from nenette_agents.statistics.aggregates import Floats

__all__ = ["area_under_curve", "at_steps"]


def _curve(steps: ArrayLike, scores: ArrayLike) -> tuple[Floats, Floats]:
    xs, ys = np.asarray(steps, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if xs.ndim != 1 or xs.shape != ys.shape or len(xs) == 0:
        raise ValueError(f"a curve has as many scores as steps, and at least one, not {ys.shape} and {xs.shape}")
    if not (np.diff(xs) > 0).all():
        raise ValueError("the steps of a curve increase")
    return xs, ys


def at_steps(steps: ArrayLike, scores: ArrayLike, wanted: ArrayLike) -> Floats:
    """A run's scores at other steps than those at which it was scored, float64 of the shape of `wanted`.

    Args:
        steps: (n,), increasing.
        scores: (n,).
        wanted: steps within these. What lies outside by a hundredth of the last step at most, because a learner reports
            at its first chance after a step, gets the score of the nearest end.

    Raises:
        ValueError: the curve is not one, or steps are asked for that it does not reach.
    """
    (xs, ys), at = _curve(steps, scores), np.asarray(wanted, dtype=np.float64)
    slack = 0.01 * xs[-1]
    if at.size and (at.min() < xs[0] - slack or at.max() > xs[-1] + slack):
        raise ValueError(
            f"the curve goes from step {xs[0]:.0f} to {xs[-1]:.0f}, and {at.min():.0f} to {at.max():.0f} were wanted"
        )
    return np.interp(at, xs, ys)


def area_under_curve(steps: ArrayLike, scores: ArrayLike) -> float:
    """The mean score over the steps of a curve: its area over their length; of a single point, its score.

    Curves are to be compared at the same first and last step, see `at_steps`.

    Raises:
        ValueError: the curve is not one.
    """
    xs, ys = _curve(steps, scores)
    if len(xs) == 1:
        return float(ys[0])
    return float(((ys[1:] + ys[:-1]) / 2 * np.diff(xs)).sum() / (xs[-1] - xs[0]))
