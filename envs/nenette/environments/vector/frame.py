"""What every compiled call does besides playing, whatever the game."""

import numpy as np

from nenette.compiling import njit
from nenette.environments.vector.batch import MOVE

__all__ = ["refused", "tell"]


@njit()
def refused(phase, chosen, answers):  # type: ignore[no-untyped-def]
    """Whether an action is outside of the action space."""
    largest = np.uint64(0)
    if phase == MOVE:
        for k in range(len(chosen)):
            largest = max(largest, np.uint64(chosen[k]))  # negative ones are large there
    return largest >= np.uint64(answers.shape[1])


@njit()
def tell(masks, seats, masks_told, seats_told):  # type: ignore[no-untyped-def]
    """Copies what the slots keep for themselves, and what a caller may write to."""
    for i in range(len(seats)):
        seats_told[i] = seats[i]
    for i in range(masks.shape[0]):
        for a in range(masks.shape[1]):
            masks_told[i, a] = masks[i, a]
