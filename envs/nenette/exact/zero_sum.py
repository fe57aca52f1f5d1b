"""Optimal play of two-player zero-sum games that end for certain: strategy iteration.

One player's play is fixed, the other's best response to it found exactly, the first one's play improved against the
values of that, and so on until nothing improves (Hoffman and Karp, *On nonterminating stochastic games*, 1966). The
values go one way only and plays are finitely many, so it stops; where it stops each play is a best response to the
other. How well the values found agree with that is stated as a residual.
"""

from dataclasses import dataclass

import numpy as np

from nenette.exact.chain import PolicyEvaluator, sweep
from nenette.exact.model import Floats, Ints, Model
from nenette.exact.responses import MAX_ROUNDS, TOLERANCE, Response, Unsolvable, best_response
from nenette.exact.sweeps import MAXIMIZES, MINIMIZES


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """Optimal play, the same from either seat.

    Attributes:
        values: float64, (n_states,): to whoever moves there.
        rows: int64, (n_states,): the row to take; of equally good ones the first.
        residual: the largest disagreement between an entry's value and one round of optimal play from it.
        rounds: rounds of strategy iteration.
    """

    values: Floats
    rows: Ints
    residual: float
    rounds: int


def solve_zero_sum(model: Model, evaluator: PolicyEvaluator | None = None) -> Equilibrium:
    """Optimal play of `model`.

    Raises:
        Unsolvable: the model is not of a two-player game that ends for certain however it is played.
    """
    if model.sides != 2 or not model.always_ends:
        raise Unsolvable(
            f"{model.game.name} can be kept going for ever: only a refinement of it has an optimum to play"
        )
    evaluator = evaluator or PolicyEvaluator(model)
    both = (MAXIMIZES, MINIMIZES)
    entries = np.zeros((model.n_entries, 2))
    choices = np.repeat(model.row_start[:-1, None], 2, axis=1)
    sweep(model, entries, both, choices, tolerance=TOLERANCE)
    rounds, minimizer = 0, np.empty(0, dtype=np.int64)
    response: Response | None = None
    values = entries
    while not np.array_equal(minimizer, choices[:, 1]):
        if rounds == MAX_ROUNDS:
            raise Unsolvable(f"strategy iteration did not end in {MAX_ROUNDS} rounds")
        rounds += 1
        minimizer = choices[:, 1].copy()
        response = best_response(model, model.pure(minimizer), evaluator, response)
        entries = response.values[: model.n_entries]
        values, _ = sweep(model, entries, both, choices, tolerance=TOLERANCE)
    residual = max(np.abs(values[: model.n_entries] - entries).max(), np.abs(entries.sum(axis=1)).max())
    values, _ = sweep(model, entries, both, choices, tolerance=-TOLERANCE)  # ties: the first of the best
    return Equilibrium(values[:, 0].copy(), choices[:, 0].copy(), float(residual), rounds)
