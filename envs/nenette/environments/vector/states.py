"""The slots of a vector environment as a state that can be written down, and back."""

from typing import Any

import numpy as np

from nenette.environments.vector.machine import Machine
from nenette.environments.vector.slots import FRESH, NEVER, OVER, Slots

__all__ = ["load_slots", "state_of"]

_ARRAYS = ("places", "seats", "status", "words")


def state_of(slots: Slots) -> dict[str, Any]:
    """Copies of the arrays, by their names."""
    return {name: getattr(slots, name).copy() for name in _ARRAYS}


def load_slots(slots: Slots, state: dict[str, Any], machine: Machine, *, same_step: bool) -> None:
    """The slots as they stand in `state`, if all of them can stand so: compiled code looks nothing up in vain.

    Raises:
        ValueError: an array is missing or another, or in a slot a game stands where none can.
    """
    for name in _ARRAYS:
        own, given = getattr(slots, name), state.get(name)
        if not isinstance(given, np.ndarray):
            raise ValueError(f"{name} is missing or no array")
        if given.shape != own.shape or given.dtype != own.dtype:
            raise ValueError(f"{name} is {given.dtype} {given.shape}, and {own.dtype} {own.shape} is expected")
    status, seats, players = state["status"], state["seats"], machine.game.players
    if ((status == NEVER) != (status == NEVER).all()).any() or (status > OVER).any():
        raise ValueError("a slot's status is none of FRESH, PLAYING and OVER")
    if (seats < 0).any() or (seats >= players).any():
        raise ValueError(f"a learner's seat is none from 0 to {players - 1}")
    begun = status >= FRESH
    over = status == OVER
    possible = machine.possible(state["places"], over) & ~(over & same_step)
    if not possible[begun].all():
        raise ValueError(f"slot {np.flatnonzero(begun & ~possible)[0]} stands where no game of {machine.game.name} can")
    if not state["words"].any(axis=1)[begun].all():
        raise ValueError("a random stream is in the one state that it never leaves")
    for name in _ARRAYS:
        getattr(slots, name)[...] = state[name]
