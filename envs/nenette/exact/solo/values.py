"""How many turns a fixed play of the solo game takes from each state, discounted: one pass over the sets, compiled.

A turn counts 1, the next `gamma`, the one after that gamma², and so on. Sets are left for larger ones only, so they are
gone through from the largest down; in a set, v = 1 + gamma P v is a linear system of at most 22 states.
"""

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.exact.elimination import eliminate, solve_values
from nenette.exact.solo.loops import list_states, place
from nenette.exact.solo.visits import leaving_scores, spread
from nenette.games.demi_iles import ALL_SEEN, TARGET

__all__ = ["evaluate"]

_ALL, _TARGET = ALL_SEEN, TARGET
_ACTIONS = 3


@njit()
def evaluate(
    sizes: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    play: NDArray[np.float64],
    met: NDArray[np.int64],
    gamma: float,
    turns: NDArray[np.float64],
) -> bool:
    """Fills `turns` for every state that the play may meet.

    Args:
        sizes: of all sets; see `nenette.exact.solo.states`.
        offsets: see there.
        counts: see there.
        outcomes: see there.
        probabilities: see there.
        play: (N_STATES, 3), probabilities of each number of dice.
        met: (N_SETS,): bits of each set's scores that the play may enter from smaller sets; 0: it never comes there.
        gamma: the discount.
        turns: (N_STATES,), zeros.

    Returns:
        Whether the play may get stuck without a discount; its turns have no bound then, and are not filled in.
    """
    scores = np.empty(_TARGET + 1, dtype=np.int64)
    position = np.empty(_TARGET + 1, dtype=np.int64)
    onward = np.empty(_TARGET + 1, dtype=np.int64)
    slot = np.empty(_TARGET + 1, dtype=np.int64)
    chain = np.empty((_TARGET + 1, _TARGET + 1))
    leaving = np.empty(_TARGET + 1)
    v = np.empty(_TARGET + 1)
    for seen in range(_ALL, -1, -1):
        if met[seen] == 0:
            continue
        n = list_states(seen, scores, position)
        base = offsets[seen]
        inside = 0
        for i in range(n):
            inside |= 1 << scores[i]
            onward[i] = 0
            for k in range(_ACTIONS):
                if play[base + i, k] > 0.0:
                    for m in range(counts[scores[i], k]):
                        onward[i] |= 1 << outcomes[scores[i], k, m]
        found = spread(onward, scores, n, inside, met[seen])
        if gamma == 1.0 and found & ~leaving_scores(onward, scores, n, inside):
            return True
        size = 0
        for score in range(_TARGET + 1):
            slot[score] = -1
            if found >> score & 1 and position[score] >= 0:
                slot[score] = size
                size += 1
        for i in range(n):
            score = scores[i]
            at = slot[score]
            if at < 0:
                continue
            for j in range(size):
                chain[at, j] = 0.0
            leaving[at], v[at] = 1.0 - gamma, 1.0
            for k in range(_ACTIONS):
                if play[base + i, k] > 0.0:
                    for m in range(counts[score, k]):
                        chance = gamma * play[base + i, k] * probabilities[score, k, m]
                        to = outcomes[score, k, m]
                        if slot[to] >= 0:
                            chain[at, slot[to]] += chance
                        else:
                            leaving[at] += chance
                            if to != _TARGET:
                                v[at] += chance * turns[place(sizes, offsets, to, seen | 1 << (to - 1))]
        if not eliminate(chain, leaving, size):
            return True
        solve_values(chain, leaving, size, v)
        for i in range(n):
            if slot[scores[i]] >= 0:
                turns[base + i] = v[slot[scores[i]]]
    return False
