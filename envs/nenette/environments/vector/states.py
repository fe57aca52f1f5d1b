"""The slots of a vector environment as a state that can be written down, and back."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.machine import Machine
from nenette.environments.vector.slots import FRESH, NEVER, OVER, Slots
from nenette.games.checks import shown

__all__ = ["checked_state", "load_slots", "restored", "state_of"]

_ARRAYS = ("places", "seats", "status", "words")


def state_of(slots: Slots) -> dict[str, Any]:
    """Copies of the arrays, by their names."""
    return {name: getattr(slots, name).copy() for name in _ARRAYS}


def checked_state(slots: Slots, state: object, machine: Machine, *, same_step: bool) -> dict[str, NDArray[Any]]:
    """The arrays of `state`, if they are possible for these slots: compiled code checks no index.

    Raises:
        ValueError: an array is missing or of another shape or dtype, or the state of a slot is impossible.
    """
    given = {name: _array(name, getattr(slots, name), state) for name in _ARRAYS}
    status, seats, players = given["status"], given["seats"], machine.game.players
    if ((status == NEVER) != (status == NEVER).all()).any() or (status > OVER).any():
        raise ValueError("a slot's status is FRESH, PLAYING or OVER, or all are NEVER")
    if (seats < 0).any() or (seats >= players).any():
        raise ValueError(f"a learner's seat is an integer from 0 to {players - 1}")
    begun: NDArray[np.bool_] = np.asarray(status >= FRESH)
    over: NDArray[np.bool_] = status == OVER
    possible: NDArray[np.bool_] = np.asarray(machine.possible(given["places"], over) & ~(over & same_step))
    if not possible[begun].all():
        raise ValueError(f"slot {np.flatnonzero(begun & ~possible)[0]} stands where no game of {machine.game.name} can")
    if not np.any(given["words"][begun], axis=1).all():
        raise ValueError("a random stream is in the one state that it never leaves")
    return given


def _array(name: str, own: NDArray[Any], state: object) -> NDArray[Any]:
    if not isinstance(state, Mapping):
        raise ValueError(f"a state is a dictionary of arrays, not {shown(state)}")
    given = state.get(name)
    if not isinstance(given, np.ndarray) or isinstance(given, np.ma.MaskedArray):
        raise ValueError(f"{name} is missing or no array")
    if given.shape != own.shape or given.dtype != own.dtype:
        raise ValueError(f"{name} is {str(given.dtype)[:80]} {given.shape}, and {own.dtype} {own.shape} is expected")
    return np.asarray(given)


def load_slots(slots: Slots, state: Mapping[str, NDArray[Any]]) -> None:
    """The slots as they stand in `state`, which has been checked."""
    for name in _ARRAYS:
        getattr(slots, name)[...] = state[name]


@contextmanager
def restored(slots: Slots, *names: str) -> Iterator[None]:
    """Restores these arrays if the block fails."""
    before = {name: getattr(slots, name).copy() for name in names}
    try:
        yield
    except BaseException:
        for name, array in before.items():
            getattr(slots, name)[...] = array
        raise
