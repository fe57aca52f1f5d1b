"""The arrays that all machines share: what is going on in each slot, and what a step gives back."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.seating import Seating
from nenette.games import Game

__all__ = [
    "ANSWER",
    "FRESH",
    "MOVE",
    "NEVER",
    "OVER",
    "PLAYING",
    "RESET",
    "Advance",
    "Batch",
    "Given",
    "Machine",
    "NotCompiledError",
    "example",
]

RESET, MOVE, ANSWER = 0, 1, 2
"""What a call does: begins games, plays the learners' actions, or goes on with the answers of opponents outside."""

NEVER, FRESH, PLAYING, OVER = 0, 1, 2, 3
"""A slot: no game yet, the learner has not moved yet, it has, the game is over."""


@dataclass
class Batch:
    """The slots.

    Attributes:
        places: int32, (num_envs, width): where each game stands, in the machine's own terms.
        seats: int64, (num_envs,): the learner's seat.
        status: uint8, (num_envs,): NEVER, FRESH, PLAYING or OVER.
        words: uint64, (num_envs, 2): the random streams.
    """

    places: NDArray[np.int32]
    seats: NDArray[np.int64]
    status: NDArray[np.uint8]
    words: NDArray[np.uint64]

    @classmethod
    def of(cls, num_envs: int, width: int) -> "Batch":
        """Slots in which nothing has begun."""
        return cls(
            np.zeros((num_envs, width), dtype=np.int32),
            np.zeros(num_envs, dtype=np.int64),
            np.full(num_envs, NEVER, dtype=np.uint8),
            np.zeros((num_envs, 2), dtype=np.uint64),
        )


@dataclass
class Given:
    """What one step of all slots gives; the machine fills it.

    Attributes:
        observations: float32, (num_envs, size).
        masks: int8, (num_envs, n_actions).
        rewards: float64, (num_envs,).
        terminated: bool, (num_envs,).
        truncated: bool, (num_envs,).
        masks_told, seats_told: copies of the masks and of `Batch.seats`, to be given away.
        illegal: bool, (num_envs,): the learner's action was replaced.
        everywhere: bool, (num_envs,): True; not to be written to.
        counts: int64, (3,): finished games of this step so far, slots that wait for an opponent outside, illegal
            actions.
        final_slots, final_seats, final_observations, final_masks: of the finished games, in the first rows, where the
            slot has begun again in the same step.
        waiting: int64, (num_envs,): slots that wait, in the first places.
        waiting_for: int64, (num_envs,): which opponent each waits for.
        waiting_observations, waiting_masks: what that opponent sees.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    masks_told: NDArray[np.int8]
    seats_told: NDArray[np.int64]
    illegal: NDArray[np.bool_]
    everywhere: NDArray[np.bool_]
    counts: NDArray[np.int64]
    final_slots: NDArray[np.int64]
    final_seats: NDArray[np.int64]
    final_observations: NDArray[np.float32]
    final_masks: NDArray[np.int8]
    waiting: NDArray[np.int64]
    waiting_for: NDArray[np.int64]
    waiting_observations: NDArray[np.float32]
    waiting_masks: NDArray[np.int8]

    @property
    def told(self) -> tuple[NDArray[Any], ...]:
        """What is given away: observations, rewards, terminated, truncated, masks and seats."""
        return self.observations, self.rewards, self.terminated, self.truncated, self.masks_told, self.seats_told

    @classmethod
    def of(cls, num_envs: int, game: Game[Any], *, same_step: bool, outside: bool, passes: bool = False) -> "Given":
        """Empty arrays for so many slots; those for finished and waiting ones have rows only where they are needed.

        With `passes` there is one action more than the game has.
        """
        size, n = game.codec.size, game.n_actions + passes
        finals, waiting = num_envs * same_step, num_envs * outside
        return cls(
            np.zeros((num_envs, size), dtype=np.float32),
            np.zeros((num_envs, n), dtype=np.int8),
            np.zeros(num_envs),
            np.zeros(num_envs, dtype=np.bool_),
            np.zeros(num_envs, dtype=np.bool_),
            np.zeros((num_envs, n), dtype=np.int8),
            np.zeros(num_envs, dtype=np.int64),
            np.zeros(num_envs, dtype=np.bool_),
            _everywhere(num_envs),
            np.zeros(3, dtype=np.int64),
            np.zeros(finals, dtype=np.int64),
            np.zeros(finals, dtype=np.int64),
            np.zeros((finals, size), dtype=np.float32),
            np.zeros((finals, n), dtype=np.int8),
            np.zeros(waiting, dtype=np.int64),
            np.zeros(waiting, dtype=np.int64),
            np.zeros((waiting, size), dtype=np.float32),
            np.zeros((waiting, n), dtype=np.int8),
        )


def _everywhere(num_envs: int) -> NDArray[np.bool_]:
    true = np.ones(num_envs, dtype=np.bool_)
    true.setflags(write=False)
    return true


def example(given: Given) -> tuple[Any, ...]:
    """What an `Advance` takes, so that it can be compiled."""
    answers = np.zeros((0, given.masks.shape[1]))
    return MOVE, np.zeros(1, dtype=np.int64), answers, *given.told


class Advance(Protocol):
    """One compiled call, which takes the arrays that may be new each time; all of them lie in C order."""

    def __call__(
        self,
        phase: int,
        chosen: NDArray[np.int64],
        answers: NDArray[np.float64],
        observations: NDArray[np.float32],
        rewards: NDArray[np.float64],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        masks: NDArray[np.int8],
        seats: NDArray[np.int64],
        /,
    ) -> bool:
        """Plays, and returns True; or plays nothing and returns False, if an action is outside of the action space.

        Args:
            phase: RESET, MOVE or ANSWER.
            chosen: int64, (n,): with RESET for each slot whether a game begins there, with MOVE the learner's action
                in each, with ANSWER the slots that have their answer.
            answers: float64, (n, n_actions): with ANSWER the cumulative odds of the opponents' actions.
            observations: this and all others are filled; see `Given`.
            rewards: likewise.
            terminated: likewise.
            truncated: likewise.
            masks: `Given.masks_told`.
            seats: `Given.seats_told`.
        """
        ...


class NotCompiledError(ValueError):
    """There is no compiled form of a game by these rules; the sentence names them."""


class Machine(Protocol):
    """A game's compiled form.

    Attributes:
        game: whose rules its tables were made from.
        width: how many numbers tell where a game stands.
        n_decisions: in how many states an opponent may have to choose.
        n_blocks: of how many parts, equally large, they consist: an opponent is likely to play some of them alike.
    """

    game: Game[Any]
    width: int
    n_decisions: int
    n_blocks: int

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Fields, (n, fields), as their mover sees them, and masks, (n, n_actions), of these decisions."""
        ...

    def possible(self, places: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of the (n, width) `places` are of games, `over` or not: what these look up is there."""
        ...

    def bind(self, batch: Batch, seating: Seating, given: Given, *, seat: int, same_step: bool) -> Advance:
        """The compiled call, for these arrays.

        Args:
            batch: where everything stands; changed by each call.
            seating: who plays the other seats.
            given: filled by each call.
            seat: the learner's, -1 if it is drawn.
            same_step: whether a game that is over begins again in the same step.
        """
        ...
