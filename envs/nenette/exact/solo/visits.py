"""How often each state of the solo game is met, when play is fixed: one pass over the sets, compiled.

Visits flow from set to set. In a set, v = e + v P, where e is how often each state is entered from smaller sets and P
leads from state to state inside; what leaves flows on into larger sets. Two such flows run side by side. In flow 0 a
turn counts 1. In flow 1 the game is given up after each turn with a small chance, so that a play which gets stuck can
be measured too.
"""

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.exact.elimination import eliminate, solve_visits
from nenette.exact.solo.loops import list_states, place
from nenette.games.demi_iles import ALL_SEEN, TARGET

__all__ = ["follow", "leaving_scores", "spread"]

_ALL, _TARGET = ALL_SEEN, TARGET
_ACTIONS = 3


@njit()
def spread(onward: NDArray[np.int64], scores: NDArray[np.int64], n: int, inside: int, found: int) -> int:
    """Bits of the set's scores that are met when those in `found` are."""
    before = 0
    while found != before:
        before = found
        for i in range(n):
            if found >> scores[i] & 1:
                found |= onward[i] & inside
    return found


@njit()
def leaving_scores(onward: NDArray[np.int64], scores: NDArray[np.int64], n: int, inside: int) -> int:
    """Bits of the set's scores from which there is a chance of leaving the set."""
    leaves, before = 0, -1
    while leaves != before:
        before = leaves
        for i in range(n):
            if onward[i] & (leaves | ~inside):
                leaves |= 1 << scores[i]
    return leaves


@njit()
def _enter_ranking(
    ranking: NDArray[np.float64], ranked: NDArray[np.int64], lost: float, visits: float, seen: int, score: int
) -> None:
    """Puts a state where it belongs among those where most is lost, ranking (most, 2) and ranked (most, 2)."""
    at = len(ranking)
    while at > 0 and ranking[at - 1, 0] < lost:
        at -= 1
        if at + 1 < len(ranking):
            for c in range(2):
                ranking[at + 1, c] = ranking[at, c]
                ranked[at + 1, c] = ranked[at, c]
    if at < len(ranking):
        ranking[at, 0], ranking[at, 1] = lost, visits
        ranked[at, 0], ranked[at, 1] = seen, score


