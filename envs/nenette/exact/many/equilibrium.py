"""An equilibrium of selfish players whose hands tremble: one way of playing for all seats.

A stationary profile from which no seat gains anything by changing what it does in one state is an equilibrium: each
seat's play is then optimal in the game for one that the others' play leaves it. What is looked for is such a profile in
which everybody plays alike and nothing is left to chance but the hands.

The search: everybody's play is scored exactly; of the states where another action is worth more to the mover, some,
drawn at random, change to the best one; and so on until there are none. Where all changed at once the search would run
in circles, since what is best for one depends on what the others do. Nothing promises that it ends: with hands that
tremble one time in a hundred it does, in some fifty rounds, and ends in different equilibria for different random
numbers. Whether it has ended is seen, and the result can be checked without it (NashConv).
"""

from dataclasses import dataclass

import numpy as np

from nenette.exact.many.chain import Round, RoundSystem
from nenette.exact.many.model import ManyModel
from nenette.exact.many.responses import TOLERANCE, advantages, first_best
from nenette.exact.model import Floats, Ints
from nenette.exact.responses import Unsolvable

__all__ = ["EPSILON", "ManyEquilibrium", "find_equilibrium"]

EPSILON = 1e-2
"""Probability that a hand trembles."""
_ROUNDS = 150
_TRIES = 8
_ALL_AT_ONCE = 6
"""Rounds in which every state changes that would: at first most of them do, and rightly."""
_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class ManyEquilibrium:
    """How everybody plays, and what it is worth.

    Attributes:
        rows: int64, (n_states,): the row that is taken.
        values: float64, (n_states,): what it is worth to the mover.
        margin: by how much the action taken is better than the next best, where that is least.
        rounds: of the search, in all.
        tries: how many times it began anew.
    """

    rows: Ints
    values: Floats
    margin: float
    rounds: int
    tries: int


def find_equilibrium(trembling: ManyModel, seed: int = 0) -> ManyEquilibrium:
    """An equilibrium of a game that always ends; the same one for the same seed.

    Raises:
        Unsolvable: the search has not ended.
    """
    model, n, rounds = trembling, trembling.players, 0
    payoff = model.wins @ model.prizes_of(0, 0)
    for tried in range(_TRIES):
        rng = np.random.default_rng([seed, tried])
        rows = model.row_start[:-1].copy()
        values: list[Floats] | None = None
        for done in range(_ROUNDS):
            rounds += 1
            everybody = Round.of(model, [model.pure(rows)] * n)
            gains = [everybody.wins[m] @ model.prizes_of(0, m) for m in range(n)]
            values = RoundSystem(everybody).solve(gains, values)
            worth = advantages(model, payoff, values[0], values[1])
            best = np.maximum.reduceat(worth, model.row_start[:-1])
            worse = np.flatnonzero(best > worth[rows] + TOLERANCE)
            if not len(worse):
                return ManyEquilibrium(rows, values[0], _margin(model, worth, rows), rounds, tried + 1)
            if done >= _ALL_AT_ONCE and len(worse) > 1:
                worse = worse[rng.random(len(worse)) < _SHARE]
            rows[worse] = first_best(model, worth)[worse]
    raise Unsolvable(
        f"no equilibrium was found in {_TRIES} searches of {_ROUNDS} rounds: somebody would always rather play "
        "otherwise"
    )


def _margin(model: ManyModel, worth: Floats, rows: Ints) -> float:
    others = worth.copy()
    others[rows] = -np.inf
    choice = np.flatnonzero(np.diff(model.row_start) > 1)
    return float((worth[rows] - np.maximum.reduceat(others, model.row_start[:-1]))[choice].min(initial=np.inf))
