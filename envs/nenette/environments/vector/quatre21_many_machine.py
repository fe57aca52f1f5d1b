"""421 for three to six as a machine: the turns of two players, put together with what rounds of more players need."""

from dataclasses import replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.compiled_machine import CompiledMachine, check_features, check_vouched
from nenette.environments.vector.quatre21_machine import nonzero
from nenette.environments.vector.quatre21_many import (
    BANK,
    BEST,
    COLUMNS,
    FIRST,
    LEADER,
    LOSER,
    MOVER,
    NODE,
    ROUND,
    Quatre21ManyTables,
)
from nenette.environments.vector.quatre21_tables import N_COMBINATIONS, Contexts, Nodes
from nenette.environments.vector.sampling_tables import NotCompilableError, sampling_table
from nenette.games.quatre21 import THROW, Quatre21, State
from nenette.games.quatre21_observation import FOR_TWO
from nenette.games.quatre21_rules import COMBINATIONS, MAX_THROWS, Best, strength
from nenette.games.quatre21_turns import stakes_of_rounds

__all__ = ["Quatre21ManyMachine"]

_FIELDS_OF_NODES = 4


class Quatre21ManyMachine(CompiledMachine):
    """See `CompiledMachine`.

    There are too many states to number the decisions in all of them. They are numbered by the weakest throw so far and
    the place within the turn, so that opponents who look at nothing else can be written out as tables.
    """

    plays = Quatre21
    decision_fields = frozenset(
        {"the weakest throw", "throws allowed, less one,", "throws made", "dice on the table", "frozen dice"}
    )

    def __init__(self, game: Quatre21) -> None:
        check_vouched(game, self.plays)
        n, lose, total, features = game.players, game.rules.manches_to_lose, game.rules.fiches, game.codec.features
        if n <= FOR_TWO or game.n_actions != THROW + 1:
            raise NotCompilableError
        bit = np.eye(2)[:, 1:]
        check_features(game, [*[np.eye(lose + 1)] * n, *[np.eye(total + 1)] * (n + 1), *[np.eye(n)] * 2, *[bit] * n])
        self._nodes = nodes = _nodes_for_two(game)
        self._limits = np.array([state.limit for state in nodes.states], dtype=np.int32)
        self._follower_start = {(s.bank > 0, s.limit): k for k, s in enumerate(nodes.states) if s.throws and _begins(s)}
        layout = np.cumsum([0, *(feature.table.shape[1] for feature in features)], dtype=np.uint64)
        of_nodes = [features[k - _FIELDS_OF_NODES].table[nodes.fields[:, k]] for k in range(_FIELDS_OF_NODES)]
        throws = features[3 * n + 3].table[[1 + strength(dice) for dice in COMBINATIONS]]
        stakes, by_nenette = stakes_of_rounds(game.rules)
        given = np.logical_and(by_nenette.any(axis=1), not game.rules.nenette_capped)
        numbers = (len(nodes.leader_decisions), len(nodes.follower_decisions))
        tables = Quatre21ManyTables(
            n,
            lose,
            total,
            nodes.charge_start,
            np.array([self._leaders_start(limit) for limit in range(MAX_THROWS + 1)], dtype=np.int32),
            game.rules.limit_after_tie == "kept",
            self._limits,
            nodes.starts,
            nodes.legal.astype(np.uint8),
            nodes.draw,
            nodes.ways.astype(np.int16),
            nodes.follower_starts,
            nodes.decision.astype(np.int16),
            np.array(numbers, dtype=np.int64),
            np.array([strength(dice) for dice in COMBINATIONS], dtype=np.int32),
            stakes,
            given,
            _leaders(game),
            _payoff(game),
            layout,
            *nonzero(throws, np.uint64(0)),
            *nonzero(np.concatenate(of_nodes, axis=1), layout[-1 - _FIELDS_OF_NODES]),
        )
        self.n_decisions = numbers[0] + N_COMBINATIONS * numbers[1]
        self.decisions_id = sha256(b"many" + nodes.fields.tobytes() + nodes.legal.tobytes()).digest()
        super().__init__(game, tables, 3 * n + COLUMNS)

    def _leaders_start(self, limit: int) -> int:
        """The node at which a leader who may throw so often begins in the décharge; -1: there is none."""
        nodes = self._nodes
        begins = (
            k
            for k, state in enumerate(nodes.states)
            if not state.throws and not state.bank and state.limit == limit and _begins(state)
        )
        return next(begins, -1)

    def encode(self, state: State) -> tuple[int, ...]:
        """The start of a round."""
        node = self._nodes.charge_start if state.bank else self._leaders_start(state.limit)
        if state.throws or not _begins(state) or node < 0:
            raise NotCompilableError
        return tuple(self._columns(state, node, 0))

    def _columns(self, state: State, node: int, first: int) -> list[int]:
        n = self.game.players
        lies = dict(zip(state.order, state.throws, strict=False))
        if state.best is not None:
            lies[state.best.seat] = state.best.dice
        rest = [0] * COLUMNS
        rest[BANK], rest[FIRST], rest[NODE] = state.bank, first, node
        rest[MOVER], rest[LEADER] = self.game.seat(state), state.order[0]
        rest[ROUND] = sum(1 << seat for seat in state.order)
        rest[BEST] = n if state.best is None else state.best.seat
        returns = self.game.returns(state)
        rest[LOSER] = 0 if returns is None else 1 + returns.index(min(returns))
        thrown = [1 + COMBINATIONS.index(lies[seat]) if seat in lies else 0 for seat in range(n)]
        return [*state.manches, *state.fiches, *thrown, *rest]

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`: the deciding nodes of the leader, then those of the others by the weakest throw so far.

        All else is as it may be in some game: two players are left.
        """
        nodes, game = self._nodes, self.game
        fiches = (1, game.rules.fiches - 1, *[0] * (game.players - 2))
        fields = []
        at = []
        for number in range(low, high):
            k = number - len(nodes.leader_decisions)
            weakest, decision = divmod(k, max(1, len(nodes.follower_decisions)))
            node = nodes.leader_decisions[number] if k < 0 else nodes.follower_decisions[decision]
            throws = () if k < 0 else (COMBINATIONS[weakest],)
            order = (0, 1) if k < 0 else (1, 0)
            in_turn = nodes.states[node][5:9]
            fields.append(game.encode(State((0,) * game.players, fiches, 0, order, throws, *in_turn), 0))
            at.append(node)
        masks = (nodes.legal[at][:, None] >> np.arange(game.n_actions) & 1).astype(np.int8)
        return np.array(fields, dtype=np.int64).reshape(len(at), len(game.codec.features)), masks

    def _fits(self, columns: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """They are those of a state, and that is over if it should be."""
        n, rules = self.game.players, self.game.rules
        most = [*[rules.manches_to_lose + 1] * n, *[rules.fiches + 1] * n, *[N_COMBINATIONS + 1] * n, *[0] * COLUMNS]
        for column, values in (
            (BANK, rules.fiches + 1),
            (MOVER, n),
            (LEADER, n),
            (ROUND, 1 << n),
            (BEST, n + 1),
            (FIRST, len(self._limits)),
            (NODE, len(self._limits)),
            (LOSER, n + 1),
        ):
            most[3 * n + column] = values
        fits = np.all((columns >= 0) & (columns < most), axis=1)
        for row in np.flatnonzero(fits):
            fits[row] = self._is_possible(columns[row].tolist(), bool(over[row]))
        return np.asarray(fits)

    def _is_possible(self, columns: list[int], over: bool) -> bool:
        n = self.game.players
        manches, fiches, thrown, rest = columns[:n], columns[n : 2 * n], columns[2 * n : 3 * n], columns[3 * n :]
        order = [
            seat for k in range(n) if rest[ROUND] >> (seat := (rest[LEADER] + k) % n) & 1
        ]  # those who throw, from the leader's seat on
        if rest[MOVER] not in order or (rest[BEST] < n and not thrown[rest[BEST]]):
            return False
        throws = tuple(COMBINATIONS[thrown[seat] - 1] for seat in order[: order.index(rest[MOVER])] if thrown[seat])
        best = Best(rest[BEST], COMBINATIONS[thrown[rest[BEST]] - 1]) if rest[BEST] < n else None
        node: State = self._nodes.states[rest[NODE]]
        state = State(tuple(manches), tuple(fiches), rest[BANK], tuple(order), throws, *node[5:9], best)
        charge = state.bank > 0
        first = self._follower_start.get((charge, state.limit), -1) if throws else 0
        return (
            (bool(node.throws), node.bank > 0) == (bool(throws), charge)
            and self.game.possible(state)
            and columns == self._columns(state, rest[NODE], first)
            and (over or not rest[LOSER])
        )


def _begins(state: State) -> bool:
    return state.thrown == 0 and not state.dice


def _nodes_for_two(game: Quatre21) -> Nodes:
    """A turn is the same for two players as for more."""
    for_two = Quatre21(replace(game.rules, players=FOR_TWO))
    return Nodes(for_two, Contexts(for_two))


def _leaders(game: Quatre21) -> NDArray[np.int32]:
    """Who leads the manche after one that each seat has lost, while the match goes on."""
    longer = Quatre21(replace(game.rules, manches_to_lose=2))
    nothing = (0,) * game.players
    start = State(nothing, nothing, game.rules.fiches, tuple(range(game.players)))
    following = [longer.after_manche(start, loser).map(lambda state: state.order[0]) for loser in range(game.players)]
    table, totals = sampling_table(following, range(game.players))
    if len(set(totals.tolist())) > 1:
        raise NotCompilableError
    return table


def _payoff(game: Quatre21) -> NDArray[np.float64]:
    nothing = (0,) * game.players
    rows = []
    for loser in range(game.players):
        manches = tuple(game.rules.manches_to_lose * (seat == loser) for seat in range(game.players))
        rows.append(game.returns(State(manches, nothing, game.rules.fiches, tuple(range(game.players)))))
    return np.array(rows, dtype=np.float64)
