"""What is expected of a game of n players when everybody's play is fixed: a Markov chain over (state, seat to move).

The chain goes round the table: x_m = b_m + P_m x_(m+1), where x_m holds the values of all states in which seat m moves.
Put together, x_0 = c + P_0 P_1 .. P_(n-1) x_0, a system of the size of one seat's table. It is solved by GMRES (Saad
and Schultz 1986), and what is left over is solved for again until nothing is left.

What is left over is b - (I - P) x, and is computed as b_i - q_i x_i + sum_j P_ij (x_j - x_i), with q_i the probability
of leaving: the idea of Grassmann, Taksar and Heyman (1985). Careful players of demi-iles leave a state one time in a
million turns, or in a thousand million. Then all values are nearly equal, their differences are small numbers that are
known to their last digit, and nothing is lost that is lost in 1 - P.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, gmres

from nenette.compiling import njit
from nenette.exact.many.model import ManyModel
from nenette.exact.model import Floats
from nenette.exact.responses import Unsolvable

__all__ = ["Round", "RoundSystem"]

_SETTLED = 1e-13
"""A correction that is smaller, relative to the largest value, is the last one."""
_GOOD = 1e-10
"""One that is as small and has stopped falling is the last one, too."""
_CORRECTIONS = 60
_REDUCTION = 1e-6
"""Of what is left over, by one run of GMRES: more than differences of nearly equal values allow is not asked for."""
_RESTART, _CYCLES = 60, 4


@dataclass(frozen=True, eq=False)
class Round:
    """Everybody's play, once round the table.

    Attributes:
        steps: one a seat, CSR (n_states, n_states): probabilities of the next state when that seat moves; the same
            object where the same play sits.
        wins: one a seat, float64 (n_states, players): probability that the game ends at once and the player who sits so
            many seats after that seat has won.
    """

    steps: list[sparse.csr_array]
    wins: list[Floats]

    @classmethod
    def of(cls, model: ManyModel, behaviours: Sequence[Floats]) -> "Round":
        """The chain when seat m plays behaviours[m], each (n_rows,)."""
        known: dict[int, tuple[sparse.csr_array, Floats]] = {}
        for behaviour in behaviours:
            if id(behaviour) not in known:
                mean = model.averaging(behaviour)
                known[id(behaviour)] = (sparse.csr_array(mean @ model.step), mean @ model.wins)
        parts = [known[id(behaviour)] for behaviour in behaviours]
        return cls([step for step, _ in parts], [wins for _, wins in parts])

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.steps)

    def can_end(self) -> list[NDArray[np.bool_]]:
        """One a seat, bool (n_states,): whether the game has any chance of ending from there."""
        n = self.players
        ending = [wins.sum(axis=1) > 0 for wins in self.wins]
        unchanged, m = 0, n - 1
        while unchanged < n:
            wider = ending[m] | (self.steps[m] @ ending[(m + 1) % n].astype(np.float64) > 0)
            unchanged = unchanged + 1 if np.array_equal(wider, ending[m]) else 0
            ending[m] = wider
            m = (m - 1) % n
        return ending

    def chances(
        self, seat: int, system: "RoundSystem | None" = None, start: list[Floats] | None = None
    ) -> list[Floats]:
        """Probability that `seat` wins: one array a seat to move, float64 (n_states,)."""
        n = self.players
        return (system or RoundSystem(self)).solve([self.wins[m][:, (seat - m) % n] for m in range(n)], start)


class RoundSystem:
    """The linear systems of a round, made ready once; play that cannot end counts for nothing."""

    def __init__(self, play: Round) -> None:
        n = play.players
        self._can_end = can_end = play.can_end()
        self._alike = all(step is play.steps[0] for step in play.steps)
        everything = self.always_ends
        self._steps, self._leaving = list[sparse.csr_array](), list[Floats]()
        for m in range(n):
            if m and self._alike and everything:
                self._steps.append(self._steps[0])
                self._leaving.append(self._leaving[0])
                continue
            step, leaving = play.steps[m], play.wins[m].sum(axis=1)
            if not everything:
                after = can_end[(m + 1) % n]
                leaving = leaving + step @ (~after).astype(np.float64)
                kept = sparse.diags_array(can_end[m].astype(np.float64)) @ step
                step = sparse.csr_array(kept @ sparse.diags_array(after.astype(np.float64)))
                step.eliminate_zeros()
            self._steps.append(step)
            self._leaving.append(leaving)

    @property
    def always_ends(self) -> bool:
        """Whether the game ends for certain, wherever it stands."""
        return all(bool(good.all()) for good in self._can_end)

    def solve(self, gains: Sequence[Floats], start: list[Floats] | None = None) -> list[Floats]:
        """Expected totals until the end of the game: one array a seat to move, (n_states,).

        Args:
            gains: one a seat, (n_states,): what is gained when it moves.
            start: values that may be near; the result does not depend on them.

        Raises:
            Unsolvable: the totals cannot be computed: games last longer than floating-point numbers can follow.
        """
        n = len(gains)
        b = [np.where(good, gain, 0.0) for good, gain in zip(self._can_end, gains, strict=True)]
        x = [np.zeros_like(gain) for gain in b] if start is None else [values.copy() for values in start]
        for k in range(n):
            x[k][~self._can_end[k]] = 0.0
        last = np.inf
        for _ in range(_CORRECTIONS):
            left = [self._left_over(m, b[m], x[m], x[(m + 1) % n]) for m in range(n)]
            change = self._round_trip(left)
            x = [values + more for values, more in zip(x, change, strict=True)]
            largest = max(np.abs(values).max() for values in x)
            moved = max(np.abs(more).max() for more in change)
            if moved <= _SETTLED * largest or (moved >= last and moved <= _GOOD * largest):
                return x
            last = moved
        raise Unsolvable(
            "this play cannot be scored exactly: its games are too long for floating-point numbers (after "
            f"{_CORRECTIONS} corrections the values still change by {moved:.1e})"
        )

    def _round_trip(self, gains: Sequence[Floats]) -> list[Floats]:
        """Values from gains, up to what GMRES leaves."""
        n = len(gains)
        if not any(gain.any() for gain in gains):
            return [np.zeros_like(gain) for gain in gains]
        gathered = gains[n - 1]
        for m in range(n - 2, -1, -1):
            gathered = gains[m] + self._steps[m] @ gathered
        size = len(gathered)
        operator = LinearOperator((size, size), matvec=self._less_a_round, dtype=np.float64)
        scale = float(np.abs(gathered).max())
        first = np.zeros(size)
        if scale > 0.0:
            solved, _ = gmres(operator, gathered / scale, rtol=_REDUCTION, atol=0.0, restart=_RESTART, maxiter=_CYCLES)
            first = solved * scale
        values = [first] * n
        after = first
        for m in range(n - 1, 0, -1):
            values[m] = after = gains[m] + self._steps[m] @ after
        return values

    def _less_a_round(self, values: Floats) -> Floats:
        after = values
        for step in reversed(self._steps):
            after = step @ after
        return values - after

    def _left_over(self, m: int, gains: Floats, here: Floats, there: Floats) -> Floats:
        step = self._steps[m]
        left: Floats = _left_over(step.indptr, step.indices, step.data, self._leaving[m], gains, here, there)
        return left


@njit()
def _left_over(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    leaving: NDArray[np.float64],
    gains: NDArray[np.float64],
    here: NDArray[np.float64],
    there: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(n,): gains - leaving * here + sum over next states of probability * (there - here)."""
    n = len(gains)
    left = np.empty(n)
    for i in range(n):
        total = gains[i] - leaving[i] * here[i]
        for e in range(indptr[i], indptr[i + 1]):
            total += probabilities[e] * (there[indices[e]] - here[i])
        left[i] = total
    return left
