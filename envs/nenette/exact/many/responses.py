"""The best response of one seat to what all others play, or of all others together to what one plays.

Either is a one-player game with cycles over (state, seat to move), solved by policy iteration (Puterman, *Markov
Decision Processes*, 1994, ch. 7): the exact value of the current play, then play that is better against these values.

A game that never ends has value 0. Policy iteration begins with play that never ends wherever the responder can have
that: in the largest *closed* set, the states in which it can stay for ever. Values only rise from one round to the
next, so those in the closed set are never below 0. Where no action improves them any more, they are optimal. To see it,
let v be these values, and let the responder play anything. The expected value of the state reached, plus what has been
paid so far, never rises. If the game goes on for ever, it is in the closed set from some turn on; v is at least 0
there, and a game that goes on for ever pays 0. So no play gets more than v.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nenette.exact.many.chain import Round, RoundSystem
from nenette.exact.many.model import ManyModel
from nenette.exact.model import Floats, Ints
from nenette.exact.responses import Unsolvable

__all__ = ["ManyResponse", "advantages", "first_best", "improve", "respond", "respond_within"]

TOLERANCE = 1e-15
"""Actions whose advantage is smaller count as equal; advantages are computed from differences of values."""
MAX_ROUNDS = 200


@dataclass(frozen=True, eq=False)
class ManyResponse:
    """A best response.

    Attributes:
        values: one a seat to move, float64 (n_states,): what the seat that is spoken of gets.
        rows: one a seat, int64 (n_states,): the row that is taken there; of seats that do not respond, nothing.
        rounds: rounds of policy iteration.
    """

    values: list[Floats]
    rows: dict[int, Ints]
    rounds: int


def respond(
    model: ManyModel,
    behaviours: Sequence[Floats],
    responders: Sequence[int],
    seat: int,
    start: dict[int, Ints] | None = None,
) -> ManyResponse:
    """The best play of `responders` against the rest, for `seat`, or against it where it is not one of them.

    Args:
        model: the game.
        behaviours: one a seat, float64 (n_rows,); those of responders are not looked at.
        responders: seats; either `seat` alone, or all others.
        seat: whose value is wanted: responders maximise it if it is one of them, else minimise it.
        start: rows to begin with where the game cannot be kept for ever; the result does not depend on it.

    Raises:
        Unsolvable: policy iteration does not end, or a play's games are too long for floating-point numbers.
    """
    n = model.players
    sign = 1.0 if seat in responders else -1.0
    rows = {m: model.row_start[:-1].copy() if start is None else start[m].copy() for m in responders}
    _stay(model, behaviours, rows)
    fixed = Round.of(model, [behaviours[m] if m not in rows else model.uniform() for m in range(n)])
    payoffs = [model.wins @ model.prizes_of(seat, m) for m in range(n)]
    values: list[Floats] | None = None
    for rounds in range(1, MAX_ROUNDS):
        steps, wins = list(fixed.steps), list(fixed.wins)
        gains = [fixed.wins[m] @ model.prizes_of(seat, m) for m in range(n)]
        for m, taken in rows.items():
            steps[m], wins[m] = sparse.csr_array(model.step[taken]), model.wins[taken]
            gains[m] = payoffs[m][taken]
        values = RoundSystem(Round(steps, wins)).solve(gains, values)
        changed = False
        for m, taken in rows.items():
            changed |= improve(model, sign * advantages(model, payoffs[m], values[m], values[(m + 1) % n]), taken)
        if not changed:
            return ManyResponse(values, rows, rounds)
    raise Unsolvable(f"policy iteration found no best response in {MAX_ROUNDS} rounds")


def advantages(model: ManyModel, payoff: Floats, here: Floats, there: Floats) -> Floats:
    """float64, (n_rows,): the value of each row less the value of its state, computed from differences.

    Args:
        model: the game.
        payoff: what each row pays at once, (n_rows,).
        here: values of the states, (n_states,).
        there: values of the states where the next seat is to move, (n_states,).
    """
    step, own = model.step, here[model.row_state]
    differences = step.data * (there[step.indices] - np.repeat(own, np.diff(step.indptr)))
    moved = np.zeros(model.n_rows)
    leading = np.flatnonzero(np.diff(step.indptr))  # a row may always end the game
    moved[leading] = np.add.reduceat(differences, step.indptr[leading])
    gained: Floats = payoff - model.ends * own + moved
    return gained


def improve(model: ManyModel, advantage: Floats, rows: Ints, some: Callable[[Ints], Ints] | None = None) -> bool:
    """Changes rows to the best ones of their states, where those are better by more than the tolerance.

    Args:
        model: the game.
        advantage: of each row, (n_rows,).
        rows: int64, (n_states,): changed in place.
        some: picks the states to change from all those that could; None changes all.

    Returns:
        Whether any row could be improved.
    """
    best = np.maximum.reduceat(advantage, model.row_start[:-1])
    worse: Ints = np.flatnonzero(best > advantage[rows] + TOLERANCE)
    if not len(worse):
        return False
    changed = worse if some is None else some(worse)
    rows[changed] = first_best(model, advantage)[changed]
    return True


def first_best(model: ManyModel, advantage: Floats) -> Ints:
    """int64, (n_states,): of each state the first of its best rows."""
    best = np.maximum.reduceat(advantage, model.row_start[:-1])
    candidates = np.flatnonzero(advantage == best[model.row_state])
    _, where = np.unique(model.row_state[candidates], return_index=True)
    rows: Ints = candidates[where]
    return rows


def _stay(model: ManyModel, behaviours: Sequence[Floats], rows: dict[int, Ints]) -> None:
    """Lets responders stay wherever they can keep the game for ever: the largest closed set."""
    n = model.players
    closed = [np.ones(model.n_states, dtype=np.bool_) for _ in range(n)]
    staying: dict[int, NDArray[np.bool_]] = {}
    keeps = model.ends == 0.0
    played = [None if m in rows else model.averaging(behaviours[m]) for m in range(n)]
    averaged = [None if mean is None else sparse.csr_array(mean @ model.step) for mean in played]
    ending = [None if mean is None else mean @ model.ends > 0.0 for mean in played]
    unchanged, m = 0, n - 1
    while unchanged < n:
        outside = (~closed[(m + 1) % n]).astype(np.float64)
        step, ends = averaged[m], ending[m]
        if step is not None and ends is not None:
            kept = ~ends & (step @ outside == 0.0)
        else:
            staying[m] = keeps & (model.step @ outside == 0.0)
            kept = np.logical_or.reduceat(staying[m], model.row_start[:-1])
        kept &= closed[m]
        unchanged = unchanged + 1 if np.array_equal(kept, closed[m]) else 0
        closed[m] = kept
        m = (m - 1) % n
    for m, taken in rows.items():
        taken[closed[m]] = first_best(model, staying[m].astype(np.float64))[closed[m]]


def respond_within(model: ManyModel, behaviours: Sequence[Floats], responder: int, turns: int) -> list[Floats]:
    """What `responder` gets at best where the game is cut after so many turns: one array a seat to move, (n_states,).

    The best response counts the turns.
    """
    n = model.players
    payoffs = [model.wins @ model.prizes_of(responder, m) for m in range(n)]
    play = Round.of(model, behaviours)
    gains = [play.wins[m] @ model.prizes_of(responder, m) for m in range(n)]
    values = [np.zeros(model.n_states) for _ in range(n)]
    for _ in range(turns):
        after = values
        values = [gains[m] + play.steps[m] @ after[(m + 1) % n] for m in range(n)]
        q = payoffs[responder] + model.step @ after[(responder + 1) % n]
        values[responder] = np.maximum.reduceat(q, model.row_start[:-1])
    return values
