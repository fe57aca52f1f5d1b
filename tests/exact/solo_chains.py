"""The last part of the solo game as dense matrices, from the re-stated rules: another way to all of its figures."""

from itertools import combinations

import numpy as np
from restatement import demi_iles_solo_next, demi_iles_solo_over

ALL = frozenset(range(1, 21))


def bits(seen) -> int:
    return sum(1 << (score - 1) for score in seen)


class DenseGame:
    """All states from which at most the scores in `missing` are missing.

    Attributes:
        states: (score, set of scores stood on) each; not the end.
        transition: (3, n, n): probabilities of going from state to state with 0, 1 and 2 dice; the rest is the end.
    """

    def __init__(self, missing):
        sets = [ALL - set(left) for m in range(len(missing) + 1) for left in combinations(missing, m)]
        states = [(s, seen) for seen in sets for s in range(22) if s in (0, 21) or s in seen]
        self.states = [state for state in states if not demi_iles_solo_over(*state)]
        self.place = {state: i for i, state in enumerate(self.states)}
        self.transition = np.zeros((3, len(self.states), len(self.states)))
        for i, (score, seen) in enumerate(self.states):
            for dice in range(3):
                for state, probability in demi_iles_solo_next(score, seen, dice).items():
                    if not demi_iles_solo_over(*state):
                        self.transition[dice, i, self.place[state]] += float(probability)

    @property
    def fields(self):
        return np.array([[score, *(int(s in seen) for s in range(1, 21))] for score, seen in self.states])

    def iterate(self, values, times):
        for _ in range(times):
            values = 1 + (self.transition @ values).min(axis=0)
        return values

    def chain(self, play):
        """(n, n): probabilities of going from state to state under the play (n, 3)."""
        return np.einsum("ik,kij->ij", play, self.transition)
