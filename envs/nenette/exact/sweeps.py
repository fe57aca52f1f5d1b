"""The two passes over a model's states, compiled.

Both work on two sides at once (one in a solo game): side 0 is player A's view of the states in which A moves, side 1
that of those in which B moves, and all values are A's. States are visited in the order of the layers, so a single pass
suffices. See `nenette.exact.model` for the arrays and `nenette.exact.chain` for what the passes are for. Plain loops
and no slices: these compile in a fraction of the time, and the first solution on a machine waits for it.
"""

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit

FIXED, MAXIMIZES, MINIMIZES = 0, 1, -1


@njit()
def backward_pass(
    row_start: NDArray[np.int64],
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    payoff: NDArray[np.float64],
    entries: NDArray[np.float64],
    goals: NDArray[np.int64],
    behaviours: NDArray[np.float64],
    choices: NDArray[np.int64],
    tolerance: float,
) -> tuple[NDArray[np.float64], int]:
    """States' values (n_states, sides) when the entries have the values `entries`, and how many choices changed.

    Side k follows `behaviours[k]` (n_rows,) where goals[k] is FIXED. Otherwise it takes the row `choices[s, k]`
    (n_states, sides; changed in place), after replacing it by the first best one wherever that is better by more than
    `tolerance`. A negative tolerance takes the first of all rows within -tolerance of the best.
    """
    n, sides, n_entries = len(row_start) - 1, entries.shape[1], len(entries)
    values = np.empty((n, sides))
    changed = 0
    widest = 0
    for s in range(n):
        widest = max(widest, row_start[s + 1] - row_start[s])
    q = np.empty(widest)
    for s in range(n - 1, -1, -1):
        first, last = row_start[s], row_start[s + 1]
        for k in range(sides):
            mean, best = 0.0, -np.inf
            for row in range(first, last):
                if goals[k] == FIXED and behaviours[k, row] == 0.0:
                    continue
                value = payoff[row] if k == 0 else -payoff[row]
                for e in range(indptr[row], indptr[row + 1]):
                    target = indices[e]
                    side = k
                    if target >= n:
                        target -= n
                        side = 1 - k
                    value += probabilities[e] * (entries[target, side] if target < n_entries else values[target, side])
                if goals[k] == FIXED:
                    mean += behaviours[k, row] * value
                else:
                    q[row - first] = goals[k] * value
                    best = max(best, q[row - first])
            if goals[k] == FIXED:
                values[s, k] = mean
                continue
            current = choices[s, k] - first
            if tolerance < 0.0 or q[current] < best - tolerance:
                row = 0
                while q[row] < best - abs(tolerance):
                    row += 1
                if row != current:
                    changed += 1
                    current = row
                    choices[s, k] = first + row
            values[s, k] = goals[k] * q[current]
    return values, changed


