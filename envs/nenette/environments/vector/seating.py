"""Who sits at the other seats of every slot: opponents as tables that compiled code looks up, or outside of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from nenette.environments.opponents import Opponent, OpponentChoice, seat_opponents
from nenette.environments.vector.slots import StepOutput
from nenette.games import Game
from nenette.policies.ask import ask
from nenette.policies.optimal import OptimalPolicy
from nenette.policies.random import RandomPolicy
from nenette.policies.rule_of_thumb import RuleOfThumb

__all__ = ["BY_MASK", "BY_STATE", "OUTSIDE", "Seating", "ask_outside", "chosen_for_each", "seat_all"]

BY_STATE, BY_MASK, OUTSIDE = 0, 1, 2
"""What an opponent's probabilities depend on; or that it is asked outside of compiled code."""

LARGEST_TABLE = 1 << 19
"""Decisions up to which an opponent that never changes is written out as a table."""

_FEW = 256
"""Rows of probabilities that a number of one byte tells apart."""

_CHUNK = 1 << 15

Table = tuple[int, NDArray[np.int32], NDArray[np.float64]]

_TABLES: WeakKeyDictionary[Opponent, dict[bytes, Table]] = WeakKeyDictionary()
"""Of opponents that never change, by how decisions are numbered: one that goes by a name is the same object in all
environments."""