@njit(nogil=True)
def follow(
    sets: NDArray[np.int64],
    sizes: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    turns: NDArray[np.float64],
    play: NDArray[np.float64],
    greedy: bool,
    survival: float,
    tolerance: float,
    enter: NDArray[np.float64],
    met: NDArray[np.int64],
    ended: NDArray[np.float64],
    sums: NDArray[np.float64],
    ranking: NDArray[np.float64],
    ranked: NDArray[np.int64],
) -> bool:
    """Follows a play through some sets, to be called for those of each size in turn.

    Args:
        sets: the sets, all of one size.
        sizes: of all sets; see `nenette.exact.solo.states`.
        offsets: see there.
        counts: see there.
        outcomes: see there.
        probabilities: see there.
        turns: (N_STATES,), fewest expected turns.
        play: (N_STATES, 3), probabilities of each number of dice.
        greedy: take the likeliest number, of equals the lowest, instead of drawing one.
        survival: chance that the game goes on after a turn, in flow 1.
        tolerance: turns within which an action is as good as the best.
        enter: (2, N_STATES), zeros but for the start: how often states are entered from smaller sets, in each flow.
            Comes back with how often the states of these sets are met; 0 where play may stay for ever.
        met: (N_SETS,), zeros but for the start: bits of each set's scores that may be entered from smaller sets.
        ended: (2,), zeros: the chance that the game is finished, in each flow.
        sums: (2, 21, 3), zeros: in each flow and with each number of scores still missing, the visits to states, the
            regret, and the visits on which the action was one of the best.
        ranking: (2, most, 2), zeros: regret and visits of the states where most is lost, in each flow.
        ranked: (2, most, 2), -1 each: the set and the score of these states.

    Returns:
        Whether a state may be met that leads nowhere else. This is found from which probabilities are positive, not
        from how large they are.
    """
    scores = np.empty(_TARGET + 1, dtype=np.int64)
    position = np.empty(_TARGET + 1, dtype=np.int64)
    onward = np.empty(_TARGET + 1, dtype=np.int64)
    slot = np.empty(_TARGET + 1, dtype=np.int64)
    dice = np.empty((_TARGET + 1, _ACTIONS))
    worth = np.empty(_TARGET + 1)
    chain = np.empty((_TARGET + 1, _TARGET + 1))
    leaving = np.empty(_TARGET + 1)
    v = np.empty(_TARGET + 1)
    stuck = False
    for seen in sets:
        n = list_states(seen, scores, position)
        base, missing = offsets[seen], _TARGET - 1 - sizes[seen]
        inside = 0
        for i in range(n):
            score = scores[i]
            inside |= 1 << score
            likeliest = 0
            for k in range(1, _ACTIONS):
                if play[base + i, k] > play[base + i, likeliest]:
                    likeliest = k
            onward[i] = 0
            for k in range(_ACTIONS):
                dice[i, k] = (1.0 if k == likeliest else 0.0) if greedy else play[base + i, k]
                if dice[i, k] > 0.0:
                    for m in range(counts[score, k]):
                        onward[i] |= 1 << outcomes[score, k, m]
        found = spread(onward, scores, n, inside, met[seen])
        leaves = leaving_scores(onward, scores, n, inside)
        stuck = stuck or (found & ~leaves) != 0
        for score in range(_TARGET + 1):
            if position[score] >= 0:
                worth[score] = turns[base + position[score]]
            elif score == _TARGET:
                worth[score] = 0.0
            else:
                worth[score] = turns[place(sizes, offsets, score, seen | 1 << (score - 1))]
        for flow in range(2):
            goes_on = survival if flow else 1.0
            size = 0
            for score in range(_TARGET + 1):
                slot[score] = -1
                if found >> score & 1 and (flow or leaves >> score & 1):
                    slot[score] = size
                    v[size] = enter[flow, base + position[score]]
                    size += 1
            for i in range(n):
                score = scores[i]
                at = slot[score]
                if at < 0:
                    continue
                leaving[at] = 1.0 - goes_on
                for j in range(size):
                    chain[at, j] = 0.0
                for k in range(_ACTIONS):
                    if dice[i, k] > 0.0:
                        for m in range(counts[score, k]):
                            chance = goes_on * dice[i, k] * probabilities[score, k, m]
                            to = slot[outcomes[score, k, m]]
                            if to >= 0:
                                chain[at, to] += chance
                            else:
                                leaving[at] += chance
            stuck = not eliminate(chain, leaving, size) or stuck
            solve_visits(chain, leaving, size, v)
            for i in range(n):
                score = scores[i]
                enter[flow, base + i] = v[slot[score]] if slot[score] >= 0 else 0.0
                if slot[score] < 0:
                    continue
                visits = v[slot[score]]
                mean, best = 0.0, np.inf
                for k in range(_ACTIONS):
                    q = 1.0
                    for m in range(counts[score, k]):
                        to = outcomes[score, k, m]
                        q += probabilities[score, k, m] * worth[to]
                        if dice[i, k] > 0.0 and not inside >> to & 1:
                            flowing = goes_on * visits * dice[i, k] * probabilities[score, k, m]
                            if to == _TARGET:
                                ended[flow] += flowing
                            else:
                                larger = seen | 1 << (to - 1)
                                enter[flow, place(sizes, offsets, to, larger)] += flowing
                                met[larger] |= 1 << to
                    leaving[k] = q  # the chain is done with
                    best = min(best, q)
                    mean += dice[i, k] * q
                for k in range(_ACTIONS):
                    if leaving[k] <= best + tolerance:
                        sums[flow, missing, 2] += visits * dice[i, k]
                sums[flow, missing, 0] += visits
                sums[flow, missing, 1] += visits * (mean - best)
                _enter_ranking(ranking[flow], ranked[flow], visits * (mean - best), visits, seen, score)
    return stuck
