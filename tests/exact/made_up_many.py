"""Small made-up games of several players, and slow ways of scoring them in fractions."""

from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import sparse

from nenette.exact.many.model import ManyModel

Play = list[list[int]]
"""play[seat][state]: which of the state's rows, counted from its first, a seat takes."""


def random_many(
    rng: np.random.Generator, players: int, states: int, *, ends: float = 0.25, rarely: float | None = None
) -> ManyModel:
    """A game with two rows a state, each of which ends the game with about the chance `ends`, if it may end it at all.

    Probabilities are eighths, but for `rarely`, in place of all chances of ending.
    """
    rows = 2 * states
    step, wins = np.zeros((rows, states)), np.zeros((rows, players))
    for row in range(rows):
        for k in range(8):
            if k == 0 and rng.random() < ends:
                wins[row, rng.integers(players)] += 1 / 8
            else:
                step[row, rng.integers(states)] += 1 / 8
    if rarely is not None:
        ending = wins.sum(axis=1) > 0
        wins[ending] *= 8 * rarely
        step[ending] *= (1 - rarely) / step[ending].sum(axis=1, keepdims=True)
    game: Any = SimpleNamespace(players=players, n_actions=2, name="made-up")
    fields = np.arange(states, dtype=np.int16)[:, None]
    actions = np.tile([0, 1], states)
    return ManyModel(game, fields, 2 * np.arange(states + 1), actions, sparse.csr_array(step), wins, {(0, 0): 1.0})


def mixture(rng: np.random.Generator, model: ManyModel):
    """A behaviour with all of its probabilities eighths."""
    first = rng.integers(0, 9, size=model.n_states) / 8
    return np.stack([first, 1 - first], axis=1).ravel()


def slow_chances(model: ManyModel, behaviours) -> list[list[list[Fraction]]]:
    """chances[seat to move][state][seat]: of winning, by elimination in fractions; without end nobody wins."""
    n, size = model.players, model.n_states
    dense = model.step.toarray()
    steps: dict[int, dict[int, Fraction]] = {}
    won: dict[int, list[Fraction]] = {}
    for m, state in product(range(n), range(size)):
        pair = m * size + state
        steps[pair], won[pair] = {}, [Fraction(0)] * n
        for row in (2 * state, 2 * state + 1):
            weight = Fraction(behaviours[m][row])
            if not weight:
                continue
            # The rows' probabilities are made to sum to 1 exactly: all but the first next state as they stand.
            ending = [Fraction(p) for p in model.wins[row]]
            after = {t: Fraction(dense[row, t]) for t in range(size) if dense[row, t]}
            short = 1 - sum(ending) - sum(after.values())
            if after:
                after[min(after)] += short
            for offset in range(n):
                won[pair][(m + offset) % n] += weight * ending[offset]
            for target, p in after.items():
                there = (m + 1) % n * size + target
                steps[pair][there] = steps[pair].get(there, Fraction(0)) + weight * p
    can_end = {pair for pair in steps if any(won[pair])}
    while True:
        wider = can_end | {pair for pair in steps if can_end & {t for t, p in steps[pair].items() if p}}
        if wider == can_end:
            break
        can_end = wider
    pairs = sorted(can_end)
    matrix = [[Fraction(int(a == b)) - steps[a].get(b, Fraction(0)) for b in pairs] + won[a] for a in pairs]
    for k in range(len(pairs)):
        pivot = next(i for i in range(k, len(pairs)) if matrix[i][k])
        matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
        matrix[k] = [x / matrix[k][k] for x in matrix[k]]
        for i in range(len(pairs)):
            if i != k and matrix[i][k]:
                factor = matrix[i][k]
                matrix[i] = [x - factor * y for x, y in zip(matrix[i], matrix[k], strict=True)]
    nothing = [Fraction(0)] * n
    found = {pair: row[len(pairs) :] for pair, row in zip(pairs, matrix, strict=True)}
    return [[found.get(m * size + state, nothing) for state in range(size)] for m in range(n)]


def slow_values(model: ManyModel, behaviours, seat: int):
    """float64, (seats to move, n_states): what `seat` gets, from `slow_chances`."""
    n = model.players
    prize = [Fraction(1) if other == seat else Fraction(-1, n - 1) for other in range(n)]
    chances = slow_chances(model, behaviours)
    return np.array([[float(sum(c * w for c, w in zip(at, prize, strict=True))) for at in row] for row in chances])


def all_pure(model: ManyModel):
    """Every pure behaviour."""
    for choice in product((0, 1), repeat=model.n_states):
        yield model.pure(model.row_start[:-1] + np.array(choice))
