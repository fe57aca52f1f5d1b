"""21 des Demi-Îles for several players, compiled: the scores by seat, and the seat to move."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector import compiled_rules as rules
from nenette.environments.vector.compiled_machine import CompiledMachine, check_features
from nenette.environments.vector.compiled_rules import implements
from nenette.environments.vector.sampling_tables import sampling_table
from nenette.environments.vector.slots import SHARED
from nenette.environments.vector.streams import draw_below
from nenette.games.demi_iles import DICE_COUNTS, SCORES, TARGET, DemiIles, State

__all__ = ["DemiIlesMachine"]


class DemiIlesTables(NamedTuple):
    """What the rules say.

    Attributes:
        scores: int32, (scores * actions, numbers): the mover's next score for each number that may be drawn.
        totals: int64, (scores * actions,): of how many numbers one is drawn.
        lowered: int32, (scores, actions): what is left of the others' scores.
        payoff: float64, (winner, seat): each seat's return.
    """

    scores: NDArray[np.int32]
    totals: NDArray[np.int64]
    lowered: NDArray[np.int32]
    payoff: NDArray[np.float64]


class DemiIlesMachine(CompiledMachine):
    """See `CompiledMachine`."""

    plays = DemiIles

    def __init__(self, game: DemiIles) -> None:
        n = game.players
        check_features(game, [*[np.eye(TARGET + 1)] * n, np.eye(n)])
        rest = (0,) * (n - 1)
        throws = [game.chance(State((score, *rest), 0), action) for score in SCORES for action in DICE_COUNTS]
        lowered = [[_lowered(game, score, action) for action in DICE_COUNTS] for score in SCORES]
        payoff = [game.returns(State((*rest[:winner], TARGET, *rest[winner:]), winner)) for winner in range(n)]
        tables = DemiIlesTables(
            *sampling_table(throws, SCORES), np.array(lowered, dtype=np.int32), np.array(payoff, dtype=np.float64)
        )
        super().__init__(game, tables, n + 1)
        self.n_decisions = TARGET**n

    def encode(self, state: State) -> tuple[int, ...]:
        """The scores and the seat to move."""
        return (*state.scores, state.seat)

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`: the scores are the digits of the decision's number, the mover's the first."""
        numbers = np.arange(low, high)
        fields = np.zeros((len(numbers), self.game.players + 1), dtype=np.int64)
        for place in reversed(range(self.game.players)):
            numbers, fields[:, place] = np.divmod(numbers, TARGET)
        return fields, np.ones((len(fields), self.game.n_actions), dtype=np.int8)

    def _fits(self, columns: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Only a winner stands on the target."""
        scores, mover = columns[:, :-1], columns[:, -1]
        fits = np.all((scores >= 0) & (scores < TARGET + over[:, None]), axis=1)
        return np.asarray(fits & (mover >= 0) & (mover < self.game.players))


def _lowered(game: DemiIles, score: int, dice: int) -> int:
    """What is left of another player's score after a throw of so many dice."""
    state = State((0, score, *(0,) * (game.players - 2)), 0)
    return game.follow(state, dice, 0).outcomes[0].scores[1]


# A position is the array of all places and the row; scores come first, then the seat to move.


@implements(rules.load, DemiIlesTables)
def _load(tables, places, g):  # type: ignore[no-untyped-def]
    return places, g


@implements(rules.save, DemiIlesTables)
def _save(tables, places, g, position):  # type: ignore[no-untyped-def]
    pass


@implements(rules.play, DemiIlesTables)
def _play(tables, position, action, goes_on, s0, s1):  # type: ignore[no-untyped-def]
    places, g = position
    players = places.shape[1] - SHARED - 1
    seat = places[g, np.uint64(players)]
    throw = np.uint64(places[g, np.uint64(seat)] * len(DICE_COUNTS) + action)
    number, s0, s1 = draw_below(s0, s1, tables.totals[throw])
    score = tables.scores[throw, np.uint64(number)]
    for j in range(players):
        places[g, np.uint64(j)] = tables.lowered[np.uint64(places[g, np.uint64(j)]), np.uint64(action)]
    places[g, np.uint64(seat)] = score
    if score != TARGET:
        places[g, np.uint64(players)] = seat + 1 if seat + 1 < players else 0
    return position, 0, s0, s1


@implements(rules.mover, DemiIlesTables)
def _mover(tables, position):  # type: ignore[no-untyped-def]
    places, g = position
    return np.int64(places[g, np.uint64(places.shape[1] - SHARED - 1)])


@implements(rules.legal, DemiIlesTables)
def _legal(tables, position):  # type: ignore[no-untyped-def]
    return 0b111


@implements(rules.over, DemiIlesTables)
def _over(tables, position):  # type: ignore[no-untyped-def]
    places, g = position
    return places[g, np.uint64(places[g, np.uint64(places.shape[1] - SHARED - 1)])] == TARGET


@implements(rules.starts_turn, DemiIlesTables)
def _starts_turn(tables, position):  # type: ignore[no-untyped-def]
    return True


@implements(rules.payoff, DemiIlesTables)
def _payoff(tables, position, seat):  # type: ignore[no-untyped-def]
    places, g = position
    return tables.payoff[places[g, places.shape[1] - SHARED - 1], seat]


@implements(rules.observe, DemiIlesTables)
def _observe(tables, position, seat, row, flat):  # type: ignore[no-untyped-def]
    places, g = position
    players = places.shape[1] - SHARED - 1
    width = np.uint64((TARGET + 2) * players)
    block = np.uint64(row) * width
    for k in range(width):
        flat[block + k] = 0.0
    at = np.int64(seat)
    for _ in range(players):
        flat[block + np.uint64(places[g, np.uint64(at)])] = 1.0
        block += np.uint64(TARGET + 1)
        at = np.int64(at + 1 if at + 1 < players else 0)
    ahead = places[g, np.uint64(players)] - seat
    flat[block + np.uint64(ahead if ahead >= 0 else ahead + players)] = 1.0


@implements(rules.decision, DemiIlesTables)
def _decision(tables, position):  # type: ignore[no-untyped-def]
    places, g = position
    players = places.shape[1] - SHARED - 1
    number, at = np.int64(0), np.int64(places[g, np.uint64(players)])
    for _ in range(players):
        number = number * TARGET + places[g, np.uint64(at)]
        at = np.int64(at + 1 if at + 1 < players else 0)
    return np.int64(0), number
