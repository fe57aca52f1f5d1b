"""What plays a game in all slots of a vector environment: a *machine*, compiled or in Python."""

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector import engine
from nenette.environments.vector.seating import Seating
from nenette.environments.vector.slots import ENDLESS, SHARED, Slots, StepOutput
from nenette.games import Game

__all__ = ["Advance", "Machine"]


class Advance(Protocol):
    """A call that plays. Its arguments are the arrays that may be other ones each time, in C order."""

    def __call__(
        self, phase: int, chosen: NDArray[np.int64], answers: NDArray[np.float64], /, *returned: NDArray[Any]
    ) -> bool:
        """Plays, and returns True; or plays nothing and returns False, if an action is outside of the action space.

        Args:
            phase: RESET, MOVE or ANSWER.
            chosen: int64, (n,): with RESET for each slot whether a game begins there, with MOVE the learner's action
                in each, with ANSWER the games whose opponent has answered.
            answers: float64, (n, n_actions): with ANSWER the cumulative probabilities of the opponents' actions.
            returned: a `Returned`, which is filled.
        """
        ...


class Machine(ABC):
    """A game as it is played in slots.

    Attributes:
        game: what is played.
        tables: what the engine's loop asks about the rules: see `compiled_rules`.
        width: how many numbers say where a game stands: columns of `Slots.places`.
        starts: int32, (numbers, columns): where a game starts, for each number that may be drawn.
        n_decisions: in how many states an opponent may have to choose; None: they are not numbered, and opponents are
            asked outside of the machine.
        n_blocks: into how many equal parts the decisions are divided; an opponent often plays several parts alike.
        decisions_id: identifies how decisions are numbered: machines with the same one number them alike.
        decision_fields: names of the fields that distinguish the numbered decisions, where those are too few to tell
            all states apart: only opponents that look at nothing else are written out as tables; None: all fields.
    """

    starts: NDArray[np.int32]
    n_decisions: int | None = None
    n_blocks = 1
    decisions_id = b""
    decision_fields: frozenset[str] | None = None

    def __init__(self, game: Game[Any], tables: Any, columns: int) -> None:
        """What plays `game`; `columns` are the numbers that say where it stands, besides those of every game."""
        self.game = game
        self.tables = tables
        self.width = columns + SHARED
        self.starts = np.zeros((0, columns), dtype=np.int32)

    @abstractmethod
    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Fields, (n, fields), as their mover sees them, and masks, (n, n_actions), of these decisions."""

    def possible(self, places: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows of `places`, (n, width), are states of games, `over` or not, so that all look-ups stay in
        range.
        """
        turns, acted = places[:, -SHARED], places[:, 1 - SHARED]
        shared = (turns >= 0) & (turns <= self._max_turns) & (acted >= 0) & (acted < 1 << self.game.players)
        return np.asarray(shared & self._fits(places[:, :-SHARED], over))

    @abstractmethod
    def _fits(self, columns: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of the game's own columns, (n, columns), are of games, `over` or not."""

    @abstractmethod
    def bind(self, slots: Slots, seating: Seating, output: StepOutput, *, seat: int | None, same_step: bool) -> Advance:
        """The call that plays, for these arrays.

        Args:
            slots: the state of all slots; changed by each call.
            seating: who plays the other seats.
            output: filled by each call.
            seat: the learner's, -1 if it is drawn; None if every seat is a learner's slot. Masks then have *pass* as
                their last action.
            same_step: whether a game that is over begins again in the same step.
        """

    def _arguments(
        self, slots: Slots, seating: Seating, output: StepOutput, seat: int | None, *, same_step: bool
    ) -> tuple[Any, ...]:
        """What `engine.step` wants bound."""
        game, most = self.game, self._max_turns
        about = engine.Game(game.players, game.n_actions, most, float(game.turn_reward), same_step, self.starts)
        return seat, about, self.tables, slots, seating.tables, output

    @property
    def _max_turns(self) -> int:
        return ENDLESS if self.game.max_turns is None else self.game.max_turns
