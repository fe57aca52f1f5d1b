"""A game of any number of players as arrays: every state, every action, every transition.

States are seen from the side of whoever is to move: the mover's own score, that of the next player, and so on. So one
table serves every seat. After each action the next seat is to move, so what a state leads to is seen from that seat's
side, and the player who sat j seats after the mover sits j - 1 seats after the next one.

Every game ends with one winner, who gets 1, and all others share the loss of 1; one that never ends is worth 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nenette.exact.behaviours import Behaviours, Floats, Ints
from nenette.exact.responses import Unsolvable
from nenette.games import Game, spec_of
from nenette.games.demi_iles import TARGET, DemiIles, State
from nenette.games.quatre21 import Quatre21

__all__ = ["ManyModel", "enumerate_many", "many_model"]

S = TypeVar("S")

MOST_STATES = 200_000
"""Four players of demi-iles have 194,481; a fifth would take 21 times the memory and the time."""


@dataclass(frozen=True, eq=False)
class ManyModel(Behaviours):
    """A game of n players as arrays.

    Attributes:
        game: what it is a model of.
        fields: int16, (n_states, fields): each state as its mover sees it (`Game.encode`).
        row_start: int64, (n_states + 1,): state s has the rows row_start[s] .. row_start[s + 1] - 1.
        row_action: int64, (n_rows,): the action of each row, ascending within a state.
        step: CSR float64, (n_rows, n_states): probability of each next state, seen from the next seat's side.
        wins: float64, (n_rows, players): probability that the game ends and the player who sits so many seats after the
            mover has won.
        starts: probability of each (state, seat to move) in which a game begins.
    """

    game: Game[Any]
    fields: NDArray[np.int16]
    row_start: Ints
    row_action: Ints
    step: sparse.csr_array
    wins: Floats
    starts: dict[tuple[int, int], float]

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.game.players

    @cached_property
    def ends(self) -> Floats:
        """float64, (n_rows,): probability that the game ends."""
        ends: Floats = self.wins.sum(axis=1)
        return ends

    @cached_property
    def prizes(self) -> Floats:
        """float64, (players, players): what each player (second index) gets when a player (first index) has won."""
        n = self.players
        return np.where(np.eye(n) > 0, 1.0, -1.0 / (n - 1))

    def prizes_of(self, seat: int, mover: int) -> Floats:
        """float64, (players,): what `seat` gets when whoever sits so many seats after `mover` has won."""
        gets: Floats = self.prizes[(mover + np.arange(self.players)) % self.players, seat]
        return gets

    @property
    def masks(self) -> NDArray[np.int8]:
        """int8, (n_states, n_actions): 1 where the action is legal."""
        masks = np.zeros((self.n_states, self.game.n_actions), dtype=np.int8)
        masks[self.row_state, self.row_action] = 1
        return masks

    def behaviour(self, probabilities: Floats) -> Floats:
        """float64, (n_rows,): a behaviour from probabilities of actions in all states, (n_states, n_actions).

        Raises:
            ValueError: probabilities are negative or do not sum to 1.
        """
        return self.normalised(probabilities[self.row_state, self.row_action].astype(np.float64))

    def trembling(self, epsilon: float) -> "ManyModel":
        """The game in which each chosen action is replaced, with probability `epsilon`, by a uniformly random one."""
        mean = self.averaging(self.uniform())
        spread = sparse.csr_array((np.ones(self.n_rows), (np.arange(self.n_rows), self.row_state)))
        mix = sparse.csr_array((1.0 - epsilon) * sparse.eye_array(self.n_rows) + epsilon * (spread @ mean))
        return replace(self, step=sparse.csr_array(mix @ self.step), wins=mix @ self.wins)

    def averaging(self, behaviour: Floats) -> sparse.csr_array:
        """CSR, (n_states, n_rows): takes each state's mean over its rows as `behaviour` weighs them."""
        taken = np.flatnonzero(behaviour)
        where = (self.row_state[taken], taken)
        return sparse.csr_array((behaviour[taken], where), shape=(self.n_states, self.n_rows))


def many_model(game: Game[Any]) -> ManyModel:
    """The model of `game`: 9,261 states for demi-iles with three players, 194,481 with four.

    Raises:
        Unsolvable: the game is too large, or none whose players take turns until one of them wins.
    """
    if isinstance(game, DemiIles) and (TARGET**game.players) > MOST_STATES:
        raise Unsolvable(f"demi-iles is scored exactly for up to four players, not for {game.players}")
    if isinstance(game, Quatre21):
        raise Unsolvable(
            f"421 is solved for two players, not for {game.players}: among three, policies that say what they look at "
            "are scored exactly, and all others from games played"
        )
    spec = spec_of(game)
    if spec is not None and spec.game is DemiIles:
        return _demi_iles(game)  # type: ignore[arg-type] # it plays what that class says
    if isinstance(game, DemiIles):
        return enumerate_many(game, (State(scores, 0) for scores in product(range(TARGET), repeat=game.players)))
    return enumerate_many(game)


