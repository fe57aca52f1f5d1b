"""Ratings from a table of exact values: Elo's, and Nash averaging.

`values[i, j]`, antisymmetric, is the win probability of i against j less its loss probability.

**Elo.** The score of i against j is s = (1 + values[i, j]) / 2: a draw counts one half. Elo's model has s = 1 / (1 +
10^((r_j - r_i) / 400)). The ratings are those of maximum likelihood for exact scores, each pair counting equally (the
maximum is found by Newton's method; its condition is that every policy's total score is what its rating predicts).
Exact scores of 0 or 1 would have infinite ratings, as would any table that splits into policies that win everything
against the others. So each pair is taken to have played `VIRTUAL_GAMES` games with these scores, and one game more,
drawn: no two ratings can then differ by more than that allows, and ratings that are not near the bound hardly move.

**Nash averaging** (Balduzzi, Tuyls, Perolat and Graepel, *Re-evaluating evaluation*, 2018). Two players each choose a
policy to be played for them: a zero-sum game with the table as payoffs, of value 0. Its symmetric equilibrium of
maximum entropy is unique, and a policy's average is its value against it: 0 for those that it plays, at most 0 for the
others. Unlike Elo's rating, this does not change when a policy is listed twice, and it shows cycles (A beats B beats C
beats A) from strength.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["ANCHOR", "VIRTUAL_GAMES", "elo_ratings", "nash_averages"]

Floats = NDArray[np.float64]

ANCHOR = "random"
"""Who has the Elo rating 0, if it is among the rated; without it the mean rating is 0."""
VIRTUAL_GAMES = 999
"""Games that each pair is taken to have played; with one game more, drawn."""

_SCALE = np.log(10) / 400
_ROUNDING = 1e-9


def elo_ratings(names: Sequence[str], values: Floats) -> Floats:
    """float64, (n,): maximum-likelihood Elo ratings; see the module's text.

    Args:
        names: of the policies; `ANCHOR` is put at 0.
        values: float64, (n, n).
    """
    n = len(names)
    others = 1.0 - np.eye(n)
    scores = (VIRTUAL_GAMES * (1 + values) / 2 + 0.5) / (VIRTUAL_GAMES + 1) * others
    ratings = np.zeros(n)  # in units of the logistic function

    def likelihood(at: Floats) -> float:
        ahead = at[:, None] - at
        return float((scores * -np.logaddexp(0.0, -ahead)).sum())

    for _ in range(200):
        foreseen = 1 / (1 + np.exp(ratings - ratings[:, None])) * others
        gradient = (scores - foreseen).sum(axis=1)
        if np.abs(gradient).max() < 1e-12:
            break
        weights = foreseen * foreseen.T
        curvature = np.diag(weights.sum(axis=1)) - weights + 1.0 / n  # the last term fixes the mean, which is free
        step = np.linalg.solve(curvature, gradient)
        step /= max(1.0, float(np.abs(step).max()))
        while np.abs(step).max() > 1e-15 and likelihood(ratings + step) < likelihood(ratings) - 1e-15:
            step /= 2
        ratings = ratings + step
    zero = ratings[list(names).index(ANCHOR)] if ANCHOR in names else ratings.mean()
    scaled: Floats = (ratings - zero) / _SCALE
    return scaled


def nash_averages(values: Floats) -> tuple[Floats, Floats]:
    """The maximum-entropy equilibrium's shares, float64 (n,), and each policy's value against it, float64 (n,).

    The equilibria are the shares p >= 0 with sum 1 and values @ p <= 0, a polytope, found by linear programming: first
    which policies any of them plays at all, then, among those, the one of maximum entropy, by a concave maximization in
    the affine space that the active constraints leave.

    Args:
        values: float64, (n, n), antisymmetric.
    """
    from scipy.optimize import linprog

    n = len(values)

    def most(weights: Floats) -> Floats:
        found = linprog(-weights, A_ub=values, b_ub=np.full(n, _ROUNDING), A_eq=np.ones((1, n)), b_eq=[1.0])
        assert found.success, found.message  # a symmetric game has an equilibrium
        return np.array(found.x, dtype=np.float64)

    extremes = np.stack([most(np.eye(n)[i]) for i in range(n)])
    # The mean of extreme equilibria is one, and plays whatever any equilibrium plays.
    inner = extremes.mean(axis=0)
    played = np.flatnonzero(inner > _ROUNDING * n)
    shares = np.zeros(n)
    shares[played] = inner[played] / inner[played].sum()
    if np.ptp(extremes, axis=0).max() > 1e-6:  # there are several
        shares[played] = _most_even(values[:, played], shares[played])
    averages: Floats = values @ shares
    return shares, averages


def _most_even(values: Floats, start: Floats) -> Floats:
    """The positive shares p of maximum entropy with sum 1 and values @ p <= 0."""
    from scipy.optimize import LinearConstraint, minimize

    def disorder(p: Floats) -> float:
        return float((p * np.log(p)).sum())

    def slope(p: Floats) -> Floats:
        return np.log(p) + 1

    found = minimize(
        disorder,
        start,
        jac=slope,
        method="SLSQP",
        bounds=[(1e-12, 1.0)] * len(start),
        constraints=[
            LinearConstraint(np.ones((1, len(start))), 1.0, 1.0),
            LinearConstraint(values, -np.inf, _ROUNDING),
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    shares: Floats = found.x / found.x.sum() if found.success else start
    return shares
