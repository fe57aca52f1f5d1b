"""Tiny games given by a table, whose values can be worked out by hand, and slow ways of working them out."""

from collections.abc import Sequence
from itertools import product
from math import gcd
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.exact import Model, enumerate_game
from nenette.exact.chain import PolicyEvaluator, by_side
from nenette.games.distribution import Distribution
from nenette.games.game import Game
from nenette.games.observation import Codec, one_hot

WINS, LOSES = "the mover wins", "the mover loses"
Target = str | int | tuple[int, str]
"""WINS, LOSES, the next position, or (next position, "passes") where the other player moves there."""
Table = Sequence[Sequence[dict[Any, int]]]
"""table[position][action]: weights of targets."""


class Place(NamedTuple):
    """A position, or -1 where `seat` has won and -2 where it has lost."""

    position: int
    seat: int


class TableGame(Game[Place]):
    """A game given by a table: one turn an action."""

    name = "made-up"

    def __init__(self, table: Table, players: int = 2, turn_reward: float = 0.0) -> None:
        self.table, self.players, self.turn_reward = table, players, turn_reward
        self.n_actions = max(len(actions) for actions in table)
        self.codec = Codec([one_hot("position", len(table)), one_hot("mover", max(2, players))])

    def initial(self):
        return Distribution.certain(Place(0, 0))

    def seat(self, state):
        return state.seat

    def legal_actions(self, state):
        return tuple(range(len(self.table[state.position])))

    def chance(self, state, action):
        weights = self.table[state.position][action]
        common = gcd(*weights.values())
        return Distribution.of({target: weight // common for target, weight in weights.items()})

    def follow(self, state, action, fallen):
        if isinstance(fallen, tuple):
            return Distribution.certain(Place(fallen[0], 1 - state.seat))
        return Distribution.certain(Place({WINS: -1, LOSES: -2}.get(fallen, fallen), state.seat))

    def returns(self, state):
        if state.position >= 0:
            return None
        own = 1.0 if state.position == -1 else -1.0
        if self.players == 1:
            return (own if not self.turn_reward else 0.0,)
        return (own, -own) if state.seat == 0 else (-own, own)

    def starts_turn(self, state):
        return True

    def encode(self, state, seat):
        return (state.position, (state.seat - seat) % self.players)

    def decode(self, fields):
        return Place(*map(int, fields))


def model_of_table(table: Table, players: int = 2, turn_reward: float = 0.0) -> Model:
    """The model of the game that `table` tells, state i being position i."""
    game = TableGame(table, players, turn_reward)
    return enumerate_game(game, (Place(position, 0) for position in range(len(table))))


def random_table(rng: np.random.Generator, positions: int, *, endless: bool, players: int = 2) -> Table:
    """A few positions with one to three actions, each to one to three targets with small weights."""
    targets: list[Any] = [*range(positions), WINS, LOSES]
    if players == 2:
        targets += [(p, "passes") for p in range(positions)]
    table = []
    for _ in range(positions):
        actions = []
        for _ in range(rng.integers(1, 4)):
            chosen = rng.choice(len(targets), size=rng.integers(1, 4), replace=False)
            weights = {targets[k]: int(rng.integers(1, 6)) for k in chosen}
            if not endless:
                weights[[WINS, LOSES][rng.integers(2)]] = 1
            actions.append(weights)
        table.append(actions)
    return table


def value_of_play(model: Model, player: NDArray[np.float64], opponent: NDArray[np.float64] | None = None):
    """What `player` gets against `opponent` by the solver's evaluation: (n_states, sides)."""
    behaviours = (player,) if opponent is None else (player, opponent)
    return PolicyEvaluator(model).totals(behaviours, [by_side(model, model.payoff)])[0]


def slow_value_of_play(model: Model, player: NDArray[np.float64], opponent: NDArray[np.float64] | None = None):
    """Likewise with dense matrices only: states that cannot end are worth 0, the others solve one linear system."""
    n, sides = model.n_states, model.sides
    dense = model.transition.toarray()
    own = np.zeros((n, model.n_rows))
    own[model.row_state, np.arange(model.n_rows)] = 1.0
    a = (own * player) @ dense
    step, payoff, ends = a, (own * player) @ model.payoff, (own * player) @ model.ends
    if opponent is not None:
        b = (own * opponent) @ dense
        step = np.block([[a[:, :n], a[:, n:]], [b[:, n:], b[:, :n]]])
        payoff = np.concatenate([payoff, -(own * opponent) @ model.payoff])
        ends = np.concatenate([ends, (own * opponent) @ model.ends])
    can_end = np.linalg.matrix_power(np.eye(sides * n) + (step > 0), sides * n) @ ends > 0
    values = np.zeros(sides * n)
    good = np.flatnonzero(can_end)
    values[good] = np.linalg.solve(np.eye(len(good)) - step[np.ix_(good, good)], payoff[good])
    return values.reshape(sides, n).T


def pure_plays(model: Model):
    """All ways of playing that leave nothing to chance, as rows (n_states,)."""
    choices = [range(model.row_start[s], model.row_start[s + 1]) for s in range(model.n_states)]
    return [np.array(rows) for rows in product(*choices)]
