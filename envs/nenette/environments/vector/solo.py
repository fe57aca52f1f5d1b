"""21 des Demi-Îles alone, compiled: a slot's numbers are the score, what has been stood on (as bits) and the turns."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette.environments.vector.batch import FRESH, OVER, PLAYING, RESET, Advance, Batch, Given, example
from nenette.environments.vector.bound import bound
from nenette.environments.vector.falls import falls_of
from nenette.environments.vector.frame import refused, tell
from nenette.environments.vector.seating import Seating
from nenette.environments.vector.streams import below, moved_on, word_of
from nenette.games import Game
from nenette.games.demi_iles import ALL_SEEN, DICE_COUNTS, SCORES, TARGET, DemiIlesSolo, SoloState, throw

__all__ = ["DemiIlesSoloMachine"]

_ENDLESS = (1 << 31) - 1


class DemiIlesSoloMachine:
    """See `nenette.environments.vector.batch.Machine`."""

    width = 3
    n_decisions = 0
    n_blocks = 1

    def __init__(self, game: DemiIlesSolo) -> None:
        self.game: Game[Any] = game
        self._falls, self._totals = falls_of([throw(s, k) for s, k in product(SCORES, DICE_COUNTS)], list(SCORES))
        seen = [game.follow(SoloState(0, 0), 0, score).outcomes[0].seen for score in SCORES]
        self._seen = np.array(seen, dtype=np.int32)
        self._max_turns = _ENDLESS if game.max_turns is None else game.max_turns

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`: nobody else decides anything."""
        return np.zeros((0, len(self.game.codec.features)), dtype=np.int64), np.zeros((0, 3), dtype=np.int8)

    def possible(self, places: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """See `Machine`: on the target one plays on until everything has been stood on."""
        score, seen, _ = places.T
        fits: NDArray[np.bool_] = (score >= 0) & (score <= TARGET) & (seen >= 0) & (seen <= ALL_SEEN)
        return fits

    def bind(self, batch: Batch, seating: Seating, given: Given, *, seat: int, same_step: bool) -> Advance:
        """See `Machine`."""
        parts = (
            same_step,
            self._max_turns,
            self.game.turn_reward,
            self._falls,
            self._totals,
            self._seen,
            batch.places,
            batch.status,
            batch.words,
            given.masks,
            given.counts,
            given.final_slots,
            given.final_observations,
            given.final_masks,
        )
        return bound(_step, parts, (given.masks, batch.seats), *example(given))


@njit(inline="always")
def _look(places, i, row, observations):  # type: ignore[no-untyped-def]
    """Writes what the player sees; the layout is that of the game's codec."""
    for k in range(TARGET + 1):
        observations[row, k] = 0.0
    observations[row, places[i, 0]] = 1.0
    for k in range(TARGET - 1):
        observations[row, TARGET + 1 + k] = places[i, 1] >> k & 1


@njit()
def _advance(  # type: ignore[no-untyped-def]
    phase,
    chosen,
    observations,
    rewards,
    terminated,
    truncated,
    same_step,
    max_turns,
    turn_reward,
    falls,
    totals,
    seen,
    places,
    status,
    words,
    masks,
    counts,
    final_slots,
    final_observations,
    final_masks,
):
    for i in range(len(chosen)):
        rewards[i], terminated[i], truncated[i] = 0.0, False, False
        begins = chosen[i] != 0 if phase == RESET else status[i] == OVER
        if phase != RESET and not begins:
            throw = places[i, 0] * 3 + chosen[i]
            total = totals[throw]
            fallen = falls[throw, below(word_of(words[i, 0], words[i, 1]), total)]
            if total > 1:
                words[i, 0], words[i, 1] = moved_on(words[i, 0], words[i, 1])
            places[i, 0] = fallen
            places[i, 1] |= seen[fallen]
            places[i, 2] += 1
            rewards[i] = turn_reward
            status[i] = PLAYING
            terminated[i] = fallen == TARGET and places[i, 1] == ALL_SEEN
            truncated[i] = places[i, 2] >= max_turns and not terminated[i]
            if terminated[i] or truncated[i]:
                status[i] = OVER
                if same_step:
                    row = counts[0]
                    counts[0] += 1
                    final_slots[row] = i
                    _look(places, i, row, final_observations)
                    for a in range(masks.shape[1]):
                        final_masks[row, a] = 1
                    begins = True
        if begins:
            places[i, 0] = places[i, 1] = places[i, 2] = 0
            status[i] = FRESH
        _look(places, i, i, observations)
        for a in range(masks.shape[1]):
            masks[i, a] = 1
    counts[1] = 0


@njit()
def _step(  # type: ignore[no-untyped-def]
    parts, phase, chosen, answers, observations, rewards, terminated, truncated, masks_told, seats_told
):
    """See `nenette.environments.vector.batch.Advance`."""
    if refused(phase, chosen, answers):
        return False
    _advance(phase, chosen, observations, rewards, terminated, truncated, *parts.parts)
    masks, seats = parts.own
    tell(masks, seats, masks_told, seats_told)
    return True
