"""421 as a machine: the tables of `quatre21_tables`, and the compiled code that walks through them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.batch import Advance, Batch, Given, NotCompiledError, example
from nenette.environments.vector.bound import bound
from nenette.environments.vector.quatre21_kernel import step
from nenette.environments.vector.quatre21_tables import N_COMBINATIONS, Contexts, Nodes, Scores, nearest_table
from nenette.environments.vector.seating import Seating
from nenette.games import Game
from nenette.games.quatre21 import Quatre21, State
from nenette.games.quatre21_rules import COMBINATIONS

__all__ = ["Quatre21Machine"]

_ENDLESS = (1 << 31) - 1


class Quatre21Machine:
    """See `nenette.environments.vector.batch.Machine`."""

    width = 7

    def __init__(self, game: Quatre21) -> None:
        if game.rules.limit_after_tie != "fresh":
            raise NotCompiledError("many games of 421 at once are played with limit_after_tie='fresh' only, for now")
        self.game: Game[Any] = game
        self._contexts = contexts = Contexts(game)
        self._nodes = nodes = Nodes(game, contexts)
        self._scores = scores = Scores.of(game)
        self._per_context = len(nodes.leader_decisions) + N_COMBINATIONS * len(nodes.follower_decisions)
        lose = game.rules.manches_to_lose
        blocks = lose * lose * len(contexts.decharges)
        self.n_decisions = blocks * self._per_context
        self.n_blocks = max(1, blocks)  # with a single fiche there is no decharge
        self._max_turns = _ENDLESS if game.max_turns is None else game.max_turns
        # Where a round of each context begins, and the value of the field that tells the leader's combination.
        starts = [nodes.charge_start if bank else nodes.decharge_start for bank in contexts.fiches[:, 2]]
        thrown = [State((0, 0), (0, 0), 1, (0, 1), (dice,)) for dice in COMBINATIONS]
        self._leaders_field = np.array([game.fields(state, 0)[7] for state in thrown], dtype=np.int64)
        self._follows = np.array([bool(state.throws) for state in nodes.states])
        self._charges = np.array([state.bank > 0 for state in nodes.states])
        features = game.codec.features
        widths = [feature.table.shape[1] for feature in features]
        sizes = (lose, len(contexts.decharges), len(nodes.leader_decisions), len(nodes.follower_decisions))
        self._scalars = np.array([self._max_turns, contexts.start, *sizes], dtype=np.int64)
        self._layout = np.cumsum([0, *widths], dtype=np.uint64)
        self._tables = (
            nodes.starts.astype(np.int32),
            nodes.legal.astype(np.uint8),
            nodes.decides,
            nodes.only.astype(np.uint8),
            nodes.draw.astype(np.int32),
            nodes.ways.astype(np.int16),
            nodes.follower_starts,
            nodes.charge_throws.astype(np.uint8),
            nodes.decision.astype(np.int16),
            contexts.fiches,
            contexts.kinds.astype(np.uint8),
            contexts.rounds.astype(np.int16),
            contexts.decharge,
            np.array(starts, dtype=np.int32),
            scores.manches,
            scores.turned,
            scores.after,
            scores.alternatives,
            scores.results,
            scores.over,
            nearest_table(nodes.legal).astype(np.uint8),
            *_nonzero(features[7].table[self._leaders_field], self._layout[7]),
            *_nonzero(
                np.concatenate([features[8 + k].table[nodes.fields[:, k]] for k in range(4)], axis=1), self._layout[8]
            ),
            (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.int8).view(np.uint64).ravel(),
        )

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

    def possible(self, places: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """See `Machine`: the node is one of that player's turn, in that phase."""
        nodes, contexts, scores = self._nodes, self._contexts, self._scores
        sizes = [len(scores.over), len(contexts.fiches), 2, 2, N_COMBINATIONS, len(nodes.states)]
        fits = np.all((places[:, :6] >= 0) & (places[:, :6] < sizes), axis=1)
        score, context, _, follows, _, node, _ = np.where(fits[:, None], places, 0).T
        fits &= self._follows[node] == (follows == 1)
        fits &= self._charges[node] == (contexts.fiches[context, 2] > 0)
        return np.asarray(fits & (over | ~scores.over[score]))

    def bind(self, batch: Batch, seating: Seating, given: Given, *, seat: int, same_step: bool) -> Advance:
        """See `Machine`."""
        parts = (
            seat,
            same_step,
            self._scalars,
            self._layout,
            *self._tables,
            batch.places,
            batch.seats,
            batch.status,
            batch.words,
            seating.seated,
            seating.kinds,
            seating.bases,
            seating.row_of,
            seating.odds,
            given.masks.view(np.uint64).ravel(),
            given.illegal,
            given.counts,
            given.final_slots,
            given.final_seats,
            given.final_observations.ravel(),
            given.final_masks.view(np.uint64).ravel(),
            given.waiting,
            given.waiting_for,
            given.waiting_observations.ravel(),
            given.waiting_masks.view(np.uint64).ravel(),
        )
        return bound(step, parts, (given.masks, batch.seats), *example(given))


def _nonzero(blocks: NDArray[np.float32], first: np.uint64) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    """Which features of each row of `blocks` are not 0 (the block beginning at `first`), and what they are.

    Shapes (rows, most) both; most features are 0, and writing only the others is quicker. A row that has fewer than
    others repeats its first.
    """
    at = np.argsort(blocks == 0, axis=1, kind="stable")[:, : (blocks != 0).sum(axis=1).max()]
    values = np.take_along_axis(blocks, at, axis=1)
    at, values = (np.where(values != 0, array, array[:, :1]) for array in (at, values))
    return (at.astype(np.uint64) + first).astype(np.uint16), values
