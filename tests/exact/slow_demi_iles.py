"""Demi-iles for two solved a second time: on the re-stated rules, and by other methods."""

import numpy as np
from numba import njit
from numpy.typing import NDArray
from restatement import demi_iles_next
from scipy.sparse import block_array, csr_array, eye_array
from scipy.sparse.linalg import spsolve

Floats = NDArray[np.float64]

STATES = [(own, other) for own in range(21) for other in range(21)]
INDEX = {state: i for i, state in enumerate(STATES)}


def _arrays() -> tuple[Floats, Floats]:
    """Odds of the next state as the other player sees it, (441, 3, 441), and of winning, (441, 3)."""
    after, wins = np.zeros((441, 3, 441)), np.zeros((441, 3))
    for i, state in enumerate(STATES):
        for dice in range(3):
            for (scores, _), probability in demi_iles_next(state, 0, dice).items():
                if scores[0] == 21:
                    wins[i, dice] += probability
                else:
                    after[i, dice, INDEX[scores[1], scores[0]]] += probability
    return after, wins


AFTER, WINS = _arrays()


def shaken(epsilon: float) -> tuple[Floats, Floats]:
    """Both arrays where each throw is replaced, with probability `epsilon`, by one of 0, 1 or 2 dice."""
    return (
        (1 - epsilon) * AFTER + epsilon * AFTER.mean(axis=1, keepdims=True),
        (1 - epsilon) * WINS + epsilon * WINS.mean(axis=1, keepdims=True),
    )


def value_bounds(epsilon: float, width: float) -> tuple[Floats, Floats]:
    """Values to the mover, (441,), from below and from above, by value iteration from both ends.

    A sweep brings them together by about the chance that a game ends with the next throw: with steady hands hardly.
    """
    flat = csr_array(AFTER.reshape(-1, 441))
    low, high = -np.ones(441), np.ones(441)
    _narrow(flat.indptr, flat.indices, flat.data, WINS, epsilon, width, low, high)
    return low, high


@njit(cache=True)
def _narrow(
    starts: NDArray[np.int32],
    targets: NDArray[np.int32],
    probabilities: Floats,
    wins: Floats,
    epsilon: float,
    width: float,
    low: Floats,
    high: Floats,
) -> None:
    """Replaces bounds, state by state, until none are more than `width` apart.

    Throw k in state s leads to `targets` with `probabilities` at 3 s + k of `starts`, compressed rows, where the
    other moves.
    """
    apart = np.inf
    while apart > width:
        apart = 0.0
        for state in range(len(low)):
            best_low, best_high, sum_low, sum_high = -np.inf, -np.inf, 0.0, 0.0
            for k in range(3):
                worth_low = worth_high = wins[state, k]
                for m in range(starts[3 * state + k], starts[3 * state + k + 1]):
                    worth_low -= probabilities[m] * high[targets[m]]
                    worth_high -= probabilities[m] * low[targets[m]]
                best_low, best_high = max(best_low, worth_low), max(best_high, worth_high)
                sum_low, sum_high = sum_low + worth_low, sum_high + worth_high
            low[state] = (1 - epsilon) * best_low + epsilon / 3 * sum_low
            high[state] = (1 - epsilon) * best_high + epsilon / 3 * sum_high
            apart = max(apart, high[state] - low[state])


def play_value(epsilon: float, first: NDArray[np.int64], second: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The mover's values, (441,) each, where it plays `first` and the other `second`, and the other way about."""
    after, wins = shaken(epsilon)
    every = np.arange(441)
    one = eye_array(441)
    system = block_array([[one, csr_array(after[every, first])], [csr_array(after[every, second]), one]])
    values = spsolve(system.tocsc(), np.concatenate([wins[every, first], wins[every, second]]))
    return values[:441], values[441:]


def best_reply(epsilon: float, to: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats]:
    """The best play against `to`, by policy iteration, its values where it moves, and the other's elsewhere."""
    after, wins = shaken(epsilon)
    play = np.zeros(441, dtype=np.int64)
    while True:
        mine, others = play_value(epsilon, play, to)
        worth = wins - after @ others
        better = worth.max(axis=1) > worth[np.arange(441), play] + 1e-11
        if not better.any():
            return play, mine, others
        play = np.where(better, worth.argmax(axis=1), play)


def optimum(epsilon: float) -> tuple[NDArray[np.int64], Floats]:
    """Optimal play and its values: each play in turn is improved by a look ahead against the best reply to it."""
    after, wins = shaken(epsilon)
    play = np.zeros(441, dtype=np.int64)
    while True:
        _, replies, mine = best_reply(epsilon, play)
        worth = wins - after @ replies
        better = worth.max(axis=1) > mine + 1e-11
        if not better.any():
            return play, mine
        play = np.where(better, worth.argmax(axis=1), play)
