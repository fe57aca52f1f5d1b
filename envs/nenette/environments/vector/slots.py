"""The slots of a vector environment: what is going on in each, and what a step puts out for it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ANSWER",
    "ENDLESS",
    "FRESH",
    "MOVE",
    "NEVER",
    "OVER",
    "PLAYING",
    "RESET",
    "SHARED",
    "Returned",
    "Slots",
    "StepOutput",
    "new_output",
    "new_returned",
    "new_slots",
]

RESET, MOVE, ANSWER = 0, 1, 2
"""What a call does: begins games, plays the learners' actions, or goes on with the answers of opponents outside."""

NEVER, FRESH, PLAYING, OVER = 0, 1, 2, 3
"""A game: none yet, no learner has moved yet, one has, the game is over."""

SHARED = 2
"""How many columns `Slots.places` has in every game, the last ones: the turns taken, and the seats of learners that
have had a step, as bits. Those before them are the game's own."""

ENDLESS = (1 << 31) - 1
"""Turns after which a game is cut that is never cut."""


class Slots(NamedTuple):
    """The games; where every seat is a slot, a game is `players` slots.

    Attributes:
        places: int32, (games, width): where each game stands, in the machine's own terms.
        seats: int64, (num_envs,): the learner's seat.
        status: uint8, (games,): NEVER, FRESH, PLAYING or OVER.
        words: uint64, (games, 2): the random streams; int64 where they are a numpy Generator's.
    """

    places: NDArray[np.int32]
    seats: NDArray[np.int64]
    status: NDArray[np.uint8]
    words: NDArray[Any]


def new_slots(games: int, width: int, seats: NDArray[np.int64]) -> Slots:
    """Slots in which nothing has begun."""
    return Slots(
        np.zeros((games, width), dtype=np.int32),
        seats,
        np.full(games, NEVER, dtype=np.uint8),
        np.zeros((games, 2), dtype=np.uint64),
    )


class Returned(NamedTuple):
    """The arrays that a step returns, which may be new ones each time; the machine fills them.

    Attributes:
        observations: float32, (num_envs, size).
        rewards: float64, (num_envs,).
        terminated: bool, (num_envs,).
        truncated: bool, (num_envs,).
        masks: int8, (num_envs, n_actions): a copy of `StepOutput.masks`.
        seats: int64, (num_envs,): a copy of `Slots.seats`.
    """

    observations: NDArray[np.float32]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    masks: NDArray[np.int8]
    seats: NDArray[np.int64]


def new_returned(num_envs: int, size: int, n_actions: int) -> Returned:
    """Empty arrays."""
    return Returned(
        np.zeros((num_envs, size), dtype=np.float32),
        np.zeros(num_envs),
        np.zeros(num_envs, dtype=np.bool_),
        np.zeros(num_envs, dtype=np.bool_),
        np.zeros((num_envs, n_actions), dtype=np.int8),
        np.zeros(num_envs, dtype=np.int64),
    )


class StepOutput(NamedTuple):
    """What else a step of all slots writes; the machine fills it.

    Attributes:
        masks: int8, (num_envs, n_actions).
        illegal: bool, (num_envs,): the learner's action was replaced.
        counts: int64, (3,): finished games of this step so far, slots that wait for an opponent outside, illegal
            actions.
        final_slots, final_seats: int64, and final_masks: int8, (num_envs, n_actions): of the finished games, in the
            first rows, where the slot has begun again in the same step.
        final_observations: float32, (num_envs * size,): likewise, one after the other.
        waiting: int64, (num_envs,): slots that wait, in the first places.
        waiting_for: int64, (num_envs,): which opponent each waits for.
        waiting_masks, waiting_observations: what that opponent sees; shaped as those of finished games.
    """

    masks: NDArray[np.int8]
    illegal: NDArray[np.bool_]
    counts: NDArray[np.int64]
    final_slots: NDArray[np.int64]
    final_seats: NDArray[np.int64]
    final_masks: NDArray[np.int8]
    final_observations: NDArray[np.float32]
    waiting: NDArray[np.int64]
    waiting_for: NDArray[np.int64]
    waiting_masks: NDArray[np.int8]
    waiting_observations: NDArray[np.float32]


def new_output(num_envs: int, size: int, n_actions: int, *, same_step: bool, outside: bool) -> StepOutput:
    """Empty arrays; those for finished and waiting slots have rows only where they are needed."""
    finals, waiting = num_envs * same_step, num_envs * outside
    return StepOutput(
        np.zeros((num_envs, n_actions), dtype=np.int8),
        np.zeros(num_envs, dtype=np.bool_),
        np.zeros(3, dtype=np.int64),
        np.zeros(finals, dtype=np.int64),
        np.zeros(finals, dtype=np.int64),
        np.zeros((finals, n_actions), dtype=np.int8),
        np.zeros(finals * size, dtype=np.float32),
        np.zeros(waiting, dtype=np.int64),
        np.zeros(waiting, dtype=np.int64),
        np.zeros((waiting, n_actions), dtype=np.int8),
        np.zeros(waiting * size, dtype=np.float32),
    )
