"""What the compiled forms of all games share."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector import engine
from nenette.environments.vector.bind import bind_arguments
from nenette.environments.vector.machine import Advance, Machine
from nenette.environments.vector.sampling_tables import NotCompilableError, sampling_table
from nenette.environments.vector.seating import Seating
from nenette.environments.vector.slots import MOVE, SHARED, Returned, Slots, StepOutput, new_returned
from nenette.games import Game
from nenette.games.variations import overridden, overridden_in_object

__all__ = ["CompiledMachine", "check_features"]

_ASKED = frozenset({"name", "version", "rules_id", "turn_reward", "max_turns", "initial"})
"""Attributes that every compiled form reads from the game itself, so a subclass may replace them."""


class CompiledMachine(Machine):
    """A game that compiled code plays: its tables are a named tuple of arrays, made by asking the game.

    Attributes:
        plays: the class of games whose rules its compiled functions are written for.
    """

    plays: ClassVar[type[Game[Any]]]

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
        super().__init__(game, tables, columns)
        initial = game.initial()
        (row,), (total,) = sampling_table([initial], initial.outcomes)
        self.starts = np.array([self.encode(initial.outcomes[k]) for k in row[:total]], dtype=np.int32)
        if not self.possible(np.pad(self.starts, ((0, 0), (0, SHARED))), np.zeros(total, dtype=np.bool_)).all():
            raise NotCompilableError

    @abstractmethod
    def encode(self, state: Any) -> Sequence[int]:
        """The columns of a state in which a turn starts.

        Raises:
            NotCompilableError: they cannot.
        """

    def bind(self, slots: Slots, seating: Seating, output: StepOutput, *, seat: int | None, same_step: bool) -> Advance:
        """See `Machine`."""
        example = new_returned(1, self.game.codec.size, output.masks.shape[1])
        return bind_arguments(
            engine.step,
            self._arguments(slots, seating, output, seat, same_step=same_step),
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
        chosen, no_answers = np.ones(1, dtype=np.int64), np.zeros((0, self.game.n_actions))
        arguments = self._arguments(slots, seating, output, seat, same_step=False)
        return bind_arguments(engine.step_alone, (*arguments, chosen, no_answers, tuple(returned[:4])), MOVE, 0)


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
