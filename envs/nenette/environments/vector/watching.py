"""What is to be shown of the first few tables of many: where they stand, and what has happened there in the last step.

Compiled code tells what a step leads to, and not what fell on the way. So the rows of these tables are copied before
each step, and whoever looks afterwards has it played once more in Python, from the same random numbers.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.environments.pictures.scene import Event, View
from nenette.environments.vector.machine import Machine
from nenette.environments.vector.python_machine import PythonMachine, PythonRules
from nenette.environments.vector.seating import Seating, ask_outside
from nenette.environments.vector.slots import (
    ANSWER,
    NEVER,
    RESET,
    SHARED,
    Returned,
    Slots,
    StepOutput,
    new_output,
    new_returned,
    new_slots,
)
from nenette.games import Game

__all__ = ["WATCHED", "Watch"]

WATCHED = 16
"""Tables that are shown of many."""


class _Call(NamedTuple):
    """A call of the machine, and the first rows of all slots before it."""

    phase: int
    chosen: NDArray[np.int64]
    rows: Slots


class Watch:
    """The first tables of a vector environment.

    Attributes:
        tables: how many.
        slots: how many slots these are.
    """

    def __init__(self, machine: Machine, games: int, per_game: int) -> None:
        """Nothing has happened yet.

        Args:
            machine: what plays.
            games: how many there are.
            per_game: slots of a game: one, or one for each seat.
        """
        self.tables = min(games, WATCHED)
        self.slots = self.tables * per_game
        self._machine = machine
        self._per_game = per_game
        self._calls: list[_Call] = []

    def forget(self) -> None:
        """What has been noted."""
        self._calls = []

    def note(self, phase: int, chosen: NDArray[np.int64], slots: Slots) -> None:
        """Before each call but answers, which belong to the call before."""
        self._calls.append(_Call(phase, chosen[: self.slots].copy(), self._first(slots)))

    def views(
        self, slots: Slots, seating: Seating, seat: int | None, over: NDArray[np.bool_], *, same_step: bool
    ) -> list[View]:
        """The tables as they stand; all games have begun.

        Args:
            slots: all of them.
            seating: who plays the other seats.
            seat: as in `Machine.bind`.
            over: whose episode is over, bool (num_envs,).
            same_step: as in `Machine.bind`.
        """
        rows = self._first(slots)
        states = self._states(rows, seating, seat)
        starts, events = self._happened(rows, states, seating, seat, same_step=same_step)
        views = []
        for table, state in enumerate(states):
            slot = table * self._per_game
            cut = bool(over[slot]) and self._machine.game.returns(state) is None
            learner = None if seat is None else int(rows.seats[slot])
            views.append(View(state, cut, learner, self._names(slot, seating, seat), starts[table], events[table]))
        return views

    def _first(self, slots: Slots) -> Slots:
        tables = self.tables
        return Slots(
            slots.places[:tables].copy(),
            slots.seats[: self.slots].copy(),
            slots.status[:tables].copy(),
            slots.words[:tables].copy(),
        )

    def _names(self, slot: int, seating: Seating, seat: int | None) -> list[str]:
        if seat is None:
            return [f"player {k}" for k in range(self._machine.game.players)]
        return [seating.opponents[number].name for number in seating.tables.seated[slot].tolist()]

    def _states(self, rows: Slots, seating: Seating, seat: int | None) -> list[Any]:
        """Where the games stand, which the observation of a game's first slot tells."""
        game = self._machine.game
        output, returned = self._arrays(seat, same_step=False)
        look = self._machine.bind(rows, seating, output, seat=seat, same_step=False)
        look(RESET, np.zeros(self.slots, dtype=np.int64), np.zeros((0, game.n_actions)), *returned)
        fields = game.codec.decode(returned.observations[:: self._per_game]).tolist()
        seats = rows.seats[:: self._per_game].tolist()
        return [_seen_from(game, game.decode(own), onlooker) for own, onlooker in zip(fields, seats, strict=True)]

    def _arrays(self, seat: int | None, *, same_step: bool) -> tuple[StepOutput, Returned]:
        """What a call for these tables fills."""
        size, n_actions = self._machine.game.codec.size, self._machine.game.n_actions + (seat is None)
        output = new_output(self.slots, size, n_actions, same_step=same_step, outside=True)
        return output, new_returned(self.slots, size, n_actions)

    def _happened(
        self, rows: Slots, states: Sequence[Any], seating: Seating, seat: int | None, *, same_step: bool
    ) -> tuple[list[Any], list[list[Event]]]:
        """The starts and the events of all tables; nothing of a table that does not come out as it stands."""
        nothing: tuple[list[Any], list[list[Event]]] = [None] * self.tables, [[] for _ in states]
        if not self._calls:
            return nothing
        game, first = self._machine.game, self._calls[0].rows
        began = first.status[0] != NEVER
        recorded = _Recorded(game, self.tables)
        slots = self._in_python(first, seating, seat, began=began)
        output, returned = self._arrays(seat, same_step=same_step)
        play = PythonMachine(game, recorded).bind(slots, seating, output, seat=seat, same_step=same_step)
        for number, call in enumerate(self._calls):
            if number:
                slots.status[:] = call.rows.status  # a limit of steps may have ended episodes in between
                slots.words[:] = call.rows.words  # and a reset may have seeded
            play(call.phase, call.chosen, np.zeros((0, game.n_actions)), *returned)
            while output.counts.item(1):
                play(ANSWER, *ask_outside(seating, output), *returned)
        same = (slots.words == rows.words).all(axis=1)
        starts, events = nothing
        for k in np.flatnonzero(same).tolist():
            if game.decode(slots.places[k, :-SHARED].tolist()) == states[k]:
                starts[k], events[k] = recorded.starts[k], recorded.events[k]
        return starts, events

    def _in_python(self, rows: Slots, seating: Seating, seat: int | None, *, began: bool) -> Slots:
        """The rows, in the terms of `PythonMachine`."""
        game = self._machine.game
        slots = new_slots(self.tables, PythonMachine(game).width, rows.seats.copy())
        if began:
            states = self._states(self._first(rows), seating, seat)  # a copy: nothing there is changed
            slots.places[:, :-SHARED] = [game.encode(state, 0) for state in states]
            slots.places[:, -SHARED:] = rows.places[:, -SHARED:]
        slots.status[:], slots.words[:] = rows.status, rows.words
        return slots


class _Recorded(PythonRules):
    """Keeps what happens in each game.

    Attributes:
        starts: where each game began, if it has; else None.
        events: what has been played in each since then.
    """

    def __init__(self, game: Game[Any], games: int) -> None:
        super().__init__(game)
        self.starts: list[Any] = [None] * games
        self.events: list[list[Event]] = [[] for _ in range(games)]
        self._g = 0

    def load(self, places: NDArray[np.int32], g: int) -> Any:
        """The loop turns to another game."""
        self._g = g
        return super().load(places, g)

    def begin(self, g: int, s0: Any, s1: Any) -> tuple[Any, Any, Any]:
        """A new game."""
        self._g, self.events[g] = g, []
        begun = super().begin(g, s0, s1)
        self.starts[g] = begun[0]
        return begun

    def played(self, state: Any, action: int, fallen: Any, after: Any) -> None:
        """An action."""
        self.events[self._g].append(Event(state, action, fallen, after))


def _seen_from(game: Game[Any], state: Any, onlooker: int) -> Any:
    """The state with its seats renumbered so that the onlooker sits at seat 0."""
    return game.decode(game.encode(state, -onlooker % game.players))
