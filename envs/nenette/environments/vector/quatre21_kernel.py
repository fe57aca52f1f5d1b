"""421, compiled: a game walks through the tables of `quatre21_tables`.

Indices are made unsigned (`_at`), which spares the compiler the question whether they count from the end. Where
observations are written, into a flat array, that alone makes steps twice as quick.
"""

import numpy as np

from nenette.compiling import njit
from nenette.environments.vector.batch import ANSWER, FRESH, OVER, PLAYING, RESET
from nenette.environments.vector.frame import refused, tell
from nenette.environments.vector.seating import BY_MASK, OUTSIDE
from nenette.environments.vector.streams import below, moved_on, pick, unit, word_of

__all__ = ["look", "step"]

_SCORE, _CONTEXT, _LEADS, _FOLLOWS, _LEADERS, _NODE, _TURNS = range(7)
"""A slot's numbers: `_LEADS` is 1 if the learner leads, `_FOLLOWS` 1 in the follower's turn, `_LEADERS` the leader's
combination."""
_EVERYTHING = 255
_at = np.uint64
_THROWS_FEATURES = 5


@njit(inline="always")
def look(  # type: ignore[no-untyped-def]
    score, context, own, follows, combination, node, layout, fiches, manches,
    throws_at, throws_value, features_at, features_value, row, flat,
):  # fmt: skip
    """Writes what a player sees; the layout is that of the game's codec.

    `own` is 0 if that player leads and 1 if it follows.
    """
    at = np.uint64(row) * layout[12]
    for k in range(layout[12]):
        flat[at + k] = 0.0
    flat[at + np.uint64(manches[score, own])] = 1.0
    flat[at + layout[1] + np.uint64(manches[score, 1 - own])] = 1.0
    flat[at + layout[2] + np.uint64(fiches[context, own])] = 1.0
    flat[at + layout[3] + np.uint64(fiches[context, 1 - own])] = 1.0
    flat[at + layout[4] + np.uint64(fiches[context, 2])] = 1.0
    flat[at + layout[5]] = own != follows
    flat[at + layout[6]] = own
    if follows != 0:
        for k in range(_THROWS_FEATURES):
            flat[at + np.uint64(throws_at[combination, k])] = throws_value[combination, k]
    for k in range(features_at.shape[1]):
        flat[at + np.uint64(features_at[node, k])] = features_value[node, k]