class Decisions(Protocol):
    """All states in which somebody may have to choose: a part of `Machine`."""

    game: Game[Any]
    n_decisions: int | None
    n_blocks: int
    decisions_id: bytes
    decision_fields: frozenset[str] | None

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Fields and masks of some of them."""
        ...


class OpponentTables(NamedTuple):
    """Opponents as arrays.

    Attributes:
        seated: int32, (num_envs, players - 1): the opponent at each seat, in turn order after the learner's.
        kinds: int64, (opponents,): BY_STATE, BY_MASK or OUTSIDE.
        bases: uint64, (opponents, n_blocks): where in `row_of` an opponent's part for a block of decisions begins; for
            one that knows masks alone the same for all blocks.
        row_of: uint8, or int32 where there are many rows: the row of `probabilities` for each decision of a block, or
            for each mask read as a binary number.
        probabilities: float64, (rows, n_actions): cumulative.
    """

    seated: NDArray[np.int32]
    kinds: NDArray[np.int64]
    bases: NDArray[np.uint64]
    row_of: NDArray[np.integer]
    probabilities: NDArray[np.float64]


@dataclass
class Seating:
    """Who sits where.

    Attributes:
        tables: the opponents as arrays.
        opponents: who they are.
    """

    tables: OpponentTables
    opponents: tuple[Opponent, ...]

    @property
    def outside(self) -> bool:
        """Whether somebody is asked outside of compiled code."""
        return bool((self.tables.kinds == OUTSIDE).any())


def chosen_for_each(
    game: Game[Any],
    num_envs: int,
    opponents: OpponentChoice | Sequence[OpponentChoice],
    of_each: Sequence[OpponentChoice | Sequence[OpponentChoice]] | None,
    present: Sequence[Opponent],
) -> list[tuple[Opponent, ...]]:
    """The opponents of each slot, in turn order after the learner's seat; policies that are `present` already keep
    their `Opponent`.

    So their tables need not be written out again when they only change seats.

    Raises:
        ValueError: an option has a value that it cannot have.
    """
    if of_each is not None and len(of_each) != num_envs:
        raise ValueError(
            f"opponents_of_each is a list of num_envs={num_envs}, one for each slot, not of {len(of_each)}"
        )
    if game.players == 1:
        return [()] * num_envs
    same = {id(opponent.policy): opponent for opponent in present}

    def chosen(choice: OpponentChoice | Sequence[OpponentChoice]) -> tuple[Opponent, ...]:
        return tuple(same.get(id(one.policy), one) for one in seat_opponents(game, choice))

    return [chosen(opponents)] * num_envs if of_each is None else [chosen(choice) for choice in of_each]


def seat_all(tables: Decisions, each: Sequence[Sequence[Opponent]]) -> Seating:
    """The seating of all slots; `each` lists a slot's opponents in turn order after the learner's seat.

    An opponent becomes a table if it never changes and the game is small enough.

    Raises:
        ValueError: a policy gives probabilities that are no distribution, or an illegal action a chance.
    """
    game = tables.game
    known: dict[int, int] = {}
    opponents: list[Opponent] = []
    seated = np.zeros((len(each), game.players - 1), dtype=np.int32)
    for slot, others in enumerate(each):
        for place, opponent in enumerate(others):
            number = known.setdefault(id(opponent.policy), len(opponents))
            if number == len(opponents):
                opponents.append(opponent)
            seated[slot, place] = number
    kinds, bases, row_of = [], [], [np.zeros(0, dtype=np.int32)]
    base, rows = 0, _Rows(game.n_actions)
    for opponent in opponents:
        kind, of, table = _tabulated(tables, opponent)
        kinds.append(kind)
        starts, of = _shared(of, tables.n_blocks if kind == BY_STATE else 1)
        bases.append(base + np.resize(starts, tables.n_blocks))
        row_of.append(rows.enter(table)[of])
        base += len(of)
    probabilities = rows.table()
    arrays = OpponentTables(
        seated,
        np.array(kinds, dtype=np.int64),
        np.array(bases, dtype=np.uint64).reshape(-1, tables.n_blocks),
        # Small tables stay in the cache, and that is what the speed of looking them up depends on.
        np.concatenate(row_of).astype(np.uint8 if len(probabilities) <= _FEW else np.int32),
        probabilities,
    )
    return Seating(arrays, tuple(opponents))


class _Rows:
    """The rows of probabilities of several opponents; those of short tables are entered once.

    In 421 the random player alone has 255 rows, and whoever always takes one action has some of them.
    """

    def __init__(self, n_actions: int) -> None:
        self._tables = [np.zeros((0, n_actions))]
        self._known: dict[bytes, int] = {}
        self._rows = 0

    def enter(self, table: NDArray[np.float64]) -> NDArray[np.int32]:
        """Adds the rows of a table, (rows, n_actions), that are not there yet; where each of them is, int32 (rows,)."""
        new = [k for k, row in enumerate(table) if row.tobytes() not in self._known] if len(table) <= _FEW else None
        if new is None:
            numbers = np.arange(self._rows, self._rows + len(table), dtype=np.int32)
        else:
            self._known |= {table[k].tobytes(): self._rows + at for at, k in enumerate(new)}
            numbers = np.array([self._known[row.tobytes()] for row in table], dtype=np.int32)
            table = table[new]
        self._tables.append(table)
        self._rows += len(table)
        return numbers

    def table(self) -> NDArray[np.float64]:
        """float64, (rows, n_actions): all rows."""
        return np.concatenate(self._tables)


def ask_outside(seating: Seating, output: StepOutput) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The slots that wait, int64 (n,), and the cumulative probabilities of the opponents that they wait for."""
    n = int(output.counts[1])
    asked = output.waiting_for[:n]
    observations = output.waiting_observations.reshape(len(output.masks), -1)
    answers = np.empty((n, seating.tables.probabilities.shape[1]))
    for number in np.unique(asked):
        rows = np.flatnonzero(asked == number)
        policy = seating.opponents[number].policy
        answers[rows] = ask(policy, observations[rows], output.waiting_masks[rows]).cumsum(axis=1)
    return output.waiting[:n].copy(), answers


