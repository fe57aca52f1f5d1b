"""421 with every seat a slot, compiled; a game's numbers are those of `quatre21_kernel`, seat 0 being the learner."""

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.environments.vector.batch import OVER, PLAYING, RESET, Advance, Batch, Given, example
from nenette.environments.vector.bound import bound
from nenette.environments.vector.frame import refused, tell
from nenette.environments.vector.quatre21 import Quatre21Machine
from nenette.environments.vector.quatre21_kernel import look
from nenette.environments.vector.streams import below, moved_on, word_of
from nenette.environments.vector.turn_masks import asked_of, write_mask
from nenette.games.quatre21 import THROW

__all__ = ["Quatre21SeatsMachine"]

_SCORE, _CONTEXT, _LEADS, _FOLLOWS, _LEADERS, _NODE, _TURNS, _ACTED = range(8)
"""As in `quatre21_kernel`; and the seats that have had a step in this game, as bits."""
_PASS = THROW + 1


class Quatre21SeatsMachine(Quatre21Machine):
    """See `nenette.environments.vector.all_seats.SeatsMachine`."""

    width = Quatre21Machine.width + 1

    def possible(self, places: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """See `Machine`; and the seats that have had a step are none but the game's."""
        acted = places[:, _ACTED]
        return np.asarray(super().possible(places[:, :_ACTED], over) & (acted >= 0) & (acted < 4))

    def bind_seats(self, batch: Batch, given: Given, *, same_step: bool) -> Advance:
        """See `SeatsMachine`."""
        parts = (
            same_step,
            self._scalars,
            self._layout,
            self._tables,
            batch.places,
            batch.status,
            batch.words,
            given.masks,
            given.illegal,
            given.counts,
            given.final_slots,
            given.final_observations.ravel(),
            given.final_masks,
        )
        return bound(_step, parts, (given.masks, batch.seats), *example(given))


@njit()
def _advance_seats(  # type: ignore[no-untyped-def]
    phase,
    chosen,
    observations,
    rewards,
    terminated,
    truncated,
    same_step,
    scalars,
    layout,
    tables,
    places,
    status,
    words,
    masks,
    illegal,
    counts,
    final_slots,
    final_observations,
    final_masks,
):
    (
        starts, legal, decides, only, draws, ways, follower_starts, _charge_throws, _decision, fiches, kinds_of_round,
        rounds, _decharge, round_start, manches, turned, after, alternatives, results, over, nearest,
        throws_at, throws_value, features_at, features_value, _mask_words,
    ) = tables  # fmt: skip
    max_turns, first_context = scalars[0], scalars[1]
    for game in range(len(places)):
        first = 2 * game
        for slot in range(first, first + 2):
            rewards[slot], terminated[slot], truncated[slot], illegal[slot] = 0.0, False, False, False
        s0, s1 = words[game, 0], words[game, 1]
        score, context, leads = places[game, _SCORE], places[game, _CONTEXT], places[game, _LEADS]
        follows, combination, node = places[game, _FOLLOWS], places[game, _LEADERS], places[game, _NODE]
        turns, acted = places[game, _TURNS], places[game, _ACTED]
        begins = chosen[first] != 0 if phase == RESET else status[game] == OVER
        action = -1
        if phase != RESET and not begins:
            mover = 0 if leads != follows else 1
            asked = asked_of(mover, first, 2, _PASS, chosen, illegal, counts)
            action = only[node] if asked == _PASS else nearest[legal[node], asked]
            if action != asked and asked != _PASS:
                illegal[first + mover] = True
                counts[2] += 1
            acted |= np.int32(1 << mover)
        while begins or action >= 0:
            if begins:
                begins = False
                leads = np.int32(below(word_of(s0, s1), 2) == 0)  # the opening
                s0, s1 = moved_on(s0, s1)
                score, context, follows, turns = np.int32(0), np.int32(first_context), np.int32(0), np.int32(0)
                node, acted = round_start[first_context], np.int32(0)
                status[game] = PLAYING
                break  # the first throw of a game is a step of whoever leads
            turns += starts[node]
            draw = draws[node, action]
            total = draw & 255
            drawn = 0
            if total > 1:  # what is certain draws no number
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
                            drawn = below(word_of(s0, s1), 2) ^ (0 if leads != 0 else 1)
                            s0, s1 = moved_on(s0, s1)
                        then = after[score, loser, drawn]
                        score = np.int32(then >> 1)
                    follows = np.int32(0)
                    leads ^= np.int32(then & 1)
                    node = round_start[context]
            action = -1
            mover = 0 if leads != follows else 1
            ends = over[score]
            if ends or (turns >= max_turns and starts[node] != 0):
                status[game] = OVER
                begins = same_step
                for seat in range(2):
                    slot, own = first + seat, seat if leads != 0 else 1 - seat
                    terminated[slot], truncated[slot] = ends, not ends
                    rewards[slot] = results[score, own]
                    if same_step:
                        row = counts[0]
                        counts[0] += 1
                        final_slots[row] = slot
                        look(
                            score, context, own, follows, combination, node, layout, fiches, manches, throws_at,
                            throws_value, features_at, features_value, row, final_observations,
                        )  # fmt: skip
                        write_mask(legal[node] if seat == mover and not ends else 0, row, final_masks)
            elif not decides[node] and acted >> mover & 1:
                action = only[node]
        words[game, 0], words[game, 1] = s0, s1
        places[game, _SCORE], places[game, _CONTEXT], places[game, _LEADS] = score, context, leads
        places[game, _FOLLOWS], places[game, _LEADERS], places[game, _NODE] = follows, combination, node
        places[game, _TURNS], places[game, _ACTED] = turns, acted
        mover = 0 if leads != follows else 1
        for seat in range(2):
            look(
                score, context, seat if leads != 0 else 1 - seat, follows, combination, node, layout, fiches, manches,
                throws_at, throws_value, features_at, features_value, first + seat, observations,
            )  # fmt: skip
            write_mask(legal[node] if seat == mover and not over[score] else 0, first + seat, masks)


@njit()
def _step(  # type: ignore[no-untyped-def]
    parts, phase, chosen, answers, observations, rewards, terminated, truncated, masks_told, seats_told
):
    """See `nenette.environments.vector.batch.Advance`."""
    if refused(phase, chosen, answers):
        return False
    _advance_seats(phase, chosen, observations.ravel(), rewards, terminated, truncated, *parts.parts)
    masks, seats = parts.own
    tell(masks, seats, masks_told, seats_told)
    return True
