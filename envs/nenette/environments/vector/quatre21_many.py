"""421 for three to six, compiled: turns walk through the tables of two players, and rounds are settled by numbers.

A position is the array of all places and the row, whose columns are, for n players,

    0 .. n - 1          fiches de manche of each seat
    n .. 2n - 1         fiches of each seat
    2n .. 3n - 1        what lies before each seat: 1 + its combination, 0 for nothing
    3n + BANK           fiches in the bank
    3n + MOVER, LEADER  the seat to move, and the one that leads the round
    3n + ROUND          the seats that throw this round, as bits
    3n + BEST           who had the best throw, while others throw again; n otherwise
    3n + FIRST          the node at which each follower's turn begins; 0 in the leader's turn
    3n + NODE           where within the turn
    3n + LOSER          1 + the seat that has lost the match; 0 before
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.environments.vector import compiled_rules as rules
from nenette.environments.vector.compiled_rules import implements
from nenette.environments.vector.streams import INLINED, draw_below

__all__ = ["BANK", "BEST", "COLUMNS", "FIRST", "LEADER", "LOSER", "MOVER", "NODE", "ROUND", "Quatre21ManyTables"]

BANK, MOVER, LEADER, ROUND, BEST, FIRST, NODE, LOSER = range(8)
COLUMNS = 8
"""How many columns there are besides three for each seat."""

ALL_DICE = 7

_at = np.uint64


class Quatre21ManyTables(NamedTuple):
    """What the rules say.

    Attributes:
        players: seats.
        lose: fiches de manche that lose the match.
        total: fiches.
        charge_start: the node at which a turn of the charge begins.
        decharge_starts: int32, (4,): the node at which the leader's turn begins in the décharge, by how often it may
            throw.
        keeps_limit: whether a tied round is followed by one with its limit.
        limits: int32, (nodes,): how often the seat to move may throw in all.
        starts, legal, draws, ways, follower_starts, decision: see `quatre21_tables.Nodes`.
        numbers: int64, (2,): in how many nodes the leader decides, and each follower.
        strengths: int32, (combinations,).
        stakes: int32, (2, 2, combinations, combinations): what a worst throw takes: in the décharge (0) and in the
            charge (1), of one (0) or of several (1) that threw the worst, by the best combination and the worst; 0
            where it is a tie.
        given: bool, as `stakes` without its second axis: whether in the charge the best player gives what the bank
            lacks.
        leaders: int32, (players, numbers): who leads the next manche once a seat has lost one, for each number drawn.
        payoff: float64, (players, players): each seat's return by who has lost the match.
        layout: uint64: where the blocks of an observation begin, by field, and its size.
        throws_at, throws_value: of the block of a throw, which features encode a combination, and their values.
        features_at, features_value: which features encode a node, and their values.
    """

    players: int
    lose: int
    total: int
    charge_start: int
    decharge_starts: NDArray[np.int32]
    keeps_limit: bool
    limits: NDArray[np.int32]
    starts: NDArray[np.bool_]
    legal: NDArray[np.uint8]
    draws: NDArray[np.int64]
    ways: NDArray[np.int16]
    follower_starts: NDArray[np.int32]
    decision: NDArray[np.int16]
    numbers: NDArray[np.int64]
    strengths: NDArray[np.int32]
    stakes: NDArray[np.int32]
    given: NDArray[np.bool_]
    leaders: NDArray[np.int32]
    payoff: NDArray[np.float64]
    layout: NDArray[np.uint64]
    throws_at: NDArray[np.uint16]
    throws_value: NDArray[np.float32]
    features_at: NDArray[np.uint16]
    features_value: NDArray[np.float32]


@njit(**INLINED)
def _next(seat, playing, n):  # type: ignore[no-untyped-def]
    """The next seat round the table of those that are playing, as bits."""
    after = seat
    for _ in range(n):
        after = after + 1 if after + 1 < n else 0
        if playing >> after & 1:
            break
    return after


@implements(rules.load, Quatre21ManyTables)
def _load(tables, places, g):  # type: ignore[no-untyped-def]
    return places, g


@implements(rules.save, Quatre21ManyTables)
def _save(tables, places, g, position):  # type: ignore[no-untyped-def]
    pass


@njit(_nrt=False)
def _settle(tables, places, g, s0, s1):  # type: ignore[no-untyped-def]
    """Everybody has thrown: who takes what, who throws again, who leads next."""
    n = np.int64(tables.players)
    base = 3 * n
    bank, playing = np.int64(places[g, _at(base + BANK)]), np.int64(places[g, _at(base + ROUND)])
    leader, first_best = np.int64(places[g, _at(base + LEADER)]), np.int64(places[g, _at(base + BEST)])
    charge = np.int64(bank > 0)
    seat, low, high = leader, np.int64(1 << 30), np.int64(-1)
    worst = best = last = giver = np.int64(0)
    tied = threw = several = np.int64(0)
    for _ in range(n):
        combination = np.int64(places[g, _at(2 * n + seat)]) - 1
        strength = np.int64(tables.strengths[_at(combination)])
        if strength < low:
            low, worst, tied, last, several = strength, combination, np.int64(1) << seat, seat, np.int64(0)
        elif strength == low:
            tied, last, several = tied | np.int64(1) << seat, seat, np.int64(1)
        if strength > high:
            high, best, giver = strength, combination, seat
        threw |= np.int64(1) << seat
        seat = _next(seat, playing, n)
        if seat == leader:
            break
    if first_best < n:
        giver, best = first_best, np.int64(places[g, _at(2 * n + first_best)]) - 1
    stake = np.int64(tables.stakes[_at(charge), _at(several), _at(best), _at(worst)])
    node = np.int64(tables.charge_start)
    if stake == 0:
        if charge == 0:
            limit = np.int64(tables.limits[_at(places[g, _at(base + NODE)])]) if tables.keeps_limit else np.int64(3)
            node = np.int64(tables.decharge_starts[_at(limit)])
        for k in range(n):
            if first_best < n or tied != threw:
                if k != giver:
                    places[g, _at(2 * n + k)] = 0
            else:
                places[g, _at(2 * n + k)] = 0
        if first_best < n or tied != threw:
            places[g, _at(base + BEST)] = giver
            places[g, _at(base + ROUND)] = tied
        leader = last
    else:
        left = np.int64(places[g, _at(n + giver)])
        spread = np.int64(places[g, _at(n + _next(giver, playing, n))])
        given = tables.given[_at(charge), _at(best), _at(worst)]
        seat, loser = leader, np.int64(-1)
        for _ in range(n):
            if tied >> seat & 1:
                lacking, gives, taken = stake, giver, np.int64(0)
                if charge != 0:
                    taken = min(bank, lacking)
                    bank -= taken
                    lacking = (lacking - taken) * np.int64(given)
                if seat != giver:
                    moved = min(lacking, left)
                    left -= moved
                else:
                    gives = _next(giver, playing, n)
                    moved = min(lacking, spread)
                places[g, _at(n + seat)] += taken + moved
                places[g, _at(n + gives)] -= moved
            seat = _next(seat, playing, n)
            if seat == leader:
                break
        places[g, _at(base + BANK)] = bank
        hold = np.int64(0)
        for k in range(n):
            held = np.int64(places[g, _at(n + k)])
            if bank > 0 or held > 0:
                hold |= np.int64(1) << k
            if held == tables.total:
                loser = np.int64(k)
            places[g, _at(2 * n + k)] = 0
        leader = last
        if loser >= 0:
            lost = np.int64(places[g, _at(loser)]) + 1
            places[g, _at(loser)] = lost
            leader = loser
            if lost == tables.lose:
                places[g, _at(base + LOSER)] = loser + 1
            else:
                number, s0, s1 = draw_below(s0, s1, tables.leaders.shape[1])
                leader = np.int64(tables.leaders[_at(loser), _at(number)])
            for k in range(n):
                places[g, _at(n + k)] = 0
            places[g, _at(base + BANK)] = tables.total
            hold = (np.int64(1) << n) - 1
        else:
            if bank == 0:
                node = np.int64(tables.decharge_starts[_at(3)])
            if hold >> leader & 1 == 0:
                leader = _next(leader, hold, n)
        places[g, _at(base + ROUND)] = hold
        places[g, _at(base + BEST)] = n
    places[g, _at(base + LEADER)] = leader
    places[g, _at(base + MOVER)] = leader
    places[g, _at(base + FIRST)] = 0
    places[g, _at(base + NODE)] = node
    return s0, s1


@implements(rules.play, Quatre21ManyTables)
def _play(tables, position, action, goes_on, s0, s1):  # type: ignore[no-untyped-def]
    places, g = position
    n = np.int64(tables.players)
    base = 3 * n
    more = 0
    while True:
        draw = tables.draws[_at(places[g, _at(base + NODE)]), _at(action)]
        number, s0, s1 = draw_below(s0, s1, draw & 0xFFFF)
        way = np.int64(tables.ways[_at((draw >> 16) + number)])
        if way >= 0:
            places[g, _at(base + NODE)] = way
            break
        thrown, seat = -1 - way & 63, np.int64(places[g, _at(base + MOVER)])
        leader = np.int64(places[g, _at(base + LEADER)])
        places[g, _at(2 * n + seat)] = thrown + 1
        if seat == leader:
            places[g, _at(base + FIRST)] = tables.follower_starts[_at(-1 - way >> 6)]
        after = _next(seat, np.int64(places[g, _at(base + ROUND)]), n)
        if after != leader:
            places[g, _at(base + MOVER)] = after
            places[g, _at(base + NODE)] = places[g, _at(base + FIRST)]
        else:
            s0, s1 = _settle(tables, places, g, s0, s1)
        # In the charge nobody decides anything: two turns at a time are quicker.
        if more != 0 or not goes_on or places[g, _at(base + BANK)] == 0 or places[g, _at(base + LOSER)] != 0:
            break
        action, more = ALL_DICE, 1
    return position, more, s0, s1


@implements(rules.mover, Quatre21ManyTables)
def _mover(tables, position):  # type: ignore[no-untyped-def]
    places, g = position
    return np.int64(places[g, _at(3 * np.int64(tables.players) + MOVER)])


@implements(rules.legal, Quatre21ManyTables)
def _legal(tables, position):  # type: ignore[no-untyped-def]
    places, g = position
    return np.int64(tables.legal[_at(places[g, _at(3 * np.int64(tables.players) + NODE)])])


@implements(rules.over, Quatre21ManyTables)
def _over(tables, position):  # type: ignore[no-untyped-def]
    places, g = position
    return places[g, _at(3 * np.int64(tables.players) + LOSER)] != 0


@implements(rules.starts_turn, Quatre21ManyTables)
def _starts_turn(tables, position):  # type: ignore[no-untyped-def]
    places, g = position
    return tables.starts[_at(places[g, _at(3 * np.int64(tables.players) + NODE)])]


@implements(rules.payoff, Quatre21ManyTables)
def _payoff(tables, position, seat):  # type: ignore[no-untyped-def]
    places, g = position
    return tables.payoff[places[g, _at(3 * np.int64(tables.players) + LOSER)] - 1, seat]


@njit(**INLINED)
def _weakest(tables, places, g, n):  # type: ignore[no-untyped-def]
    """1 + the weakest combination that was thrown this round; 0: nobody has."""
    playing, weakest, low = np.int64(places[g, _at(3 * n + ROUND)]), np.int64(0), np.int64(1 << 30)
    for k in range(n):
        thrown = np.int64(places[g, _at(2 * n + k)])
        if thrown > 0 and playing >> k & 1 and tables.strengths[_at(thrown - 1)] < low:
            weakest, low = thrown, np.int64(tables.strengths[_at(thrown - 1)])
    return weakest


@implements(rules.observe, Quatre21ManyTables)
def _observe(tables, position, seat, row, flat):  # type: ignore[no-untyped-def]
    places, g = position
    n = np.int64(tables.players)
    base, layout = 3 * n, tables.layout
    last = _at(4 * n + 8)
    at = np.uint64(row) * layout[last]
    for k in range(layout[last]):
        flat[at + k] = 0.0
    playing, s = np.int64(places[g, _at(base + ROUND)]), np.int64(seat)
    for k in range(n):
        flat[at + layout[_at(k)] + _at(places[g, _at(s)])] = 1.0
        flat[at + layout[_at(n + k)] + _at(places[g, _at(n + s)])] = 1.0
        flat[at + layout[_at(2 * n + 3 + k)]] = playing >> s & 1
        thrown = np.int64(places[g, _at(2 * n + s)])
        if thrown > 0:
            block = at + layout[_at(3 * n + 3 + k)]
            for j in range(tables.throws_at.shape[1]):
                flat[block + _at(tables.throws_at[_at(thrown - 1), _at(j)])] = tables.throws_value[
                    _at(thrown - 1), _at(j)
                ]
        s = s + 1 if s + 1 < n else np.int64(0)
    flat[at + layout[_at(2 * n)] + _at(places[g, _at(base + BANK)])] = 1.0
    ahead = np.int64(places[g, _at(base + MOVER)]) - np.int64(seat)
    flat[at + layout[_at(2 * n + 1)] + _at(ahead if ahead >= 0 else ahead + n)] = 1.0
    ahead = np.int64(places[g, _at(base + LEADER)]) - np.int64(seat)
    flat[at + layout[_at(2 * n + 2)] + _at(ahead if ahead >= 0 else ahead + n)] = 1.0
    weakest = _weakest(tables, places, g, n)
    if weakest > 0:
        block = at + layout[_at(4 * n + 3)]
        for j in range(tables.throws_at.shape[1]):
            flat[block + _at(tables.throws_at[_at(weakest - 1), _at(j)])] = tables.throws_value[
                _at(weakest - 1), _at(j)
            ]
    node = np.int64(places[g, _at(base + NODE)])
    for k in range(tables.features_at.shape[1]):
        flat[at + _at(tables.features_at[_at(node), _at(k)])] = tables.features_value[_at(node), _at(k)]


@implements(rules.decision, Quatre21ManyTables)
def _decision(tables, position):  # type: ignore[no-untyped-def]
    places, g = position
    n = np.int64(tables.players)
    own = np.int64(tables.decision[_at(places[g, _at(3 * n + NODE)])])
    weakest = _weakest(tables, places, g, n)
    if weakest > 0:
        own += np.int64(tables.numbers[0] + (weakest - 1) * tables.numbers[1])
    return np.int64(0), own