@njit()
def _advance(  # type: ignore[no-untyped-def]
    phase,
    chosen,
    answers,
    observations,
    rewards,
    terminated,
    truncated,
    seat,
    same_step,
    scalars,
    layout,
    starts,
    legal,
    decides,
    only,
    draws,
    ways,
    follower_starts,
    charge_throws,
    decision,
    fiches,
    kinds_of_round,
    rounds,
    decharge,
    round_start,
    manches,
    turned,
    after,
    alternatives,
    results,
    over,
    nearest,
    throws_at,
    throws_value,
    features_at,
    features_value,
    mask_words,
    places,
    seats,
    status,
    words,
    seated,
    kinds,
    bases,
    row_of,
    odds,
    masks,
    illegal,
    counts,
    final_slots,
    final_seats,
    final_observations,
    final_masks,
    waiting,
    waiting_for,
    waiting_observations,
    waiting_masks,
):
    """See `nenette.environments.vector.batch.Machine`; observations are flat, and masks are one uint64 a slot."""
    max_turns, first_context, lose, n_contexts, n_leader, n_follower = scalars
    waits = 0
    for k in range(len(chosen)):
        i, action, begins, waited = k, -1, False, False
        if phase == ANSWER:
            i = chosen[k]
        s0, s1 = words[i, 0], words[i, 1]
        if phase == ANSWER:
            action = pick(answers, k, unit(word_of(s0, s1)))
            s0, s1 = moved_on(s0, s1)
        score, context, leads, follows = places[i, _SCORE], places[i, _CONTEXT], places[i, _LEADS], places[i, _FOLLOWS]
        combination, node, turns = places[i, _LEADERS], places[i, _NODE], places[i, _TURNS]
        if phase != ANSWER:
            rewards[i], terminated[i], truncated[i], illegal[i] = 0.0, False, False, False
            if phase == RESET:
                begins = chosen[k] != 0
            elif status[i] == OVER:
                begins = True
            else:
                asked = chosen[k]
                action = nearest[legal[_at(node)], _at(asked)]
                if action != asked:
                    illegal[i] = True
                    counts[2] += 1
                status[i] = PLAYING
        fresh = status[i] == FRESH
        shown = phase == RESET and not begins  # only to be looked at again
        while not shown:
            if begins:
                begins = False
                seats[i] = seat
                if seat < 0:
                    seats[i] = below(word_of(s0, s1), 2)
                    s0, s1 = moved_on(s0, s1)
                leads = np.int32(below(word_of(s0, s1), 2) == seats[i])  # the opening
                s0, s1 = moved_on(s0, s1)
                score, context, follows, turns = np.int32(0), np.int32(first_context), np.int32(0), np.int32(0)
                node = round_start[first_context]
                status[i] = FRESH
                fresh = True
            elif action >= 0:
                taken, action, thrown = action, -1, np.int32(-1)  # of the follower, if it ends the round
                charge = np.int64(fiches[_at(context), 2] > 0)
                if charge != 0 and follows == 0 and not fresh and turns + 1 < max_turns:
                    # Both throw once, and nobody decides anything: a whole round at a time is quicker.
                    turns += 2
                    combination = charge_throws[0, _at(below(word_of(s0, s1), charge_throws.shape[1]))]
                    s0, s1 = moved_on(s0, s1)
                    thrown = charge_throws[1, _at(below(word_of(s0, s1), charge_throws.shape[1]))]
                    s0, s1 = moved_on(s0, s1)
                else:
                    turns += starts[_at(node)]
                    draw = draws[_at(node), _at(taken)]
                    total = draw & 255
                    drawn = below(word_of(s0, s1), total)
                    t0, t1 = moved_on(s0, s1)
                    s0, s1 = (t0, t1) if total > 1 else (s0, s1)  # what is certain draws no number
                    way = ways[_at((draw >> 8) + drawn)]
                    if way >= 0:
                        node = way
                    elif follows == 0:
                        follows, combination = np.int32(1), np.int32(-1 - way & 63)
                        node = follower_starts[_at(-1 - way >> 6)]
                    else:
                        thrown = np.int32(-1 - way & 63)
                if thrown >= 0:
                    then = rounds[_at(context), kinds_of_round[_at(charge), _at(combination), _at(thrown)]]
                    if then >= 0:
                        context = np.int32(then >> 1)
                        score = turned[_at(score), _at(then & 1)]  # it is told from the leader's side
                    else:
                        context, loser = np.int32(first_context), -1 - then
                        drawn = 0
                        if alternatives[score, loser] > 1:  # an opening draws a seat
                            drawn = below(word_of(s0, s1), 2) ^ (seats[i] if leads != 0 else 1 - seats[i])
                            s0, s1 = moved_on(s0, s1)
                        then = after[score, loser, drawn]
                        score = np.int32(then >> 1)
                    follows = np.int32(0)
                    leads ^= np.int32(then & 1)
                    node = round_start[_at(context)]
                ends = over[_at(score)]
                if ends or (turns >= max_turns and starts[_at(node)] != 0):
                    terminated[i], truncated[i] = ends, not ends
                    rewards[i] = results[score, 1 - leads]
                    status[i] = OVER
                    if not same_step:
                        break
                    row = counts[0]
                    counts[0] += 1
                    final_slots[row], final_seats[row] = i, seats[i]
                    look(
                        score, context, 1 - leads, follows, combination, node,
                        layout, fiches, manches,
                        throws_at, throws_value, features_at, features_value, row, final_observations,
                    )  # fmt: skip
                    final_masks[row] = mask_words[legal[node] if not ends and leads != follows else _EVERYTHING]
                    begins = True
                    continue
            if not (decides[_at(node)] or fresh):
                action = only[_at(node)]
                continue
            if leads != follows:  # the learner's move
                break
            if not decides[_at(node)]:
                action = only[_at(node)]
                continue
            opponent = seated[i, 0]
            kind = kinds[_at(opponent)]
            if kind == OUTSIDE:
                waiting[waits], waiting_for[waits] = i, opponent
                look(
                    score, context, leads, follows, combination, node,
                    layout, fiches, manches,
                        throws_at, throws_value, features_at, features_value, waits, waiting_observations,
                )  # fmt: skip
                waiting_masks[waits] = mask_words[legal[node]]
                waits += 1
                waited = True
                break
            if kind == BY_MASK:
                block, number = _at(0), _at(legal[_at(node)])
            else:
                block = manches[_at(score), 0] * lose + manches[_at(score), 1]
                block = _at(block * n_contexts + decharge[_at(context)])
                number = _at(decision[_at(node)])
                if follows != 0:
                    number += _at(n_leader + combination * n_follower)
            action = pick(odds, row_of[bases[_at(opponent), block] + number], unit(word_of(s0, s1)))
            s0, s1 = moved_on(s0, s1)
        words[i, 0], words[i, 1] = s0, s1
        places[i, _SCORE], places[i, _CONTEXT], places[i, _LEADS], places[i, _FOLLOWS] = score, context, leads, follows
        places[i, _LEADERS], places[i, _NODE], places[i, _TURNS] = combination, node, turns
        if not waited:
            look(
                score, context, 1 - leads, follows, combination, node,
                layout, fiches, manches,
                        throws_at, throws_value, features_at, features_value, i, observations,
            )  # fmt: skip
            masks[i] = mask_words[legal[_at(node)] if leads != follows and not over[_at(score)] else _EVERYTHING]
    counts[1] = waits


@njit()
def step(  # type: ignore[no-untyped-def]
    parts, phase, chosen, answers, observations, rewards, terminated, truncated, masks_told, seats_told
):
    """See `nenette.environments.vector.batch.Advance`."""
    if refused(phase, chosen, answers):
        return False
    _advance(phase, chosen, answers, observations.ravel(), rewards, terminated, truncated, *parts.parts)
    masks, seats = parts.own
    tell(masks, seats, masks_told, seats_told)
    return True
