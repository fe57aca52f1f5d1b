"""421, compiled: a game walks through the tables of `quatre21_tables`."""

from numba import njit

from nenette.environments.vector.batch import ANSWER, FRESH, OVER, PLAYING, RESET
from nenette.environments.vector.quatre21_tables import N_COMBINATIONS
from nenette.environments.vector.seating import BY_MASK, OUTSIDE
from nenette.environments.vector.streams import below, pick, unit

__all__ = ["advance"]

_SCORE, _CONTEXT, _LEADS, _FOLLOWS, _LEADERS, _NODE, _TURNS = range(7)
"""A slot's numbers: `_LEADS` is 1 if the learner leads, `_FOLLOWS` 1 in the follower's turn, `_LEADERS` the leader's
combination."""
_EVERYTHING = 255
_BLOCK = 20


@njit(cache=True)
def _look(  # type: ignore[no-untyped-def]
    places, i, learner, offsets, fields, fiches, manches, leaders_block, dice_block, frozen_block, row, observations
):
    """Writes what the learner (or the other player) sees; the layout is that of the game's codec."""
    node, context, score = places[i, _NODE], places[i, _CONTEXT], places[i, _SCORE]
    own = 0 if (places[i, _LEADS] != 0) == learner else 1  # among the leader and the follower
    for k in range(observations.shape[1]):
        observations[row, k] = 0.0
    observations[row, offsets[0] + manches[score, own]] = 1.0
    observations[row, offsets[1] + manches[score, 1 - own]] = 1.0
    observations[row, offsets[2] + fiches[context, own]] = 1.0
    observations[row, offsets[3] + fiches[context, 1 - own]] = 1.0
    observations[row, offsets[4] + fiches[context, 2]] = 1.0
    observations[row, offsets[5]] = own != places[i, _FOLLOWS]
    observations[row, offsets[6]] = own
    if places[i, _FOLLOWS] != 0:
        combination = places[i, _LEADERS]
        for k in range(_BLOCK):
            observations[row, offsets[7] + k] = leaders_block[combination, k]
    observations[row, offsets[8] + fields[node, 0]] = 1.0
    observations[row, offsets[9] + fields[node, 1]] = 1.0
    dice = fields[node, 2]
    for k in range(_BLOCK):
        observations[row, offsets[10] + k] = dice_block[dice, k]
    frozen = fields[node, 3]
    for k in range(3):
        observations[row, offsets[11] + k] = frozen_block[frozen, k]


@njit(cache=True, inline="always")
def _bits(mask, row, masks):  # type: ignore[no-untyped-def]
    for a in range(masks.shape[1]):
        masks[row, a] = mask >> a & 1


