"""The best response to a fixed way of playing: a one-player game with cycles, solved by policy iteration.

Policy iteration alternates between the exact value of the current play (a linear system) and play that is best against
these values; it ends after finitely many rounds at the optimum (Puterman, *Markov Decision Processes*, 1994, ch. 7).
Value iteration stopped by a small change would not do: on cyclic games it can stop anywhere.

Two cases. Where the game ends for certain however it is played, every play has a value and the sweep through the layers
finds the best one. Where it can be kept going for ever, which is worth 0, there are sets of states in which the
responder can stay as long as it likes (*end components*). They are merged into one state with the further action of
staying for ever: in the merged game every policy comes to an end, and policy iteration is sound again (cf. Haddad and
Monmege, *Interval iteration algorithm for MDPs and IMDPs*, 2018).
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nenette.exact.chain import PolicyEvaluator, by_side, expectations, sweep
from nenette.exact.model import Floats, Ints, Model
from nenette.exact.sweeps import FIXED, MAXIMIZES

TOLERANCE = 1e-12
"""Actions whose values differ by less are held to be equal; the values themselves are within 1 of 0."""
MAX_ROUNDS = 1000


class Unsolvable(ValueError):  # noqa: N818 (it is the game that is so)
    """The game, or its rule set, is beyond this solver."""


@dataclass(frozen=True, eq=False)
class Response:
    """A best response.

    Attributes:
        values: float64, (n_states, sides): the responder's value where it moves (column 0) and where the other does.
        rows: int64, (n_states,): the row it takes in each state when it is to move.
        rounds: rounds of policy iteration.
    """

    values: Floats
    rows: Ints
    rounds: int


def best_response(
    model: Model,
    opponent: Floats | None = None,
    evaluator: PolicyEvaluator | None = None,
    start: Response | None = None,
) -> Response:
    """Optimal play against an opponent who plays `opponent`, (n_rows,); in a solo game, optimal play.

    Args:
        model: the game.
        opponent: probabilities of each row; None in a solo game.
        evaluator: the model's, where there is one already.
        start: where to start from; the result does not depend on it.

    Raises:
        Unsolvable: the game can be kept going for ever, and that is worth something other than 0.
    """
    if model.always_ends:
        return _respond_in_layers(model, opponent, evaluator or PolicyEvaluator(model), start)
    if model.cost.any():
        raise Unsolvable("the best response is undefined: the game can go on for ever at a cost")
    return _respond_where_play_may_never_end(model, opponent)


def _respond_in_layers(
    model: Model, opponent: Floats | None, evaluator: PolicyEvaluator, start: Response | None
) -> Response:
    payoff = by_side(model, model.payoff)
    choices = np.repeat(model.row_start[:-1, None], model.sides, axis=1)
    entries = np.zeros((model.n_entries, model.sides))
    if start is not None:
        choices[:, 0] = start.rows
        entries = start.values[: model.n_entries]
    others = () if opponent is None else (opponent,)
    for rounds in range(MAX_ROUNDS):
        values, changed = sweep(model, entries, (MAXIMIZES, FIXED), choices, (None, *others), TOLERANCE)
        if rounds and not changed:
            return Response(values, choices[:, 0], rounds)
        entries = evaluator.totals((model.pure(choices[:, 0]), *others), [payoff])[0]
    raise Unsolvable(f"policy iteration found no best response in {MAX_ROUNDS} rounds")


def _respond_where_play_may_never_end(model: Model, opponent: Floats | None) -> Response:
    """Merges end components, then policy iteration on all pairs (state, side) at once."""
    n, sides = model.n_states, model.sides
    step, payoff, ends, first_row = _as_one_player_game(model, opponent)
    component = _end_components(step, first_row)
    n_merged = int(component.max()) + 1
    row_state = np.repeat(np.arange(sides * n), np.diff(first_row))
    merged_step = sparse.csr_array(step @ sparse.csr_array((np.ones(sides * n), (np.arange(sides * n), component))))
    # A row that cannot leave its component is the same as staying for ever; each component gets one such row, worth 0.
    within = np.abs(merged_step[np.arange(len(row_state)), component[row_state]] - 1.0) < TOLERANCE
    leaving = np.flatnonzero(~np.asarray(within).ravel())
    stays = np.unique(component[row_state[np.flatnonzero(np.asarray(within).ravel())]])
    owner = np.concatenate([component[row_state[leaving]], stays])
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    empty = sparse.csr_array((len(stays), n_merged))
    rows_step = sparse.csr_array(sparse.vstack([merged_step[leaving], empty]))[order]
    rows_payoff = np.concatenate([payoff[leaving], np.zeros(len(stays))])[order]
    rows_ends = np.concatenate([ends[leaving], np.ones(len(stays))])[order]
    first = np.searchsorted(owner, np.arange(n_merged))
    # Staying comes last in each component, so take the last row first: all of its plays come to an end.
    current = np.searchsorted(owner, np.arange(n_merged), side="right") - 1
    for rounds in range(1, MAX_ROUNDS):
        values = expectations(rows_step[current], rows_ends[current], rows_payoff[current][:, None])[:, 0]
        q = rows_step @ values + rows_payoff
        best = np.maximum.reduceat(q, first)
        worse = np.flatnonzero(q[current] < best - TOLERANCE)
        if not len(worse):
            return _unmerge(model, step, payoff, first_row, values[component], rounds)
        for state in worse:
            current[state] = first[state] + int(np.argmax(q[first[state] : np.searchsorted(owner, state, "right")]))
    raise Unsolvable(f"policy iteration found no best response in {MAX_ROUNDS} rounds")


def _as_one_player_game(model: Model, opponent: Floats | None) -> tuple[sparse.csr_array, Floats, Floats, Ints]:
    """Rows over all pairs (state, side): the responder's are the model's, the opponent's are averaged to one each."""
    n = model.n_states
    if opponent is None:
        return model.transition, model.payoff, model.ends, model.row_start
    play = sparse.csr_array((opponent, (model.row_state, np.arange(model.n_rows))))
    moved = sparse.csr_array(play @ model.transition)
    swapped = sparse.csr_array(sparse.hstack([moved[:, n:], moved[:, :n]]))
    step = sparse.csr_array(sparse.vstack([model.transition, swapped]))
    payoff = np.concatenate([model.payoff, -(play @ model.payoff)])
    ends = np.concatenate([model.ends, play @ model.ends])
    first_row = np.concatenate([model.row_start, model.n_rows + 1 + np.arange(n)])
    return step, payoff, ends, first_row