@njit()
def forward_pass(
    row_start: NDArray[np.int64],
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    ends: NDArray[np.float64],
    behaviours: NDArray[np.float64],
    pair: NDArray[np.int64],
    cell: NDArray[np.int32],
    cells: int,
    quantities: NDArray[np.float64],
    n_entries: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Follows `behaviours` (sides, n_rows) from every entry on every side until the next entry or the end.

    Args:
        row_start: the model's.
        indptr: its transition matrix's.
        indices: its transition matrix's.
        probabilities: its transition matrix's.
        ends: the model's.
        behaviours: probabilities of each row on each side.
        pair: (n_states,): the (entry, side) pair above each state when it is met on side 0.
        cell: (edges,): which cell of the chain an edge back to an entry belongs to; -1 for the others.
        cells: number of cells.
        quantities: (m, n_rows, sides): what taking a row contributes to each total.
        n_entries: number of entries.

    Returns:
        Probabilities of each cell for pairs that began on either side (sides, cells); probabilities that the game ends
        (pairs,); expected totals (pairs, m).
    """
    n, sides, totals_kept = len(row_start) - 1, len(behaviours), len(quantities)
    pairs = sides * n_entries
    visits = np.zeros((n, sides))
    for s in range(n_entries):
        for k in range(sides):
            visits[s, k] = 1.0
    back = np.zeros((sides, cells))
    ended = np.zeros(pairs)
    totals = np.zeros((pairs, totals_kept))
    for s in range(n):
        for k in range(sides):
            if visits[s, k] == 0.0:
                continue
            above = (pair[s] + k * n_entries) % pairs
            for row in range(row_start[s], row_start[s + 1]):
                weight = visits[s, k] * behaviours[k, row]
                if weight == 0.0:
                    continue
                ended[above] += weight * ends[row]
                for m in range(totals_kept):
                    totals[above, m] += weight * quantities[m, row, k]
                for e in range(indptr[row], indptr[row + 1]):
                    if cell[e] >= 0:
                        back[k, cell[e]] += weight * probabilities[e]
                    elif indices[e] >= n:
                        visits[indices[e] - n, 1 - k] += weight * probabilities[e]
                    else:
                        visits[indices[e], k] += weight * probabilities[e]
    return back, ended, totals


@njit()
def visits_pass(
    row_start: NDArray[np.int64],
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    behaviours: NDArray[np.float64],
    entries: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Visits to every state (n_states, sides), when the entries are met as often as `entries` (n_entries, sides) says.

    Args:
        row_start: the model's.
        indptr: its transition matrix's.
        indices: its transition matrix's.
        probabilities: its transition matrix's.
        behaviours: (sides, n_rows): probabilities of each row on each side.
        entries: expected visits to each entry on each side.
    """
    n, sides, n_entries = len(row_start) - 1, entries.shape[1], len(entries)
    visits = np.zeros((n, sides))
    for s in range(n_entries):
        for k in range(sides):
            visits[s, k] = entries[s, k]
    for s in range(n):
        for k in range(sides):
            if visits[s, k] == 0.0:
                continue
            for row in range(row_start[s], row_start[s + 1]):
                weight = visits[s, k] * behaviours[k, row]
                if weight == 0.0:
                    continue
                for e in range(indptr[row], indptr[row + 1]):
                    target = indices[e]
                    side = k
                    if target >= n:
                        target -= n
                        side = 1 - k
                    if target >= n_entries:
                        visits[target, side] += weight * probabilities[e]
    return visits


@njit()
def regions_pass(
    row_start: NDArray[np.int64], indptr: NDArray[np.int32], indices: NDArray[np.int32], n_entries: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The entry above each state, whether the other player moves there, and the first state without an entry (-1)."""
    n = len(row_start) - 1
    entry = np.empty(n, dtype=np.int64)
    passed = np.zeros(n, dtype=np.int64)
    for s in range(n):
        entry[s] = s if s < n_entries else -1
    for s in range(n):
        if entry[s] < 0:
            return entry, passed, s
        for e in range(indptr[row_start[s]], indptr[row_start[s + 1]]):
            target, side = indices[e] % n, indices[e] // n
            if target < n_entries:
                continue
            there = passed[s] ^ side
            if target <= s or (entry[target] >= 0 and (entry[target] != entry[s] or passed[target] != there)):
                return entry, passed, target
            entry[target], passed[target] = entry[s], there
    return entry, passed, -1


@njit()
def can_go_on(
    row_start: NDArray[np.int64],
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """(n_states,): whether all players together can keep the game from ending for ever from there."""
    n = len(row_start) - 1
    going_on = np.empty(n, dtype=np.bool_)
    for s in range(n):
        going_on[s] = True
    shrinks = True
    while shrinks:
        shrinks = False
        for s in range(n - 1, -1, -1):
            if not going_on[s]:
                continue
            keeps = False
            for row in range(row_start[s], row_start[s + 1]):
                stays = ends[row] == 0.0
                for e in range(indptr[row], indptr[row + 1]):
                    stays = stays and (probabilities[e] == 0.0 or going_on[indices[e] % n])
                keeps = keeps or stays
            if not keeps:
                going_on[s] = False
                shrinks = True
    return going_on