@njit(cache=True)
def advance(  # type: ignore[no-untyped-def]
    phase,
    seat,
    same_step,
    scalars,
    offsets,
    starts,
    legal,
    decides,
    only,
    ways,
    falls,
    totals,
    follower_starts,
    fields,
    decision,
    fiches,
    kinds_of_round,
    rounds,
    decharge,
    round_start,
    manches,
    swapped,
    after,
    alternatives,
    results,
    over,
    nearest,
    leaders_block,
    dice_block,
    frozen_block,
    chosen,
    answers,
    places,
    seats,
    status,
    words,
    seated,
    kinds,
    bases,
    row_of,
    odds,
    observations,
    masks,
    rewards,
    terminated,
    truncated,
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
    """See `nenette.environments.vector.batch.Machine`."""
    max_turns, first_context, lose, n_contexts, n_leader, n_follower = scalars
    waits = 0
    for k in range(len(chosen)):
        i, action, begins, waited = k, -1, False, False
        if phase == ANSWER:
            i = chosen[k]
            action = pick(answers, k, unit(words, i))
        else:
            rewards[i], terminated[i], truncated[i], illegal[i] = 0.0, False, False, False
            if phase == RESET:
                begins = chosen[k] != 0
            elif status[i] == OVER:
                begins = True
            else:
                asked = chosen[k]
                action = nearest[legal[places[i, _NODE]], asked]
                if action != asked:
                    illegal[i] = True
                    counts[2] += 1
                status[i] = PLAYING
        shown = phase == RESET and not begins  # only to be looked at again
        while not shown:
            if begins:
                begins = False
                seats[i] = below(words, i, 2) if seat < 0 else seat
                leader = below(words, i, 2)  # the opening
                places[i, _SCORE], places[i, _CONTEXT], places[i, _FOLLOWS], places[i, _TURNS] = 0, first_context, 0, 0
                places[i, _LEADS] = leader == seats[i]
                places[i, _NODE] = round_start[first_context]
                status[i] = FRESH
            elif action >= 0:
                node = places[i, _NODE]
                if starts[node]:
                    places[i, _TURNS] += 1
                total = totals[node]
                way = ways[node, action] if total == 0 else falls[node, below(words, i, total) if total > 1 else 0]
                action = -1
                if way >= 0:
                    places[i, _NODE] = way
                else:
                    way = -1 - way
                    combination = way % N_COMBINATIONS
                    if places[i, _FOLLOWS] == 0:
                        places[i, _FOLLOWS], places[i, _LEADERS] = 1, combination
                        places[i, _NODE] = follower_starts[way // N_COMBINATIONS]
                    else:
                        context = places[i, _CONTEXT]
                        charge = 1 if fiches[context, 2] > 0 else 0
                        score = places[i, _SCORE]
                        then = rounds[context, kinds_of_round[charge, places[i, _LEADERS], combination]]
                        if then >= 0:
                            context = then >> 1
                            if then & 1:  # it is told from the leader's side
                                places[i, _SCORE] = swapped[score]
                        else:
                            context, loser = first_context, -1 - then
                            drawn = 0
                            if alternatives[score, loser] > 1:  # an opening draws a seat
                                leader = seats[i] if places[i, _LEADS] != 0 else 1 - seats[i]
                                drawn = below(words, i, 2) ^ leader
                            then = after[score, loser, drawn]
                            places[i, _SCORE] = then >> 1
                        places[i, _FOLLOWS] = 0
                        places[i, _LEADS] ^= then & 1
                        places[i, _CONTEXT] = context
                        places[i, _NODE] = round_start[context]
                ends = over[places[i, _SCORE]]
                if ends or (places[i, _TURNS] >= max_turns and starts[places[i, _NODE]]):
                    terminated[i], truncated[i] = ends, not ends
                    rewards[i] = results[places[i, _SCORE], 1 - places[i, _LEADS]]
                    status[i] = OVER
                    if not same_step:
                        break
                    row = counts[0]
                    counts[0] += 1
                    final_slots[row], final_seats[row] = i, seats[i]
                    _look(
                        places, i, True, offsets, fields, fiches, manches,
                        leaders_block, dice_block, frozen_block, row, final_observations,
                    )  # fmt: skip
                    learners = not ends and places[i, _LEADS] != places[i, _FOLLOWS]
                    _bits(legal[places[i, _NODE]] if learners else _EVERYTHING, row, final_masks)
                    begins = True
                    continue
            node = places[i, _NODE]
            if places[i, _LEADS] != places[i, _FOLLOWS]:  # the learner's move
                if decides[node] or status[i] == FRESH:
                    break
                action = only[node]
                continue
            if not decides[node]:
                action = only[node]
                continue
            opponent = seated[i, 0]
            kind = kinds[opponent]
            if kind == OUTSIDE:
                waiting[waits], waiting_for[waits] = i, opponent
                _look(
                    places, i, False, offsets, fields, fiches, manches,
                    leaders_block, dice_block, frozen_block, waits, waiting_observations,
                )  # fmt: skip
                _bits(legal[node], waits, waiting_masks)
                waits += 1
                waited = True
                break
            if kind == BY_MASK:
                number = legal[node]
            else:
                score = places[i, _SCORE]
                number = manches[score, 0] * lose + manches[score, 1]
                number = number * n_contexts + decharge[places[i, _CONTEXT]]
                number = number * (n_leader + N_COMBINATIONS * n_follower) + decision[node]
                if places[i, _FOLLOWS] != 0:
                    number += n_leader + places[i, _LEADERS] * n_follower
            action = pick(odds, row_of[bases[opponent] + number], unit(words, i))
        if not waited:
            _look(
                places, i, True, offsets, fields, fiches, manches,
                leaders_block, dice_block, frozen_block, i, observations,
            )  # fmt: skip
            learners = places[i, _LEADS] != places[i, _FOLLOWS] and not over[places[i, _SCORE]]
            _bits(legal[places[i, _NODE]] if learners else _EVERYTHING, i, masks)
    counts[1] = waits