def _end_components(step: sparse.csr_array, first_row: Ints) -> Ints:
    """Maximal sets of states that can be kept for ever, numbered; any other state is a component of its own.

    Alternately drops the rows that may leave their strongly connected component and splits what is left (de Alfaro,
    *Formal verification of probabilistic systems*, 1997).
    """
    n = len(first_row) - 1
    row_state = np.repeat(np.arange(n), np.diff(first_row))
    total = step.sum(axis=1)
    alive = total > 1.0 - TOLERANCE  # a row that may end the game keeps nothing
    coordinates = step.tocoo()
    row, target = coordinates.coords
    while True:
        kept = alive[row] & (coordinates.data > 0)
        graph = sparse.csr_array((np.ones(kept.sum()), (row_state[row[kept]], target[kept])), shape=(n, n))
        _, label = connected_components(graph, directed=True, connection="strong")
        leaves = np.zeros(len(alive), dtype=bool)
        leaves[row[kept & (label[row_state[row]] != label[target])]] = True
        # A successor with no row left keeps nothing either.
        stuck = np.bincount(row_state[alive & ~leaves], minlength=n) == 0
        leaves[row[kept & stuck[target]]] = True
        if not (alive & leaves).any():
            break
        alive &= ~leaves
    has_row = np.bincount(row_state[alive], minlength=n) > 0
    component = np.where(has_row, label, n + np.arange(n))
    return np.unique(component, return_inverse=True)[1]


def _unmerge(
    model: Model, step: sparse.csr_array, payoff: Floats, first_row: Ints, values: Floats, rounds: int
) -> Response:
    """A choice of rows that attains the values: the best rows, and among them ones that make for an exit where it pays.

    Inside an end component all states have one value. If it is above 0 it is attained only by leaving through the best
    exit, so states are settled outward from those that have a best row leading to settled ones.
    """
    n, sides = model.n_states, model.sides
    row_state = np.repeat(np.arange(sides * n), np.diff(first_row))
    q = step @ values + payoff
    best = np.flatnonzero(q >= values[row_state] - 1e-9)
    chosen = np.full(sides * n, -1, dtype=np.int64)
    ending = step.sum(axis=1) < 1.0 - TOLERANCE
    settled = np.zeros(sides * n, dtype=bool)
    while True:
        reach = ending | (step @ settled.astype(float) > 0)
        rows = best[reach[best] & (chosen[row_state[best]] < 0)]
        if not len(rows):
            break
        states, where = np.unique(row_state[rows], return_index=True)
        chosen[states] = rows[where]
        settled[states] = True
    left = np.flatnonzero(chosen < 0)  # worth 0 by never ending: any best row will do
    states, where = np.unique(row_state[best], return_index=True)
    chosen[left] = best[where[np.searchsorted(states, left)]]
    both = values.reshape(sides, n).T.copy()
    return Response(both, chosen[:n], rounds)
