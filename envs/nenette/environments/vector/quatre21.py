"""421, compiled: a game walks through the tables of `quatre21_tables`.

A position is six numbers: the score, the context, the seat that leads the round, 1 in the follower's turn, the leader's
combination and the node.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector import compiled_rules as rules
from nenette.environments.vector.compiled_rules import implements
from nenette.environments.vector.streams import draw_below

__all__ = ["Quatre21Tables"]

_at = np.uint64


class Quatre21Tables(NamedTuple):
    """What the rules say; most of it is described in `quatre21_tables`.

    Attributes:
        start: the context at the start of a manche.
        sizes: int64, (4,): scores that decisions depend on, décharges, deciding nodes of the leader and of the
            follower.
        layout: uint64, (13,): where each feature of an observation begins, and its size.
        throws_at, throws_value: which features encode the leader's combination, and their values: see
            `quatre21_machine`.
        features_at, features_value: likewise those that encode the node.
    """

    start: int
    sizes: NDArray[np.int64]
    layout: NDArray[np.uint64]
    starts: NDArray[np.bool_]
    legal: NDArray[np.uint8]
    draws: NDArray[np.int64]
    ways: NDArray[np.int16]
    follower_starts: NDArray[np.int32]
    charge_throws: NDArray[np.uint8]
    decision: NDArray[np.int16]
    fiches: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    rounds: NDArray[np.int16]
    decharge: NDArray[np.int64]
    round_start: NDArray[np.int32]
    same_limit_start: NDArray[np.int32]
    manches: NDArray[np.int32]
    turned: NDArray[np.int32]
    after: NDArray[np.int32]
    totals: NDArray[np.int64]
    payoff: NDArray[np.float64]
    over: NDArray[np.bool_]
    throws_at: NDArray[np.uint16]
    throws_value: NDArray[np.float32]
    features_at: NDArray[np.uint16]
    features_value: NDArray[np.float32]


@implements(rules.load, Quatre21Tables)
def _load(tables, places, g):  # type: ignore[no-untyped-def]
    return (
        np.int64(places[g, _at(0)]), np.int64(places[g, _at(1)]), np.int64(places[g, _at(2)]),
        np.int64(places[g, _at(3)]), np.int64(places[g, _at(4)]), np.int64(places[g, _at(5)]),
    )  # fmt: skip


@implements(rules.save, Quatre21Tables)
def _save(tables, places, g, position):  # type: ignore[no-untyped-def]
    places[g, _at(0)], places[g, _at(1)], places[g, _at(2)] = position[0], position[1], position[2]
    places[g, _at(3)], places[g, _at(4)], places[g, _at(5)] = position[3], position[4], position[5]


@implements(rules.play, Quatre21Tables)
def _play(tables, position, action, goes_on, s0, s1):  # type: ignore[no-untyped-def]
    score, context, leader, follows, combination, node = position
    charge = np.int64(tables.fiches[_at(context), _at(2)] > 0)
    more = 0
    if charge != 0 and follows == 0 and goes_on:
        # Both throw once, and nobody decides anything: a whole round at a time is quicker.
        numbers = tables.charge_throws.shape[1]
        number, s0, s1 = draw_below(s0, s1, numbers)
        combination = np.int64(tables.charge_throws[_at(0), _at(number)])
        number, s0, s1 = draw_below(s0, s1, numbers)
        thrown = np.int64(tables.charge_throws[_at(1), _at(number)])
        more = 1
    else:
        draw = tables.draws[_at(node), _at(action)]
        number, s0, s1 = draw_below(s0, s1, draw & 0xFFFF)
        way = np.int64(tables.ways[_at((draw >> 16) + number)])
        if way >= 0:
            return (score, context, leader, follows, combination, way), 0, s0, s1
        thrown = -1 - way & 63
        if follows == 0:
            node = np.int64(tables.follower_starts[_at(-1 - way >> 6)])
            return (score, context, leader, np.int64(1), thrown, node), 0, s0, s1
    then = np.int64(tables.rounds[_at(context), _at(tables.kinds[_at(charge), _at(combination), _at(thrown)])])
    if then >= 0:
        context, score = then >> 2, np.int64(tables.turned[_at(score), _at(then & 1)])
        leader ^= then & 1
        node = np.int64(tables.same_limit_start[_at(node)] if then & 2 else tables.round_start[_at(context)])
    else:
        loser = -1 - then
        number, s0, s1 = draw_below(s0, s1, tables.totals[_at(leader), _at(score), _at(loser)])
        then = np.int64(tables.after[_at(leader), _at(score), _at(loser), _at(number)])
        context, score, leader = np.int64(tables.start), then >> 1, then & 1
        node = np.int64(tables.round_start[_at(context)])
    return (score, context, leader, np.int64(0), combination, node), more, s0, s1


@implements(rules.mover, Quatre21Tables)
def _mover(tables, position):  # type: ignore[no-untyped-def]
    return position[2] ^ position[3]


@implements(rules.legal, Quatre21Tables)
def _legal(tables, position):  # type: ignore[no-untyped-def]
    return np.int64(tables.legal[_at(position[5])])


@implements(rules.over, Quatre21Tables)
def _over(tables, position):  # type: ignore[no-untyped-def]
    return tables.over[_at(position[0])]


@implements(rules.starts_turn, Quatre21Tables)
def _starts_turn(tables, position):  # type: ignore[no-untyped-def]
    return tables.starts[_at(position[5])]


@implements(rules.payoff, Quatre21Tables)
def _payoff(tables, position, seat):  # type: ignore[no-untyped-def]
    return tables.payoff[position[2], position[0], seat]


@implements(rules.observe, Quatre21Tables)
def _observe(tables, position, seat, row, flat):  # type: ignore[no-untyped-def]
    score, context, leader, follows, combination, node = position
    layout, manches, fiches = tables.layout, tables.manches, tables.fiches
    own = np.int64(seat) ^ leader
    at = np.uint64(row) * layout[12]
    for k in range(layout[12]):
        flat[at + k] = 0.0
    flat[at + _at(manches[_at(score), _at(own)])] = 1.0
    flat[at + layout[1] + _at(manches[_at(score), _at(1 - own)])] = 1.0
    flat[at + layout[2] + _at(fiches[_at(context), _at(own)])] = 1.0
    flat[at + layout[3] + _at(fiches[_at(context), _at(1 - own)])] = 1.0
    flat[at + layout[4] + _at(fiches[_at(context), _at(2)])] = 1.0
    flat[at + layout[5]] = own != follows
    flat[at + layout[6]] = own
    if follows != 0:
        for k in range(tables.throws_at.shape[1]):
            flat[at + _at(tables.throws_at[_at(combination), _at(k)])] = tables.throws_value[_at(combination), _at(k)]
    for k in range(tables.features_at.shape[1]):
        flat[at + _at(tables.features_at[_at(node), _at(k)])] = tables.features_value[_at(node), _at(k)]


@implements(rules.decision, Quatre21Tables)
def _decision(tables, position):  # type: ignore[no-untyped-def]
    score, context, _, follows, combination, node = position
    lose, decharges, leaders, followers = tables.sizes
    block = tables.manches[_at(score), _at(0)] * lose + tables.manches[_at(score), _at(1)]
    block = block * decharges + tables.decharge[_at(context)]
    number = np.int64(tables.decision[_at(node)])
    if follows != 0:
        number += leaders + combination * followers
    return np.int64(block), number
