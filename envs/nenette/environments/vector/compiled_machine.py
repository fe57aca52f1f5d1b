"""What the compiled forms of all games share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector import engine
from nenette.environments.vector.bind import bind_arguments
from nenette.environments.vector.machine import Advance
from nenette.environments.vector.sampling_tables import NotCompilableError, sampling_table
from nenette.environments.vector.seating import Seating
from nenette.environments.vector.slots import ENDLESS, MOVE, SHARED, Returned, Slots, StepOutput, new_returned
from nenette.games import Game
from nenette.games.variations import overridden, overridden_in_object

__all__ = ["CompiledMachine", "check_features"]

_ASKED = frozenset({"name", "version", "rules_id", "turn_reward", "max_turns", "initial"})
"""Attributes that every compiled form reads from the game itself, so a subclass may replace them."""


class CompiledMachine(ABC):
    """See `nenette.environments.vector.machine.Machine`.

    Attributes:
        plays: the class of games whose rules its compiled functions are written for.
        tables: a named tuple of arrays, made by asking the game.
    """

    plays: ClassVar[type[Game[Any]]]
    n_decisions: int | None
    n_blocks = 1
    decisions_id = b""
    decisions_tell: frozenset[str] | None = None

    def __init__(self, game: Game[Any], tables: Any, columns: int) -> None:
        """The compiled form of `game`.

        Args:
            game: what is played.
            tables: what its compiled functions look up.
            columns: how many numbers say where a game stands.

        Raises:
            NotCompilableError: the tables cannot say what this game does.
        """
        check_vouched(game, self.plays)
        self.game = game
        self.tables = tables
        self.width = columns + SHARED
        initial = game.initial()
        (row,), (total,) = sampling_table([initial], initial.outcomes)
        self._starts = np.array([self.encode(initial.outcomes[k]) for k in row[:total]], dtype=np.int32)
        if not self.possible(np.pad(self._starts, ((0, 0), (0, SHARED))), np.zeros(total, dtype=np.bool_)).all():
            raise NotCompilableError

    @abstractmethod
    def encode(self, state: Any) -> Sequence[int]:
        """The columns of a state in which a turn starts.

        Raises:
            NotCompilableError: they cannot.
        """

    @abstractmethod
    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`."""

    def possible(self, places: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """See `Machine`."""
        turns, acted = places[:, -SHARED], places[:, 1 - SHARED]
        shared = (turns >= 0) & (turns <= self._max_turns) & (acted >= 0) & (acted < 1 << self.game.players)
        return np.asarray(shared & self._fits(places[:, :-SHARED], over))

    @abstractmethod
    def _fits(self, columns: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of the game's own columns, (n, columns), are of games, `over` or not."""

    @property
    def _max_turns(self) -> int:
        return ENDLESS if self.game.max_turns is None else self.game.max_turns

    def bind(self, slots: Slots, seating: Seating, output: StepOutput, *, seat: int | None, same_step: bool) -> Advance:
        """See `Machine`."""
        example = new_returned(1, self.game.codec.size, output.masks.shape[1])
        return bind_arguments(
            engine.step,
            (seat, self._about(same_step=same_step), self.tables, slots, seating.tables, output),
            *(MOVE, np.zeros(1, dtype=np.int64), np.zeros((0, output.masks.shape[1])), *example),
        )

    def bind_alone(
        self, slots: Slots, seating: Seating, output: StepOutput, returned: Returned, *, seat: int
    ) -> Callable[[int, int], int]:
        """The call that plays a single slot, with all arrays bound: see `engine.step_alone`.

        Args:
            slots: where the game stands; changed by each call.
            seating: who plays the other seats, inside compiled code.
            output: filled by each call, as are the first four arrays of `returned`.
            returned: see `output`.
            seat: the learner's, -1 if it is drawn.
        """
        about = self._about(same_step=False)
        chosen, no_answers = np.ones(1, dtype=np.int64), np.zeros((0, self.game.n_actions))
        arguments = (seat, about, self.tables, slots, seating.tables, output, chosen, no_answers, tuple(returned[:4]))
        return bind_arguments(engine.step_alone, arguments, MOVE, 0)

    def _about(self, *, same_step: bool) -> engine.Game:
        game = self.game
        return engine.Game(
            game.players, game.n_actions, self._max_turns, float(game.turn_reward), same_step, self._starts
        )


def check_vouched(game: Game[Any], plays: type[Game[Any]]) -> None:
    """Raises NotCompilableError unless `game` is an instance of `plays` that replaces no rules but those in
    `_ASKED`.
    """
    if not isinstance(game, plays):
        raise NotCompilableError
    if {*overridden(type(game), plays), *overridden_in_object(game, plays)} - _ASKED:
        raise NotCompilableError


def check_features(game: Game[Any], tables: Sequence[NDArray[np.floating]]) -> None:
    """Raises NotCompilableError unless the first features of observations are these: compiled code writes them."""
    own = [feature.table for feature in game.codec.features[: len(tables)]]
    if len(own) != len(tables) or not all(map(np.array_equal, own, tables)):
        raise NotCompilableError