def _shared(of: NDArray[np.int32], n_blocks: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Merges equal blocks: where each block begins in the merged array, and the merged array.

    In 421 many players look at the dice and the fiches, and not at the score of the match.
    """
    blocks = of.reshape(n_blocks, -1)
    known: dict[bytes, int] = {}
    numbers = [known.setdefault(block.tobytes(), len(known)) for block in blocks]
    first = [numbers.index(number) for number in range(len(known))]
    return np.array(numbers, dtype=np.int64) * blocks.shape[1], blocks[first].ravel()


def _tabulated(tables: Decisions, opponent: Opponent) -> Table:
    known = _TABLES.setdefault(opponent, {}) if opponent.fixed and tables.n_decisions is not None else {}
    if tables.decisions_id not in known:
        known[tables.decisions_id] = _asked(tables, opponent)
    return known[tables.decisions_id]


def _asked(tables: Decisions, opponent: Opponent) -> Table:
    n = tables.game.n_actions
    outside = OUTSIDE, np.zeros(0, dtype=np.int32), np.zeros((0, n))
    if tables.n_decisions is None:
        return outside
    if type(opponent.policy) is RandomPolicy:
        masks = np.array([[mask >> a & 1 for a in range(n)] for mask in range(1, 1 << n)], dtype=np.int8)
        probabilities = opponent.policy.action_probabilities(np.zeros((len(masks), 0), dtype=np.float32), masks)
        return BY_MASK, np.arange(-1, len(masks), dtype=np.int32).clip(min=0), probabilities.cumsum(axis=1)
    if not opponent.fixed or tables.n_decisions > LARGEST_TABLE or not _is_told(tables, opponent):
        return outside
    if type(opponent.policy) is OptimalPolicy:
        return BY_STATE, _actions(tables, opponent.policy), np.eye(n).cumsum(axis=1)
    return BY_STATE, *_distinct(_all_probabilities(tables, opponent), n)


def _is_told(tables: Decisions, opponent: Opponent) -> bool:
    """Whether the numbered decisions tell all that the opponent looks at."""
    told, policy = tables.decision_fields, opponent.policy
    looks_at = policy.looks_at if isinstance(policy, RuleOfThumb) else None
    return told is None or (looks_at is not None and told.issuperset(looks_at))


def _all_decisions(tables: Decisions) -> Iterable[tuple[NDArray[np.int64], NDArray[np.int8]]]:
    assert tables.n_decisions is not None
    for low in range(0, tables.n_decisions, _CHUNK):
        yield tables.decisions(low, min(low + _CHUNK, tables.n_decisions))


def _actions(tables: Decisions, policy: OptimalPolicy) -> NDArray[np.int32]:
    """The solver's action in each decision; without observations, which take most of the time to write and to read."""
    found = [np.zeros(0, dtype=np.int32)]
    for fields, masks in _all_decisions(tables):
        actions = policy.actions_of(fields)
        if not masks[np.arange(len(masks)), actions].all():
            raise ValueError(f"policy {policy.name!r} gave an illegal action a chance")
        found.append(actions.astype(np.int32))
    return np.concatenate(found)


def _all_probabilities(tables: Decisions, opponent: Opponent) -> Iterable[NDArray[np.float64]]:
    for fields, masks in _all_decisions(tables):
        yield ask(opponent.policy, tables.game.codec.encode(fields), masks)


def _distinct(chunks: Iterable[NDArray[np.float64]], n: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The row of each decision's probabilities among the distinct ones, and these, cumulative."""
    rows: dict[bytes, int] = {}
    row_of = [np.zeros(0, dtype=np.int32)]
    for probabilities in chunks:
        certain = probabilities.max(axis=1) == 1.0
        if certain.all():  # as most tables are: no need to look for equal rows
            local, of = np.eye(n), probabilities.argmax(axis=1)
        else:
            local, of = np.unique(probabilities, axis=0, return_inverse=True)
        numbers = [rows.setdefault(row.tobytes(), len(rows)) for row in local]
        row_of.append(np.array(numbers, dtype=np.int32)[of.ravel()])
    table = np.frombuffer(b"".join(rows), dtype=np.float64).reshape(-1, n)
    return np.concatenate(row_of), table.cumsum(axis=1)
