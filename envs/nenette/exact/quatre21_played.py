"""How rounds of 421 go when the policies that play are known: the chance of every set of throws.

A turn is a graph that is the same whatever lies on the table (`explore_turn`). So a turn is worked out for many
*situations* at once, a situation being what the seat to move sees when its turn begins. Situations that differ in
nothing that the policy looks at are worked out once; so players who look at little are quick.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nenette.exact.behaviours import Floats, Ints
from nenette.games.quatre21 import THROW, Quatre21, State
from nenette.games.quatre21_observation import FOR_TWO
from nenette.games.quatre21_rules import COMBINATIONS, MAX_THROWS, strength, throw
from nenette.games.quatre21_turns import COMBINATION_INDEX, Level, explore_turn

__all__ = ["N_COMBINATIONS", "PlayedRounds", "TablePlayer"]

N_COMBINATIONS = len(COMBINATIONS)
_IN_TURN = 4
"""The last fields of an observation say where within a turn it is."""
_CHUNK = 1 << 15
_CHANCES_KEPT = 32 * N_COMBINATIONS**3
"""Players who look at the fiches have hundreds of rounds of three, of up to 4 MB each, and thousands of two."""

ActionProbabilities = Callable[[NDArray[np.float32], NDArray[np.int8]], Floats]


@dataclass(frozen=True, eq=False)
class TablePlayer:
    """Somebody who plays: one object for each policy, however many seats it has.

    Attributes:
        action_probabilities: see `nenette.policies.Policy`.
        looks_at: the names of the fields that it looks at; None: it may look at all of them.
    """

    action_probabilities: ActionProbabilities
    looks_at: Sequence[str] | None = None


@dataclass(frozen=True, eq=False)
class _Step:
    """A level of a turn.

    Attributes:
        fields: int64, (positions, 4): the fields of an observation that say where within the turn.
        masks: int8, (positions, actions).
        positions, actions: int64, (rows,): of each row, a position and an action.
        onward: CSR, (rows, positions of the next level).
        ends: CSR, (rows, combinations): the turn ends.
        thrown: how many throws have been made where it ends.
    """

    fields: Ints
    masks: NDArray[np.int8]
    positions: Ints
    actions: Ints
    onward: sparse.csr_array
    ends: sparse.csr_array
    thrown: int

    @property
    def decides(self) -> bool:
        """Whether there is a choice anywhere."""
        return bool((self.masks.sum(axis=1) > 1).any())


def _steps(game: Quatre21, start: State) -> list[_Step]:
    levels = explore_turn(game, start)
    sizes = [*(len(level.positions) for level in levels[1:]), 0]
    return [_step(game, level, after) for level, after in zip(levels, sizes, strict=True)]


def _step(game: Quatre21, level: Level, after: int) -> _Step:
    rows = len(level.row_action)
    row, target = np.array(level.edge_row), np.array(level.edge_target)
    probability, ends = np.array(level.edge_probability), np.array(level.edge_ends_turn)
    masks = np.zeros((len(level.positions), THROW + 1), dtype=np.int8)
    masks[level.row_position, level.row_action] = 1

    def matrix(which: NDArray[np.bool_], columns: int) -> sparse.csr_array:
        return sparse.csr_array((probability[which], (row[which], target[which])), shape=(rows, columns))

    return _Step(
        np.array([game.encode(state, game.seat(state))[-_IN_TURN:] for state in level.positions], dtype=np.int64),
        masks,
        np.array(level.row_position),
        np.array(level.row_action),
        matrix(~ends, after),
        matrix(ends, N_COMBINATIONS),
        level.thrown,
    )


class PlayedRounds:
    """The rounds of one game.

    Attributes:
        game: what is played.
    """

    def __init__(self, game: Quatre21) -> None:
        self.game = game
        self._names = list(game.codec.names)
        self._turns: dict[tuple[bool, int], list[_Step]] = {}
        self._ends: dict[tuple[int, bool, int, bytes], Floats] = {}
        self._rounds: dict[tuple[object, ...], dict[int, Floats]] = {}
        self._kept = defaultdict[int, deque[tuple[object, ...]]](deque)  # keys of these, by how many throw
        self._columns: dict[int, Ints] = {}
        self._players: list[TablePlayer] = []  # kept alive: what is remembered goes by their ids
        drawn = throw(())
        self._single = np.zeros(N_COMBINATIONS)
        self._single[[COMBINATION_INDEX[dice] for dice in drawn.outcomes]] = np.array(drawn.weights) / drawn.total

    def columns(self, player: TablePlayer) -> Ints:
        """Which fields of a situation the player looks at."""
        if id(player) not in self._columns:
            names = self._names if player.looks_at is None else player.looks_at
            found = sorted(self._names.index(name) for name in names)
            self._columns[id(player)] = np.array([k for k in found if k < len(self._names) - _IN_TURN], dtype=np.int64)
            self._players.append(player)
        return self._columns[id(player)]

    def throws(self, state: State, players: Sequence[TablePlayer]) -> dict[int, Floats]:
        """The chances of all throws of the round that begins in `state`.

        Args:
            state: nobody has thrown yet.
            players: by seat.

        Returns:
            By how often the leader has thrown, and the others therefore may: an array with an axis for each player who
            throws, in their order, of 56 combinations.
        """
        if state.bank:
            return {1: _outer([self._single] * len(state.order))}
        sitting = [players[seat] for seat in state.order]
        key = (state.limit, *map(id, sitting), *self.looks(state, players))
        if key not in self._rounds:
            found = self._throws(state, sitting)
            if any(player.looks_at is None for player in sitting):
                return found  # the like of it will not come again
            of_so_many = self._kept[len(sitting)]
            if len(of_so_many) * N_COMBINATIONS ** len(sitting) >= _CHANCES_KEPT:
                del self._rounds[of_so_many.popleft()]
            of_so_many.append(key)
            self._rounds[key] = found
        return self._rounds[key]

    def looks(self, state: State, players: Sequence[TablePlayer]) -> tuple[bytes, ...]:
        """What those who throw look at as the round begins: where it is the same, they play alike."""
        if state.bank:
            return ()
        return tuple(
            self._situation(state, place)[self.columns(players[seat])].tobytes()
            for place, seat in enumerate(state.order)
        )

    def _throws(self, state: State, sitting: Sequence[TablePlayer]) -> dict[int, Floats]:
        seen = [self._situation(state, place) for place in range(len(sitting))]
        leads = self._turn(sitting[0], seen[0][None], follows=False, limit=state.limit)[0]
        found = {}
        for limit in range(1, MAX_THROWS + 1):
            chances = leads[limit - 1]
            if not chances.any():
                continue
            for place in range(1, len(sitting)):
                ends = self._turn(
                    sitting[place], self._situations(state, seen[place], place), follows=True, limit=limit
                )
                chances = chances[..., None] * ends.sum(axis=1).reshape((*chances.shape, N_COMBINATIONS))
            found[limit] = chances
        return found

    def _situation(self, state: State, place: int) -> Ints:
        """The fields as the player at that place sees them, whoever threw before having thrown anything."""
        begun = state._replace(throws=(COMBINATIONS[0],) * place)
        return np.array(self.game.encode(begun, state.order[place]), dtype=np.int64)

    def _situations(self, state: State, fields: Ints, place: int) -> Ints:
        """The fields for all throws of those before."""
        thrown = 1 + np.array([strength(dice) for dice in COMBINATIONS])
        before = np.array(list(product(thrown, repeat=place)))
        situations = np.repeat(fields[None], len(before), axis=0)
        n = self.game.players
        if n == FOR_TWO:
            situations[:, self._names.index("the leader's throw")] = before[:, 0]
            return situations
        own, mover = self._names.index("own throw"), state.order[place]
        for column, seat in enumerate(state.order[:place]):
            situations[:, own + (seat - mover) % n] = before[:, column]
        situations[:, self._names.index("the weakest throw")] = before.min(axis=1)
        return situations

    def _turn(self, player: TablePlayer, situations: Ints, *, follows: bool, limit: int) -> Floats:
        """float64, (situations, 3, 56): the chance that a turn ends after so many throws with a combination."""
        looked = np.ascontiguousarray(situations[:, self.columns(player)])
        _, first, where = np.unique(looked, axis=0, return_index=True, return_inverse=True)
        if player.looks_at is None:
            return self._asked(player, situations[first], follows, limit)[where.ravel()]
        keys = [(id(player), follows, limit, looked[k].tobytes()) for k in first]
        missing = [k for k, key in enumerate(keys) if key not in self._ends]
        if missing:
            asked = self._asked(player, situations[first[missing]], follows, limit)
            self._ends.update({keys[k]: ends for k, ends in zip(missing, asked, strict=True)})
        return np.stack([self._ends[key] for key in keys])[where.ravel()]

    def _asked(self, player: TablePlayer, situations: Ints, follows: bool, limit: int) -> Floats:
        found = np.zeros((len(situations), MAX_THROWS, N_COMBINATIONS))
        at = np.ones((len(situations), 1))
        for step in self._steps(follows, limit):
            going = at[:, step.positions]
            if step.decides:
                going = going * self._choices(player, situations, step)
            if step.ends.nnz:
                found[:, step.thrown - 1] += going @ step.ends
            at = going @ step.onward
        return found

    def _steps(self, follows: bool, limit: int) -> list[_Step]:
        """A turn is the same for two players as for more."""
        if (follows, limit) not in self._turns:
            rules = self.game.rules
            game = Quatre21(replace(rules, players=FOR_TWO, max_turns=None))
            throws = (COMBINATIONS[0],) if follows else ()
            start = State((0, 0), (1, rules.fiches - 1), 0, (0, 1), throws, limit)
            self._turns[follows, limit] = _steps(game, start)
        return self._turns[follows, limit]

    def _choices(self, player: TablePlayer, situations: Ints, step: _Step) -> Floats:
        """float64, (situations, rows): the player's probability of each row."""
        n, positions = len(situations), len(step.fields)
        chances = np.empty((n, len(step.positions)))
        each = max(1, _CHUNK // positions)
        for low in range(0, n, each):
            some = situations[low : low + each]
            fields = np.repeat(some, positions, axis=0)
            fields[:, -_IN_TURN:] = np.tile(step.fields, (len(some), 1))
            masks = np.tile(step.masks, (len(some), 1))
            asked = np.asarray(player.action_probabilities(self.game.codec.encode(fields), masks), dtype=np.float64)
            asked = asked / asked.sum(axis=1, keepdims=True)
            chances[low : low + each] = asked.reshape(len(some), positions, -1)[:, step.positions, step.actions]
        return chances


def _outer(each: Sequence[Floats]) -> Floats:
    chances = np.ones(())
    for one in each:
        chances = np.multiply.outer(chances, one)
    return chances