def enumerate_many(game: Game[S], others: Iterable[S] = ()) -> ManyModel:
    """Every state that can be met from the start of `game`, or from `others`, one at a time with the rules themselves.

    Raises:
        Unsolvable: the game is too large, or none whose players take turns until one of them wins.
    """
    index: dict[tuple[int, ...], int] = {}
    queue: list[tuple[int, ...]] = []

    def number(state: S, mover: int) -> int:
        seen = game.encode(state, mover)
        if seen not in index:
            index[seen] = len(queue)
            queue.append(seen)
        return index[seen]

    starts: dict[tuple[int, int], float] = {}
    for state, probability in game.initial():
        key = (number(state, game.seat(state)), game.seat(state))
        starts[key] = starts.get(key, 0.0) + float(probability)
    for state in others:
        number(state, game.seat(state))
    row_start, row_action = [0], list[int]()
    rows, columns, values = list[int](), list[int](), list[float]()
    wins = list[list[float]]()
    for seen in queue:  # grows as it is read
        state = game.decode(seen)
        for action in game.legal_actions(state):
            won = [0.0] * game.players
            for outcome, probability in game.outcomes(state, action):
                returns = game.returns(outcome)
                if returns is not None:
                    won[_winner(game, returns)] += float(probability)
                    continue
                if game.seat(outcome) != 1 % game.players:
                    raise Unsolvable(f"{game.name} is not scored for {game.players}: a player may move twice in a row")
                rows.append(len(row_action))
                columns.append(number(outcome, game.seat(outcome)))
                values.append(float(probability))
            row_action.append(action)
            wins.append(won)
        row_start.append(len(row_action))
        if len(queue) > MOST_STATES:
            raise Unsolvable(f"{game.name} has more than {MOST_STATES} states with these rules: it is not solved here")
    step = sparse.csr_array((np.array(values), (rows, columns)), shape=(len(row_action), len(queue)))
    step.sum_duplicates()
    fields = np.array(queue, dtype=np.int16)
    return ManyModel(game, fields, np.array(row_start), np.array(row_action), step, np.array(wins), starts)


def _winner(game: Game[Any], returns: tuple[float, ...]) -> int:
    loss = -1.0 / (game.players - 1)
    shares = tuple(round(share, 12) for share in returns)
    for seat in range(game.players):
        if shares == tuple(1.0 if other == seat else round(loss, 12) for other in range(game.players)):
            return seat
    raise Unsolvable(
        f"{game.name} may end with the returns {returns}: games are solved for several players where one wins 1 and "
        f"the others share the loss"
    )


def _demi_iles(game: DemiIles) -> ManyModel:
    """What `enumerate_many` makes, a score and a number of dice at a time instead of a state at a time.

    The rules are asked what a throw does to the mover's score and to those of the others: each other score changes in
    the same way, whoever's it is.
    """
    n, n_states = game.players, TARGET**game.players
    shape = (TARGET,) * n
    scores = np.stack(np.unravel_index(np.arange(n_states), shape), axis=1)
    n_actions = game.n_actions
    rows, columns, values = list[Ints](), list[Ints](), list[Floats]()
    wins = np.zeros((n_actions * n_states, n))
    for action in range(n_actions):
        others = np.array([_another_score(game, score, action) for score in range(TARGET)])[scores[:, 1:]]
        base = np.ravel_multi_index((*others.T, np.zeros(n_states, dtype=np.int64)), shape)
        for score in range(TARGET):
            states = np.flatnonzero(scores[:, 0] == score)
            for fallen, probability in game.chance(State((score,) + (0,) * (n - 1), 0), action):
                if fallen == TARGET:
                    wins[n_actions * states + action, 0] += float(probability)
                    continue
                rows.append(n_actions * states + action)
                columns.append(base[states] + fallen)
                values.append(np.full(len(states), float(probability)))
    step = sparse.csr_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(n_actions * n_states, n_states),
    )
    fields = np.concatenate([scores, np.zeros((n_states, 1), dtype=np.int64)], axis=1).astype(np.int16)
    starts: dict[tuple[int, int], float] = {}
    for state, probability in game.initial():
        seen = game.encode(state, state.seat)[:n]
        key = (int(np.ravel_multi_index(seen, shape)), state.seat)
        starts[key] = starts.get(key, 0.0) + float(probability)
    row_start = n_actions * np.arange(n_states + 1)
    return ManyModel(game, fields, row_start, np.tile(np.arange(n_actions), n_states), step, wins, starts)


def _another_score(game: DemiIles, score: int, action: int) -> int:
    """What the mover's throw makes of another player's score."""
    fallen = game.chance(State((0,) * game.players, 0), action).outcomes[0]
    after = game.follow(State((0, score) + (0,) * (game.players - 2), 0), action, fallen)
    return after.outcomes[0].scores[1]
