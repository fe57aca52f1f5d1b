"""How a game of 421 walks on through the tables of `quatre21_tables`, compiled."""

import numpy as np
from numba import njit

from nenette.environments.vector.streams import below, moved_on, word_of

__all__ = ["walked"]


@njit(cache=True, inline="always")
def walked(  # type: ignore[no-untyped-def]
    action, score, context, leads, follows, combination, node, own_seat, first_context, s0, s1,
    draws, ways, follower_starts, fiches, kinds_of_round, rounds, round_start, turned, after, alternatives,
):  # fmt: skip
    """Where a game stands once an action has been taken, and its stream.

    `leads` is 1 if the player at `own_seat` leads. What is certain draws no number.
    """
    draw = draws[node, action]
    total = draw & 255
    drawn = 0
    if total > 1:
        drawn = below(word_of(s0, s1), total)
        s0, s1 = moved_on(s0, s1)
    way = ways[(draw >> 8) + drawn]
    if way >= 0:
        node = way
    else:
        way = -1 - way
        thrown = np.int32(way & 63)
        if follows == 0:
            follows, combination = np.int32(1), thrown
            node = follower_starts[way >> 6]
        else:
            charge = 1 if fiches[context, 2] > 0 else 0
            then = rounds[context, kinds_of_round[charge, combination, thrown]]
            if then >= 0:
                context = np.int32(then >> 1)
                score = turned[score, then & 1]  # it is told from the leader's side
            else:
                context, loser = np.int32(first_context), -1 - then
                drawn = 0
                if alternatives[score, loser] > 1:  # an opening draws a seat
                    drawn = below(word_of(s0, s1), 2) ^ (own_seat if leads != 0 else 1 - own_seat)
                    s0, s1 = moved_on(s0, s1)
                then = after[score, loser, drawn]
                score = np.int32(then >> 1)
            follows = np.int32(0)
            leads ^= np.int32(then & 1)
            node = round_start[context]
    return score, context, leads, follows, combination, node, s0, s1
