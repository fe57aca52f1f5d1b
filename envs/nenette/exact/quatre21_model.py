"""421 written out: the rules explored once for each kind of turn, and repeated wherever that turn is taken.

Walking through the hundred thousand states of a manche one by one would take minutes in Python. But a turn looks the
same whatever the fiches are, and what a round does depends on two throws only through which is the worse and what is at
stake. So the rules are asked about one turn of each kind (`explore_turn`) and about one round of each kind
(`_Rounds`), and the answers are laid out over all contexts. Nothing here knows how dice fall or who takes what.

The entries are the starts of rounds (and those of the followers' turns, where a tie keeps its limit). From there the
layers follow the leader's turn, then the follower's:

    leader: to throw, dice on the table, dice taken up, dice on the table, dice taken up
    follower: to throw, dice on the table, dice taken up, dice on the table, dice taken up
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nenette.exact.model import Floats, Ints, Model
from nenette.exact.responses import Unsolvable
from nenette.games.quatre21 import THROW, Quatre21, State
from nenette.games.quatre21_observation import FOR_TWO
from nenette.games.quatre21_rules import COMBINATIONS, HANDS, MAX_THROWS, Dice, throw
from nenette.games.quatre21_turns import Level, explore_turn, kinds_of_rounds

_N = len(COMBINATIONS)


class _Rounds:
    """Where rounds lead: for each context and kind of round, equally likely columns, or the end of the game.

    Which kind two throws make, `kinds_of_rounds` says; where the round leads may also depend on how often was thrown.
    """

    WON, LOST = -1, -2

    def __init__(
        self, game: Quatre21, contexts: list[State], limit: int, entry_of: dict[State, int], n_states: int
    ) -> None:
        self.game, self.entry_of, self.n_states = game, entry_of, n_states
        self.alternatives = game.players if game.rules.next_manche_leader == "opening" else 1
        self.limit = limit
        self.kind, examples = kinds_of_rounds(game, charge=contexts[0].bank > 0)  # by the leader's, the follower's
        columns = [[self._columns(context, *example) for example in examples] for context in contexts]
        self.column = np.array(columns, dtype=np.int64)  # (contexts, kinds, alternatives)

    def _columns(self, context: State, leader: Dice, follower: Dice) -> list[int]:
        state = context._replace(throws=(leader,), limit=self.limit, thrown=self.limit - 1)
        outcomes = self.game.follow(state, THROW, follower).outcomes
        columns = [self._column(after, self.game.seat(state)) for after in outcomes]
        return columns if len(columns) == self.alternatives else columns * self.alternatives

    def _column(self, after: State, mover: int) -> int:
        returns = self.game.returns(after)
        if returns is not None:
            return self.WON if returns[mover] > 0 else self.LOST
        leader = self.game.seat(after)
        return self.entry_of[self.game.decode(self.game.encode(after, leader))] + self.n_states * (leader != mover)


@dataclass
class _Block:
    """A level of a turn, repeated over contexts (and over the leader's combinations), with its place in the model."""

    level: Level
    repetitions: int
    base: int = -1

    @property
    def size(self) -> int:
        return self.repetitions * len(self.level.positions)

    def first_states(self) -> Ints:
        """(repetitions,): index of each repetition's first state."""
        return self.base + np.arange(self.repetitions) * len(self.level.positions)


@dataclass
class _Turn:
    """A turn repeated over contexts: the leader's, or the follower's with its leader's combination known."""

    contexts: list[State]
    start: State
    blocks: list[_Block]

    @property
    def followers(self) -> bool:
        return bool(self.start.throws)

    @property
    def charge(self) -> bool:
        return self.start.bank > 0


def _turn(game: Quatre21, contexts: list[State], start: State) -> _Turn:
    repetitions = len(contexts) * (_N if start.throws else 1)
    return _Turn(contexts, start, [_Block(level, repetitions) for level in explore_turn(game, start)])


def _follower_turn(game: Quatre21, contexts: list[State], limit: int) -> _Turn:
    return _turn(game, contexts, contexts[0]._replace(throws=(COMBINATIONS[0],), limit=limit))


class _Writer:
    """Collects the rows of the model, block by block in the order of the states."""

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns
        self.row_counts: list[Ints] = []
        self.actions: list[Ints] = []
        self.edge_counts: list[Ints] = []
        self.columns: list[Ints] = []
        self.probabilities: list[Floats] = []
        self.win: list[Floats] = []
        self.loss: list[Floats] = []

    def write(self, block: _Block, columns: Ints) -> None:
        """Writes a block whose edges lead to `columns`, (repetitions, edges, alternatives), all equally likely."""
        level, repetitions = block.level, block.repetitions
        rows = len(level.row_action)
        alternatives = columns.shape[2]
        probabilities = np.broadcast_to(np.array(level.edge_probability)[:, None] / alternatives, columns.shape).ravel()
        row = np.arange(repetitions)[:, None, None] * rows + np.array(level.edge_row)[:, None]
        row = np.broadcast_to(row, columns.shape).ravel()
        flat = columns.ravel()
        goes_on = flat >= 0
        self.row_counts.append(np.tile(np.bincount(level.row_position), repetitions))
        self.actions.append(np.tile(np.array(level.row_action), repetitions))
        self.edge_counts.append(np.bincount(row[goes_on], minlength=rows * repetitions))
        self.columns.append(flat[goes_on])
        self.probabilities.append(probabilities[goes_on])
        for into, end in ((self.win, _Rounds.WON), (self.loss, _Rounds.LOST)):
            into.append(
                np.bincount(row[flat == end], probabilities[flat == end], rows * repetitions).astype(np.float64)
            )

    def transition(self) -> sparse.csr_array:
        """All rows so far."""
        counts = np.concatenate(self.edge_counts)
        starts = np.concatenate([[0], counts.cumsum()])
        data, columns = np.concatenate(self.probabilities), np.concatenate(self.columns)
        return sparse.csr_array((data, columns, starts), shape=(len(counts), self.n_columns))


def quatre21_model(game: Quatre21) -> Model:
    """Every state of `game` that can be met, in the layers that the module's text lists.

    Raises:
        Unsolvable: more than two play.
    """
    if game.players > FOR_TWO:
        raise Unsolvable(f"421 is written out for two players; with {game.players} it has many millions of states")
    keeps = game.rules.limit_after_tie == "kept"
    charges = list(_charges(game))
    decharges = [found for limit in ((3, 1, 2) if keeps else (MAX_THROWS,)) if (found := _decharges(game, limit))]
    starts = [charges, *decharges]
    leaders = [_turn(game, contexts, contexts[0]) for contexts in starts]
    followers = [_follower_turn(game, charges, 1)]
    if decharges:
        followers += [_follower_turn(game, decharges[0], limit) for limit in range(1, MAX_THROWS + 1)]
    layers = _layers(leaders, followers, shared=keeps)
    n, boundaries = 0, [0]
    for layer in layers:
        for _, block, _ in layer:
            block.base, n = n, n + block.size
        boundaries.append(n)

    entry_of = {state: index for index, state in enumerate(state for contexts in starts for state in contexts)}
    rounds = {
        (charge, limit): _Rounds(game, contexts, limit, entry_of, n)
        for charge, contexts in ((True, charges), *((False, contexts) for contexts in decharges[:1]))
        for limit in ((1, 2, 3) if keeps and not charge else (1,))
    }
    follower_of = {(turn.charge, turn.start.limit): turn for turn in followers}
    writer, fields = _Writer(game.players * n), []
    for layer in layers:
        for turn, block, after in layer:
            if turn.followers:
                ends = _ends_of_round(block, rounds[turn.charge, turn.start.limit if keeps else 1])
            else:
                limit = block.level.thrown
                ends = _ends_of_leaders_turn(block, follower_of.get((turn.charge, limit)), n)
            writer.write(block, _columns(block, after, ends))
            fields.append(_fields(game, turn, block.level))

    win, loss = np.concatenate(writer.win), np.concatenate(writer.loss)
    first = next(iter(game.initial()))[0]
    return Model(
        game,
        np.concatenate(fields),
        np.concatenate([[0], np.concatenate(writer.row_counts).cumsum()]),
        np.concatenate(writer.actions),
        writer.transition(),
        win,
        loss,
        np.zeros(len(win)),
        win + loss,
        np.array(boundaries),
        entry_of[game.decode(game.encode(first, game.seat(first)))],
        _dice_denominator() * rounds[True, 1].alternatives,
    )


def _charges(game: Quatre21) -> Iterator[State]:
    """Starts of charge rounds, seat 0 leading."""
    total = game.rules.fiches
    for manches, own, other in product(_scores(game), range(total), range(total)):
        if own + other < total:
            yield State(manches, (own, other), total - own - other, (0, 1), limit=1)


def _decharges(game: Quatre21, limit: int) -> list[State]:
    """Starts of décharge rounds, seat 0 leading with so many throws."""
    total = game.rules.fiches
    return [
        State(manches, (own, total - own), 0, (0, 1), limit=limit)
        for manches, own in product(_scores(game), range(1, total))
    ]


def _scores(game: Quatre21) -> list[tuple[int, ...]]:
    return list(product(range(game.rules.manches_to_lose), repeat=game.players))


_Layer = list[tuple[_Turn, _Block, _Block | None]]


def _layers(leaders: list[_Turn], followers: list[_Turn], *, shared: bool) -> list[_Layer]:
    """The model's layers; where several starts of rounds lead to one follower's turn, its start is an entry, too."""
    layers = [*_level_by_level(leaders), *_level_by_level(followers)]
    if shared:
        first = len(_level_by_level(leaders))
        entries = [part for part in layers[first] if not part[0].charge]
        layers[0] = [*layers[0], *entries]
        layers[first] = [part for part in layers[first] if part[0].charge]
    return layers


def _level_by_level(turns: list[_Turn]) -> list[_Layer]:
    """The turns' blocks by level, each with its turn and with the block of its turn's next level."""
    depth = max(len(turn.blocks) for turn in turns)
    return [
        [
            (turn, turn.blocks[level], turn.blocks[level + 1] if level + 1 < len(turn.blocks) else None)
            for turn in turns
            if level < len(turn.blocks)
        ]
        for level in range(depth)
    ]


def _ends_of_leaders_turn(block: _Block, follower: _Turn | None, n: int) -> Ints:
    """(repetitions, combinations, 1): the column that each end of the leader's turn leads to."""
    if follower is None:  # a level at which no turn ends
        return np.zeros((block.repetitions, _N, 1), dtype=np.int64)
    starts = follower.blocks[0].first_states()
    return n + starts.reshape(block.repetitions, _N, 1)


def _ends_of_round(block: _Block, rounds: _Rounds) -> Ints:
    """(repetitions, combinations, alternatives): the columns that each end of the follower's turn leads to."""
    after = rounds.column[:, rounds.kind]  # (contexts, leader's, follower's, alternatives)
    return after.reshape(block.repetitions, _N, rounds.alternatives)


def _columns(block: _Block, after: _Block | None, ends: Ints) -> Ints:
    """(repetitions, edges, alternatives): the column of every edge."""
    level = block.level
    target, ends_turn = np.array(level.edge_target), np.array(level.edge_ends_turn)
    columns = np.empty((block.repetitions, len(target), ends.shape[2]), dtype=np.int64)
    columns[:, ends_turn] = ends[:, target[ends_turn]]
    if after is not None:
        columns[:, ~ends_turn] = (after.first_states()[:, None] + target[~ends_turn])[:, :, None]
    return columns


def _fields(game: Quatre21, turn: _Turn, level: Level) -> NDArray[np.int16]:
    """(states, fields) of one block.

    Each field depends on the context alone, or on the leader's combination, or on the position within the turn; so it
    is the one of the turn's start plus the differences that these three make.
    """
    start = turn.start
    seat = game.seat(start)

    def fields(states: list[State]) -> NDArray[np.int64]:
        return np.array([game.encode(state, seat) for state in states])

    base = fields([start])
    own = start.throws
    contexts = fields([context._replace(throws=own, limit=start.limit) for context in turn.contexts]) - base
    throws = fields([start._replace(throws=(dice,)) for dice in COMBINATIONS] if own else [start]) - base
    positions = fields(level.positions)
    every = contexts[:, None, None] + throws[None, :, None] + positions[None, None, :]
    return every.reshape(-1, base.shape[1]).astype(np.int16)


def _dice_denominator() -> int:
    return lcm(*(throw(dice).total for dice in HANDS if len(dice) < 3))
