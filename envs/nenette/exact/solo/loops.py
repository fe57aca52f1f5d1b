"""The solo game's compiled loops over sets of scores.

In each set, states 0 .. n - 1 are its scores in ascending order, without the end of the game. Plain loops and no
slices: these compile in a fraction of the time.
"""

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.exact.elimination import eliminate, solve_values
from nenette.games.demi_iles import ALL_SEEN, TARGET

_ALL, _TARGET = ALL_SEEN, TARGET
_ACTIONS = 3


@njit(inline="always")
def place(sizes: NDArray[np.uint8], offsets: NDArray[np.int32], score: int, seen: int) -> int:
    """Where a state stands: see `nenette.exact.solo.states.index`."""
    if score == 0:
        return int(offsets[seen])
    return int(offsets[seen]) + 1 + int(sizes[seen & ((1 << (score - 1)) - 1)])


@njit()
def list_states(seen: int, scores: NDArray[np.int64], position: NDArray[np.int64]) -> int:
    """Lists the set's scores and their positions among them (-1 for the others); returns how many there are."""
    n = 0
    for score in range(_TARGET + 1):
        inside = score == 0 or (score == _TARGET and seen != _ALL) or (0 < score < _TARGET and seen >> (score - 1) & 1)
        position[score] = n if inside else -1
        if inside:
            scores[n] = score
            n += 1
    return n


@njit()
def finishing_play(
    n: int,
    scores: NDArray[np.int64],
    position: NDArray[np.int64],
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    choice: NDArray[np.int64],
    near: NDArray[np.int64],
) -> bool:
    """A play that leaves the set for certain: the dice most likely to leave it or to come a throw nearer to that.

    Fills choice (n,), and near (22,) with rounds; returns whether there is such a play.
    """
    for score in range(_TARGET + 1):
        near[score] = 0 if position[score] < 0 else -1
    left, round_ = n, 0
    while left > 0:
        round_ += 1
        before = left
        for i in range(n):
            score = scores[i]
            if near[score] >= 0:
                continue
            best = 0.0
            for k in range(_ACTIONS):
                chance = 0.0
                for m in range(counts[score, k]):
                    away = near[outcomes[score, k, m]]
                    if 0 <= away < round_:
                        chance += probabilities[score, k, m]
                if chance > best:
                    best = chance
                    choice[i] = k
            if best > 0.0:
                near[score] = round_
                left -= 1
        if left == before:
            return False
    return True


@njit()
def solve_sets(
    sizes: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    counts: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    tolerance: float,
    most_rounds: int,
    values: NDArray[np.float64],
    actions: NDArray[np.uint8],
) -> int:
    """Policy iteration in every set, those with higher numbers first: expected turns and best dice of every state.

    Fills values and actions, both (N_STATES,). A choice changes where another is better by more than `tolerance`.
    Returns the most rounds that a set has taken, -1 where one has taken `most_rounds`, -2 where a set cannot be left.
    """
    scores = np.empty(_TARGET + 1, dtype=np.int64)
    position = np.empty(_TARGET + 1, dtype=np.int64)
    near = np.empty(_TARGET + 1, dtype=np.int64)
    choice = np.zeros(_TARGET + 1, dtype=np.int64)
    worth = np.empty(_TARGET + 1)
    chain = np.empty((_TARGET + 1, _TARGET + 1))
    leaving = np.empty(_TARGET + 1)
    v = np.empty(_TARGET + 1)
    rounds_taken = 0
    for seen in range(_ALL, -1, -1):
        n = list_states(seen, scores, position)
        if not finishing_play(n, scores, position, counts, outcomes, probabilities, choice, near):
            return -2
        for score in range(1, _TARGET + 1):
            if position[score] < 0:
                if score == _TARGET:
                    worth[score] = 0.0
                else:
                    worth[score] = values[place(sizes, offsets, score, seen | 1 << (score - 1))]
        changed = True
        rounds = 0
        while changed:
            rounds += 1
            if rounds > most_rounds:
                return -1
            for i in range(n):
                score, k = scores[i], choice[i]
                for j in range(n):
                    chain[i, j] = 0.0
                leaving[i] = 0.0
                v[i] = 1.0
                for m in range(counts[score, k]):
                    to = outcomes[score, k, m]
                    if position[to] >= 0:
                        chain[i, position[to]] += probabilities[score, k, m]
                    else:
                        leaving[i] += probabilities[score, k, m]
                        v[i] += probabilities[score, k, m] * worth[to]
            eliminate(chain, leaving, n)
            solve_values(chain, leaving, n, v)
            for i in range(n):
                worth[scores[i]] = v[i]
            changed = False
            for i in range(n):
                score = scores[i]
                current = 0.0
                best, best_k = np.inf, 0
                for k in range(_ACTIONS):
                    q = 1.0
                    for m in range(counts[score, k]):
                        q += probabilities[score, k, m] * worth[outcomes[score, k, m]]
                    if q < best:
                        best, best_k = q, k
                    if k == choice[i]:
                        current = q
                if best < current - tolerance:
                    choice[i] = best_k
                    changed = True
        rounds_taken = max(rounds_taken, rounds)
        for i in range(n):
            values[offsets[seen] + i] = v[i]
            actions[offsets[seen] + i] = choice[i]
    return rounds_taken


@njit()
def reachable_scores(onward: NDArray[np.int64], reached: NDArray[np.uint32]) -> int:
    """Which states some play gets to from the start, and how many there are without the end of the game.

    Args:
        onward: (22,): bits of all scores that a throw from a score may lead to.
        reached: (N_SETS,), zeros: comes back with the bits of each set's scores that can be stood on.
    """
    states = 0
    reached[0] = 1
    for seen in range(_ALL + 1):
        inside = 1 | seen << 1 | 1 << _TARGET
        if seen == _ALL:
            inside ^= 1 << _TARGET
        found = np.int64(reached[seen])
        todo = found & inside
        while todo:
            score = 0
            while not todo >> score & 1:
                score += 1
            todo ^= 1 << score
            states += 1
            new = onward[score] & ~found
            for to in range(_TARGET + 1):
                if onward[score] >> to & 1 and not (1 | seen << 1 | 1 << _TARGET) >> to & 1:
                    reached[seen | 1 << (to - 1)] |= np.uint32(1 << to)
            new &= 1 | seen << 1 | 1 << _TARGET
            found |= new
            todo |= new & inside
        reached[seen] = found
    return states
