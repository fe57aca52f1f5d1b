"""421 as a machine: the tables of `quatre21_tables`, put together."""

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.compiled_machine import CompiledMachine, check_features
from nenette.environments.vector.quatre21 import Quatre21Tables
from nenette.environments.vector.quatre21_tables import N_COMBINATIONS, Contexts, Nodes, Scores
from nenette.environments.vector.sampling_tables import NotCompilableError
from nenette.games.quatre21 import THROW, Quatre21, State
from nenette.games.quatre21_rules import COMBINATIONS

__all__ = ["Quatre21Machine", "nonzero"]

_PLAYERS = 2


class Quatre21Machine(CompiledMachine):
    """See `CompiledMachine`."""

    plays = Quatre21

    def __init__(self, game: Quatre21) -> None:
        if game.players != _PLAYERS or game.n_actions != THROW + 1:
            raise NotCompilableError
        lose, total, features = game.rules.manches_to_lose, game.rules.fiches, game.codec.features
        bit = np.eye(2)[:, 1:]
        check_features(game, [*[np.eye(lose + 1)] * 2, *[np.eye(total + 1)] * 3, bit, bit])
        self._contexts = contexts = Contexts(game)
        self._nodes = nodes = Nodes(game, contexts)
        self._scores = scores = Scores.of(game)
        sizes = (lose, len(contexts.decharges), len(nodes.leader_decisions), len(nodes.follower_decisions))
        self._per_context = sizes[2] + N_COMBINATIONS * sizes[3]
        starts = [nodes.charge_start if bank else nodes.decharge_start for bank in contexts.fiches[:, 2]]
        # The value of the field for the leader's combination.
        thrown = [State((0, 0), (0, 0), 1, (0, 1), (dice,)) for dice in COMBINATIONS]
        self._leaders_field = np.array([game.encode(state, 0)[7] for state in thrown], dtype=np.int64)
        self._follows = np.array([bool(state.throws) for state in nodes.states])
        self._charges = np.array([state.bank > 0 for state in nodes.states])
        layout = np.cumsum([0, *(feature.table.shape[1] for feature in features)], dtype=np.uint64)
        of_nodes = np.concatenate([features[8 + k].table[nodes.fields[:, k]] for k in range(4)], axis=1)
        tables = Quatre21Tables(
            contexts.start,
            np.array(sizes, dtype=np.int64),
            layout,
            nodes.starts,
            nodes.legal.astype(np.uint8),
            nodes.draw,
            nodes.ways.astype(np.int16),
            nodes.follower_starts,
            nodes.charge_throws.astype(np.uint8),
            nodes.decision.astype(np.int16),
            contexts.fiches,
            contexts.kinds.astype(np.uint8),
            contexts.rounds.astype(np.int16),
            contexts.decharge,
            np.array(starts, dtype=np.int32),
            nodes.same_limit_start,
            scores.manches,
            scores.turned,
            scores.after,
            scores.totals,
            scores.payoff,
            scores.over,
            *nonzero(features[7].table[self._leaders_field], layout[7]),
            *nonzero(of_nodes, layout[8]),
        )
        blocks = lose * lose * len(contexts.decharges)
        self.n_decisions = blocks * self._per_context
        self.n_blocks = max(1, blocks)  # with a single fiche there is no decharge
        self.decisions_id = sha256(nodes.fields.tobytes() + nodes.legal.tobytes()).digest()
        super().__init__(game, tables, 6)

    def encode(self, state: State) -> tuple[int, ...]:
        """The start of a round of the charge or the décharge."""
        leader, follower = state.order
        where = (state.fiches[leader], state.fiches[follower], state.bank)
        score = self._scores.number(state.manches[leader], state.manches[follower])
        node = self._nodes.charge_start if state.bank else self._nodes.decharge_start
        normal = self._contexts.example(charge=state.bank > 0)
        if where not in self._contexts.numbers or normal is None or state[4:] != normal[4:]:
            raise NotCompilableError
        return score, self._contexts.numbers[where], leader, 0, 0, node

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`: numbered by score, then context, then the deciding nodes of the leader and the follower."""
        nodes, contexts = self._nodes, self._contexts
        number, within = np.divmod(np.arange(low, high), self._per_context)
        score, place = np.divmod(number, len(contexts.decharges))
        fiches = contexts.fiches[contexts.decharges[place]]
        n_leader, n_follower = len(nodes.leader_decisions), max(1, len(nodes.follower_decisions))
        follows = within >= n_leader
        leaders, decision = np.divmod(within - n_leader, n_follower)
        node = np.empty_like(within)
        node[follows] = nodes.follower_decisions[decision[follows]]
        node[~follows] = nodes.leader_decisions[within[~follows]]
        manches = np.stack(np.divmod(score, self.game.rules.manches_to_lose), axis=1)
        fields = np.zeros((len(within), len(self.game.codec.features)), dtype=np.int64)
        own = follows.astype(np.int64)[:, None]  # which of the pairs, leader's and follower's, is the mover's
        for columns, pair in (((0, 1), manches), ((2, 3), fiches[:, :2])):
            fields[:, columns] = np.take_along_axis(pair, np.concatenate([own, 1 - own], axis=1), axis=1)
        fields[:, 4] = fiches[:, 2]
        fields[:, 6] = follows
        fields[follows, 7] = self._leaders_field[leaders[follows]]
        fields[:, 8:] = nodes.fields[node]
        masks = (nodes.legal[node][:, None] >> np.arange(self.game.n_actions) & 1).astype(np.int8)
        return fields, masks

    def _fits(self, columns: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The node is one of that player's turn, in that phase."""
        nodes, contexts, scores = self._nodes, self._contexts, self._scores
        sizes = [len(scores.over), len(contexts.fiches), _PLAYERS, 2, N_COMBINATIONS, len(nodes.states)]
        fits = np.all((columns >= 0) & (columns < sizes), axis=1)
        score, context, _, follows, _, node = np.where(fits[:, None], columns, 0).T
        fits &= self._follows[node] == (follows == 1)
        fits &= self._charges[node] == (contexts.fiches[context, 2] > 0)
        return np.asarray(fits & (over | ~scores.over[score]))


def nonzero(blocks: NDArray[np.float32], first: np.uint64) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    """Which features of each row of `blocks` are not 0 (the block beginning at `first`), and what they are.

    Shapes (rows, most) both; most features are 0, and writing only the others is quicker. A row that has fewer than
    others repeats its first.
    """
    at = np.argsort(blocks == 0, axis=1, kind="stable")[:, : (blocks != 0).sum(axis=1).max()]
    values = np.take_along_axis(blocks, at, axis=1)
    at, values = (np.where(values != 0, array, array[:, :1]) for array in (at, values))
    return (at.astype(np.uint64) + first).astype(np.uint16), values
