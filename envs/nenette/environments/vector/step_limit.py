"""Episodes that are cut after so many steps of the learner, as Gymnasium's TimeLimit cuts those of a single one."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.slots import Returned, StepOutput

__all__ = ["StepLimit", "end_in_same_step"]


class StepLimit:
    """How many steps each slot's episode has had, and what a step returns where these are all that it may have.

    Attributes:
        limit: after how many steps an episode is cut.
        steps: int64, (num_envs,): the steps of each slot's episode so far.
    """

    def __init__(self, limit: int, num_envs: int) -> None:
        self.limit = limit
        self.steps: NDArray[np.int64] = np.zeros(num_envs, dtype=np.int64)

    @property
    def reached(self) -> NDArray[np.bool_]:
        """bool, (num_envs,): which episodes have had all of their steps."""
        return np.asarray(self.steps >= self.limit)

    def begin(self, where: NDArray[np.bool_]) -> None:
        """Begins new episodes in these slots."""
        self.steps[where] = 0

    def count(self, begun: NDArray[np.bool_], returned: Returned) -> NDArray[np.bool_]:
        """Counts a step, and truncates episodes that have had all of theirs.

        Args:
            begun: bool, (num_envs,): slots that have begun a new episode instead, as they do after the next step.
            returned: what the step returns; changed.

        Returns:
            Slots whose episode is over by this limit alone, bool (num_envs,).
        """
        self.steps = np.where(begun, 0, self.steps + 1)
        over = returned.terminated | returned.truncated
        returned.truncated[...] |= self.reached
        return self.reached & ~over

    def load(self, given: object) -> None:
        """Takes the counts of a state.

        Raises:
            ValueError: they are no counts of these slots.
        """
        own = self.steps
        if type(given) is not np.ndarray or given.shape != own.shape or given.dtype != own.dtype:
            raise ValueError(f"steps are an array of {own.dtype} {own.shape}")
        if (given < 0).any() or (given > self.limit).any():
            raise ValueError(f"steps are from 0 to max_episode_steps={self.limit}")
        self.steps = given.copy()


def end_in_same_step(
    returned: Returned,
    output: StepOutput,
    cut: NDArray[np.bool_],
    seats: NDArray[np.int64],
    begin: Callable[[NDArray[np.int64]], Returned],
) -> Returned:
    """Writes the ends of the games that are cut, and begins new games in their slots.

    Args:
        returned: what the step returns.
        output: what else it has put out; changed.
        cut: bool, (num_envs,): which games.
        seats: the learners', (num_envs,).
        begin: begins games in the slots that are 1, and shows the others as they are.

    Returns:
        What the step returns, with the new games.
    """
    finished, _, replaced = output.counts.tolist()
    slots = np.flatnonzero(cut)
    rows = slice(finished, finished + len(slots))
    output.final_slots[rows], output.final_seats[rows] = slots, seats[slots]
    output.final_observations.reshape(len(cut), -1)[rows] = returned.observations[slots]
    output.final_masks[rows] = output.masks[slots]
    ends = returned.rewards.copy(), returned.terminated.copy(), returned.truncated.copy()
    illegal = output.illegal.copy()
    begun = begin(cut.astype(np.int64))
    for array, end in zip((begun.rewards, begun.terminated, begun.truncated), ends, strict=True):
        array[:] = end
    output.illegal[:] = illegal
    output.counts[:] = rows.stop, 0, replaced
    return begun
