"""From a large cyclic game to a small linear system, and back.

When both sides' play is fixed, following it from each entry of a model until the next one leaves a Markov chain over
(entry, side) pairs. Its linear systems give expected totals (values, chances of winning, numbers of decisions, regrets)
exactly but for rounding. With the entries' values known, one pass backwards gives those of all states.

Two players, A and B: side 0 is where A is to move, side 1 where B is, and values are A's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from nenette.exact.elimination import eliminate, solve_values, solve_visits
from nenette.exact.model import Floats, Ints, Model
from nenette.exact.sweeps import backward_pass, forward_pass, visits_pass

_SMALL = 1000
"""States of a chain that is solved in some hundredths of a second with dense arrays."""


@dataclass(frozen=True, eq=False)
class Chain:
    """The Markov chain over (entry, side) pairs; pair (e, k) stands at k * n_entries + e.

    Attributes:
        step: CSR, (pairs, pairs): probabilities of the next pair.
        ends: float64, (pairs,): probabilities that the game ends before the next pair.
        totals: float64, (pairs, m): expected totals of m quantities until the next pair.
    """

    step: sparse.csr_array
    ends: Floats
    totals: Floats

    @property
    def can_end(self) -> NDArray[np.bool_]:
        """bool, (pairs,): whether the game has any chance of ending from there."""
        ending = self.ends > 0
        while True:
            wider = ending | (self.step @ ending.astype(float) > 0)
            if np.array_equal(wider, ending):
                return ending
            ending = wider

    def expectations(self) -> Floats:
        """float64, (pairs, m): expected totals until the end of the game; play that cannot end counts for nothing."""
        result = np.zeros_like(self.totals)
        can_end = self.can_end
        good, bad = np.flatnonzero(can_end), np.flatnonzero(~can_end)
        if len(good):
            leaving = self.ends[good] + self.step[good][:, bad].sum(axis=1)
            result[good] = expectations(self.step[good][:, good], leaving, self.totals[good])
        return result

    def visits(self, start: Floats) -> Floats:
        """float64, (pairs,): expected visits to each pair of a game that begins as `start`, (pairs,), says.

        Pairs from which the game cannot end, which would be met for ever, count as never met.
        """
        result = np.zeros(len(start))
        can_end = self.can_end
        good, bad = np.flatnonzero(can_end), np.flatnonzero(~can_end)
        if len(good):
            leaving = self.ends[good] + self.step[good][:, bad].sum(axis=1)
            result[good] = visits(self.step[good][:, good], leaving, start[good])
        return result


def expectations(step: sparse.csr_array, leaving: Floats, totals: Floats) -> Floats:
    """Expected totals, (n, m), until a chain is left, from those of a single step.

    Small chains are solved without a single subtraction (Grassmann, Taksar and Heyman, *Regenerative analysis and
    steady state distributions for Markov chains*, 1985). A game that goes on for a billion turns unless somebody errs
    is left with probabilities that vanish in 1 - P, and the result with them; here each of them counts.

    Args:
        step: CSR, (n, n): probabilities of the next state.
        leaving: float64, (n,): probabilities of leaving instead; all states can be left sooner or later.
        totals: float64, (n, m): expected totals of a step.
    """
    n = len(leaving)
    if n <= _SMALL:
        dense, probabilities, result = step.toarray(), leaving.copy(), np.ascontiguousarray(totals.T)
        if eliminate(dense, probabilities, n):
            for total in result:
                solve_values(dense, probabilities, n, total)
            return result.T
    solved: Floats = splu(sparse.csc_array(sparse.eye_array(n) - step)).solve(totals)
    return solved


def visits(step: sparse.csr_array, leaving: Floats, start: Floats) -> Floats:
    """float64, (n,): expected visits to the states of a chain until it is left; see `expectations`.

    Args:
        step: CSR, (n, n): probabilities of the next state.
        leaving: float64, (n,): probabilities of leaving instead; all states can be left sooner or later.
        start: float64, (n,): probabilities of beginning in each state.
    """
    n = len(leaving)
    if n <= _SMALL:
        dense, probabilities, result = step.toarray(), leaving.copy(), start.copy()
        if eliminate(dense, probabilities, n):
            solve_visits(dense, probabilities, n, result)
            return result
    solved: Floats = splu(sparse.csc_array((sparse.eye_array(n) - step).T)).solve(start)
    return solved


class PolicyEvaluator:
    """Evaluates the fixed play of both sides in a model; made once for a model and used for any play."""

    def __init__(self, model: Model) -> None:
        self.model = model
        n, entries = model.n_states, model.n_entries
        self._pairs = pairs = model.sides * entries
        entry, passed = model.regions
        self._pair = entry + entries * passed
        matrix = model.transition
        target, side = matrix.indices % n, matrix.indices // n
        back = np.flatnonzero(target < entries)
        edge_state = np.repeat(model.row_state, np.diff(matrix.indptr))
        # The chain has far fewer cells than the model has edges back to entries; which edge belongs to which is found
        # once.
        keys = self._pair[edge_state[back]] * pairs + target[back] + entries * side[back]
        cells, which = np.unique(keys, return_inverse=True)
        self._cell = np.full(matrix.nnz, -1, dtype=np.int32)
        self._cell[back] = which
        self._from, self._to = cells // pairs, cells % pairs

    def chain(self, behaviours: Sequence[Floats], quantities: Sequence[Floats] = ()) -> Chain:
        """The chain when side k plays `behaviours[k]`.

        Args:
            behaviours: one a side, float64 (n_rows,).
            quantities: what to add up: each float64 (n_rows, sides), what taking a row on a side contributes.
        """
        model, pairs = self.model, self._pairs
        matrix = model.transition
        kept = np.stack(list(quantities)) if quantities else np.zeros((0, model.n_rows, model.sides))
        back, ends, totals = forward_pass(
            model.row_start,
            matrix.indptr,
            matrix.indices,
            matrix.data,
            model.ends,
            np.stack(list(behaviours)),
            self._pair,
            self._cell,
            len(self._from),
            kept,
            model.n_entries,
        )
        step = sparse.csr_array((pairs, pairs))
        for k in range(model.sides):
            flip = k * model.n_entries
            where = ((self._from + flip) % pairs, (self._to + flip) % pairs)
            step = step + sparse.csr_array((back[k], where), shape=(pairs, pairs))
        step.eliminate_zeros()
        return Chain(step, ends, totals)

    def totals(self, behaviours: Sequence[Floats], quantities: Sequence[Floats]) -> Floats:
        """float64, (m, n_entries, sides): expected totals until the end of the game, from each entry on each side."""
        by_pair = self.chain(behaviours, quantities).expectations().T
        totals: Floats = by_pair.reshape(len(quantities), self.model.sides, self.model.n_entries).transpose(0, 2, 1)
        return totals

    def visits(self, behaviours: Sequence[Floats], start: Floats) -> Floats:
        """float64, (n_states, sides): expected visits to each state until the end of the game.

        Args:
            behaviours: one a side, float64 (n_rows,).
            start: float64, (n_entries, sides): probabilities of beginning there.
        """
        model = self.model
        entries = self.chain(behaviours).visits(start.T.ravel()).reshape(model.sides, model.n_entries)
        matrix = model.transition
        met: Floats = visits_pass(
            model.row_start,
            matrix.indptr,
            matrix.indices,
            matrix.data,
            np.stack(list(behaviours)),
            np.ascontiguousarray(entries.T),
        )
        return met


def sweep(
    model: Model,
    entries: Floats,
    goals: Sequence[int],
    choices: Ints,
    behaviours: Sequence[Floats | None] = (None, None),
    tolerance: float = 0.0,
) -> tuple[Floats, int]:
    """One pass backwards: see `nenette.exact.sweeps.backward_pass`.

    Args:
        model: the game.
        entries: float64, (n_entries, sides).
        goals: one a side: FIXED, MAXIMIZES or MINIMIZES.
        choices: int64, (n_states, sides), changed in place.
        behaviours: one a side, float64 (n_rows,); None for a side that chooses.
        tolerance: how much better a row must be to be changed to.
    """
    matrix = model.transition
    played = np.zeros((model.sides, model.n_rows if any(b is not None for b in behaviours) else 0))
    for k, behaviour in enumerate(behaviours[: model.sides]):
        if behaviour is not None:
            played[k] = behaviour
    values, changed = backward_pass(
        model.row_start,
        matrix.indptr,
        matrix.indices,
        matrix.data,
        model.payoff,
        np.ascontiguousarray(entries),
        np.array(goals[: model.sides], dtype=np.int64),
        played,
        choices,
        tolerance,
    )
    return values, changed


def by_side(model: Model, per_mover: Floats) -> Floats:
    """A reward of the mover's, (n_rows,), seen from A's side: (n_rows, sides), negated where B moves."""
    for_a: Floats = per_mover[:, None] * np.array([1.0, -1.0])[: model.sides]
    return for_a
