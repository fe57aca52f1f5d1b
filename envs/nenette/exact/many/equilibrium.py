"""An equilibrium of selfish players whose hands tremble: one way of playing for all seats.

A stationary profile from which no seat gains anything by changing what it does in one state is an equilibrium: each
seat's play is then optimal in the one-player game that the others' play leaves it. The search looks for such a profile
in which all seats play alike and take one action for certain in each state, but for the trembling.

A round of the search scores the present play exactly. Some of the states in which another action has a higher value to
the mover, drawn at random, then change to the best action. The search ends when there are no such states. If all of
them changed at once it would run in circles, since the best action of one seat depends on what the others do. Nothing
guarantees an end. With hands that tremble one time in a hundred the search does end, in some fifty rounds, and in
different equilibria for different random numbers. NashConv, which the search does not use, checks the result.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from nenette.exact.many.chain import Round, RoundSystem
from nenette.exact.many.model import ManyModel
from nenette.exact.many.responses import advantages, improve
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
            advantage = advantages(model, payoff, values[0], values[1])
            if not improve(model, advantage, rows, partial(_drawn, rng) if done >= _ALL_AT_ONCE else None):
                return ManyEquilibrium(rows, values[0], _margin(model, advantage, rows), rounds, tried + 1)
    raise Unsolvable(
        f"no equilibrium was found in {_TRIES} searches of {_ROUNDS} rounds: somebody would always rather play "
        "otherwise"
    )


def _drawn(rng: np.random.Generator, states: Ints) -> Ints:
    """Some of the states, at random; a single one for certain."""
    return states[rng.random(len(states)) < _SHARE] if len(states) > 1 else states


def _margin(model: ManyModel, advantage: Floats, rows: Ints) -> float:
    others = advantage.copy()
    others[rows] = -np.inf
    choice = np.flatnonzero(np.diff(model.row_start) > 1)
    return float((advantage[rows] - np.maximum.reduceat(others, model.row_start[:-1]))[choice].min(initial=np.inf))
