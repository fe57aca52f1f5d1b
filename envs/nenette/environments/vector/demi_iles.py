"""21 des Demi-Îles for several players, compiled.

A slot's numbers are the scores from the learner's seat on, in turn order; how many seats after the learner the player
to move sits; and the turns taken. What a throw does to whom is looked up in tables that the rules have filled.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.environments.vector.batch import (
    ANSWER,
    FRESH,
    OVER,
    PLAYING,
    RESET,
    Advance,
    Batch,
    Given,
    NotCompiledError,
    example,
)
from nenette.environments.vector.bound import bound
from nenette.environments.vector.falls import falls_of
from nenette.environments.vector.frame import refused, tell
from nenette.environments.vector.seating import BY_MASK, OUTSIDE, Seating
from nenette.environments.vector.streams import below, moved_on, pick, unit, word_of
from nenette.games import Game
from nenette.games.demi_iles import DICE_COUNTS, SCORES, TARGET, DemiIles, State, throw

__all__ = ["DemiIlesMachine", "look", "thrown"]

_ENDLESS = (1 << 31) - 1
_ALL = 0b111


class DemiIlesMachine:
    """See `nenette.environments.vector.batch.Machine`."""

    n_blocks = 1

    def __init__(self, game: DemiIles) -> None:
        if game.rules.starter != "seat_0":
            raise NotCompiledError("many games of demi-iles at once are played with starter='seat_0' only, for now")
        self.game: Game[Any] = game
        n = game.players
        self.width = n + 2
        self.n_decisions = TARGET**n
        self._falls, self._totals = falls_of([throw(s, k) for s, k in product(SCORES, DICE_COUNTS)], list(SCORES))
        self._lowered = np.array([[_lowered(game, s, k) for k in DICE_COUNTS] for s in SCORES], dtype=np.int32)
        won = game.returns(State((TARGET, *(0,) * (n - 1)), 0))
        assert won is not None
        self._pay = np.array(won[:2])
        self._max_turns = _ENDLESS if game.max_turns is None else game.max_turns

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`: the scores are the digits of the decision's number, the mover's the first."""
        numbers = np.arange(low, high)
        fields = np.zeros((len(numbers), self.game.players + 1), dtype=np.int64)
        for place in reversed(range(self.game.players)):
            numbers, fields[:, place] = np.divmod(numbers, TARGET)
        return fields, np.ones((len(fields), self.game.n_actions), dtype=np.int8)

    def possible(self, places: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """See `Machine`: only a winner stands on the target."""
        n = self.game.players
        scores, mover = places[:, :n], places[:, n]
        fits = np.all((scores >= 0) & (scores < TARGET + over[:, None]), axis=1)
        return np.asarray(fits & (mover >= 0) & (mover < n))

    def bind(self, batch: Batch, seating: Seating, given: Given, *, seat: int, same_step: bool) -> Advance:
        """See `Machine`."""
        parts = (
            seat,
            same_step,
            self._max_turns,
            self._falls,
            self._totals,
            self._lowered,
            self._pay,
            batch.places,
            batch.seats,
            batch.status,
            batch.words,
            seating.seated,
            seating.kinds,
            seating.bases,
            seating.row_of,
            seating.odds,
            given.masks,
            given.counts,
            given.final_slots,
            given.final_seats,
            given.final_observations.ravel(),
            given.final_masks,
            given.waiting,
            given.waiting_for,
            given.waiting_observations.ravel(),
            given.waiting_masks,
        )
        return bound(_step, parts, (given.masks, batch.seats), *example(given))


def _lowered(game: DemiIles, score: int, dice: int) -> int:
    """What is left of another player's score after a throw of so many dice."""
    state = State((0, score, *(0,) * (game.players - 2)), 0)
    return game.follow(state, dice, 0).outcomes[0].scores[1]


@njit(inline="always")
def look(places, i, onlooker, players, row, flat):  # type: ignore[no-untyped-def]
    """Writes what the player `onlooker` seats after the learner sees; the layout is that of the game's codec.

    Unsigned indices spare the compiler the question whether an index counts from the end.
    """
    width = np.uint64(23 * players)
    block = np.uint64(row) * width
    for k in range(width):
        flat[block + k] = 0.0
    at = onlooker
    for _ in range(players):
        flat[block + np.uint64(places[i, at])] = 1.0
        block += np.uint64(22)
        at = at + 1 if at + 1 < players else 0
    mover = places[i, players] - onlooker
    flat[block + np.uint64(mover if mover >= 0 else mover + players)] = 1.0


@njit(inline="always")
def thrown(places, i, action, players, falls, totals, lowered, s0, s1):  # type: ignore[no-untyped-def]
    """Lets the player to move throw: whether that wins, and the stream as it then is."""
    mover = places[i, players]
    throw = places[i, mover] * 3 + action
    total = totals[throw]
    fallen = falls[throw, below(word_of(s0, s1), total)]
    t0, t1 = moved_on(s0, s1)
    s0, s1 = (t0, t1) if total > 1 else (s0, s1)  # what is certain draws no number
    for j in range(players):
        places[i, j] = lowered[places[i, j], action]
    places[i, mover] = fallen
    places[i, players + 1] += 1
    wins = fallen == TARGET
    if not wins:
        places[i, players] = mover + 1 if mover + 1 < players else 0
    return wins, s0, s1


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
    max_turns,
    falls,
    totals,
    lowered,
    pay,
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
    players = places.shape[1] - 2
    waits = 0
    for k in range(len(chosen)):
        i, action, begins, waited = k, -1, False, False
        if phase == ANSWER:
            i = chosen[k]
        s0, s1 = words[i, 0], words[i, 1]
        if phase == ANSWER:
            action = pick(answers, k, unit(word_of(s0, s1)))
            s0, s1 = moved_on(s0, s1)
        else:
            rewards[i], terminated[i], truncated[i] = 0.0, False, False
            if phase == RESET:
                begins = chosen[k] != 0
            elif status[i] == OVER:
                begins = True
            else:
                action = chosen[k]
                status[i] = PLAYING
        shown = phase == RESET and not begins  # only to be looked at again
        while not shown:
            if begins:
                begins = False
                seats[i] = seat
                if seat < 0:
                    seats[i] = below(word_of(s0, s1), players)
                    s0, s1 = moved_on(s0, s1)
                for j in range(players):
                    places[i, j] = 0
                places[i, players] = (players - seats[i]) % players
                places[i, players + 1] = 0
                status[i] = FRESH
            elif action >= 0:
                mover = places[i, players]
                wins, s0, s1 = thrown(places, i, action, players, falls, totals, lowered, s0, s1)
                action = -1
                if wins or places[i, players + 1] >= max_turns:
                    terminated[i], truncated[i] = wins, not wins
                    if wins:
                        rewards[i] = pay[0] if mover == 0 else pay[1]
                    status[i] = OVER
                    if not same_step:
                        break
                    row = counts[0]
                    counts[0] += 1
                    final_slots[row], final_seats[row] = i, seats[i]
                    look(places, i, 0, players, row, final_observations)
                    for a in range(masks.shape[1]):
                        final_masks[row, a] = 1
                    begins = True
                    continue
            mover = places[i, players]
            if mover == 0:
                break
            opponent = seated[i, mover - 1]
            kind = kinds[opponent]
            if kind == OUTSIDE:
                waiting[waits], waiting_for[waits] = i, opponent
                look(places, i, mover, players, waits, waiting_observations)
                for a in range(masks.shape[1]):
                    waiting_masks[waits, a] = 1
                waits += 1
                waited = True
                break
            number = _ALL
            if kind != BY_MASK:
                number, at = 0, mover
                for _ in range(players):
                    number = number * TARGET + places[i, at]
                    at = at + 1 if at + 1 < players else 0
            action = pick(odds, row_of[bases[opponent, 0] + np.uint64(number)], unit(word_of(s0, s1)))
            s0, s1 = moved_on(s0, s1)
        words[i, 0], words[i, 1] = s0, s1
        if not waited:
            look(places, i, 0, players, i, observations)
            for a in range(masks.shape[1]):
                masks[i, a] = 1
    counts[1] = waits


@njit()
def _step(  # type: ignore[no-untyped-def]
    parts, phase, chosen, answers, observations, rewards, terminated, truncated, masks_told, seats_told
):
    """See `nenette.environments.vector.batch.Advance`."""
    if refused(phase, chosen, answers):
        return False
    _advance(phase, chosen, answers, observations.ravel(), rewards, terminated, truncated, *parts.parts)
    masks, seats = parts.own
    tell(masks, seats, masks_told, seats_told)
    return True
