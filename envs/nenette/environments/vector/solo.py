"""21 des Demi-Îles alone, compiled: a position is the score and what has been stood on, as bits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector import compiled_rules as rules
from nenette.environments.vector.compiled_machine import CompiledMachine, check_features
from nenette.environments.vector.compiled_rules import implements
from nenette.environments.vector.sampling_tables import sampling_table
from nenette.environments.vector.streams import draw_below
from nenette.games.demi_iles import ALL_SEEN, DICE_COUNTS, SCORES, TARGET, DemiIlesSolo, SoloState

__all__ = ["DemiIlesSoloMachine"]


class SoloTables(NamedTuple):
    """What the rules say.

    Attributes:
        scores: int32, (scores * actions, numbers): the next score for each number that may be drawn.
        totals: int64, (scores * actions,): of how many numbers one is drawn.
        seen: int32, (scores,): the bits that standing on a score sets.
        payoff: the return of a game that has ended.
    """

    scores: NDArray[np.int32]
    totals: NDArray[np.int64]
    seen: NDArray[np.int32]
    payoff: float


class DemiIlesSoloMachine(CompiledMachine):
    """See `CompiledMachine`."""

    plays = DemiIlesSolo
    n_decisions = 0

    def __init__(self, game: DemiIlesSolo) -> None:
        check_features(game, [np.eye(TARGET + 1), *[np.eye(2)[:, 1:]] * (TARGET - 1)])
        throws = [game.chance(SoloState(score, 0), action) for score in SCORES for action in DICE_COUNTS]
        seen = [game.follow(SoloState(0, 0), 0, score).outcomes[0].seen for score in SCORES]
        returns = game.returns(SoloState(TARGET, ALL_SEEN)) or (0.0,)
        tables = SoloTables(*sampling_table(throws, SCORES), np.array(seen, dtype=np.int32), float(returns[0]))
        super().__init__(game, tables, 2)

    def encode(self, state: SoloState) -> tuple[int, int]:
        """The score and the bits."""
        return state

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`: nobody else decides anything."""
        return np.zeros((0, len(self.game.codec.features)), dtype=np.int64), np.zeros((0, 3), dtype=np.int8)

    def _fits(self, columns: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """On the target one plays on until everything has been stood on."""
        score, seen = columns.T
        return np.asarray((score >= 0) & (score <= TARGET) & (seen >= 0) & (seen <= ALL_SEEN))


@implements(rules.load, SoloTables)
def _load(tables, places, g):  # type: ignore[no-untyped-def]
    return np.int64(places[g, 0]), np.int64(places[g, 1])


@implements(rules.save, SoloTables)
def _save(tables, places, g, position):  # type: ignore[no-untyped-def]
    places[g, 0], places[g, 1] = position


@implements(rules.play, SoloTables)
def _play(tables, position, action, goes_on, s0, s1):  # type: ignore[no-untyped-def]
    score, seen = position
    throw = np.uint64(score * len(DICE_COUNTS) + action)
    number, s0, s1 = draw_below(s0, s1, tables.totals[throw])
    score = np.int64(tables.scores[throw, np.uint64(number)])
    return (score, seen | tables.seen[np.uint64(score)]), 0, s0, s1


@implements(rules.mover, SoloTables)
def _mover(tables, position):  # type: ignore[no-untyped-def]
    return 0


@implements(rules.legal, SoloTables)
def _legal(tables, position):  # type: ignore[no-untyped-def]
    return 0b111


@implements(rules.over, SoloTables)
def _over(tables, position):  # type: ignore[no-untyped-def]
    return position[0] == TARGET and position[1] == ALL_SEEN


@implements(rules.starts_turn, SoloTables)
def _starts_turn(tables, position):  # type: ignore[no-untyped-def]
    return True


@implements(rules.payoff, SoloTables)
def _payoff(tables, position, seat):  # type: ignore[no-untyped-def]
    return tables.payoff


@implements(rules.observe, SoloTables)
def _observe(tables, position, seat, row, flat):  # type: ignore[no-untyped-def]
    score, seen = position
    block = np.uint64(row) * np.uint64(2 * TARGET)
    for k in range(np.uint64(TARGET + 1)):
        flat[block + k] = 0.0
    flat[block + np.uint64(score)] = 1.0
    block += np.uint64(TARGET + 1)
    for k in range(np.uint64(TARGET - 1)):
        flat[block + k] = np.float32(np.uint64(seen) >> k & np.uint64(1))


@implements(rules.decision, SoloTables)
def _decision(tables, position):  # type: ignore[no-untyped-def]
    return np.int64(0), np.int64(0)
