"""Any game in slots, played by the engine's loop in Python: by the game's own methods, slower than in compiled code."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector import engine
from nenette.environments.vector.machine import Advance, Machine
from nenette.environments.vector.seating import OUTSIDE, Seating
from nenette.environments.vector.slots import ANSWER, MOVE, SHARED, Slots, StepOutput
from nenette.environments.vector.streams import Stream
from nenette.games import Game

__all__ = ["PythonMachine", "PythonRules"]


class PythonRules:
    """The functions of `compiled_rules`, as methods. A position is the game's state, and its columns are
    `game.encode(state, 0)`.
    """

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    def load(self, places: NDArray[np.int32], g: int) -> Any:
        """See `compiled_rules.load`."""
        return self.game.decode(places[g, :-SHARED].tolist())

    def save(self, places: NDArray[np.int32], g: int, state: Any) -> None:
        """See `compiled_rules.save`."""
        places[g, :-SHARED] = self.game.encode(state, 0)

    def begin(self, g: int, s0: Any, s1: Any) -> tuple[Any, Any, Any]:
        """See `compiled_rules.begin`."""
        stream: Any = Stream(s0, s1)
        state = self.game.initial().sample(stream)
        return state, *stream.words

    def play(self, state: Any, action: int, s0: Any, s1: Any) -> tuple[Any, int, Any, Any]:
        """See `compiled_rules.play`."""
        stream: Any = Stream(s0, s1)
        fallen = self.game.chance(state, int(action)).sample(stream)
        after = self.game.follow(state, int(action), fallen).sample(stream)
        self.played(state, int(action), fallen, after)
        return after, 0, *stream.words

    def played(self, state: Any, action: int, fallen: Any, after: Any) -> None:
        """Called after each action; does nothing here."""

    def mover(self, state: Any) -> int:
        """See `compiled_rules.mover`."""
        return self.game.seat(state)

    def legal(self, state: Any) -> int:
        """See `compiled_rules.legal`."""
        return 0 if self.over(state) else sum(1 << action for action in self.game.legal_actions(state))

    def over(self, state: Any) -> bool:
        """See `compiled_rules.over`."""
        return self.game.returns(state) is not None

    def starts_turn(self, state: Any) -> bool:
        """See `compiled_rules.starts_turn`."""
        return self.game.starts_turn(state)

    def payoff(self, state: Any, seat: int) -> float:
        """See `compiled_rules.payoff`."""
        returns = self.game.returns(state)
        assert returns is not None, "the game has ended"
        return returns[seat]

    def observe(self, state: Any, seat: int, row: int, flat: NDArray[np.float32]) -> None:
        """See `compiled_rules.observe`."""
        codec = self.game.codec
        flat[row * codec.size : (row + 1) * codec.size] = codec.encode_one(self.game.encode(state, int(seat)))


class PythonMachine(Machine):
    """A game that is played in Python; all opponents are asked outside of it."""

    def __init__(self, game: Game[Any], rules: PythonRules | None = None) -> None:
        """What plays `game`; `rules` are its own unless others are given."""
        super().__init__(game, rules or PythonRules(game), len(game.codec.features))

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`: they are not numbered."""
        return np.zeros((0, len(self.game.codec.features)), dtype=np.int64), np.zeros((0, self.game.n_actions), np.int8)

    def _fits(self, columns: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The fields are in range and those of a state, and that is over if it should be."""
        return np.array([self._is_state(*each) for each in zip(columns.tolist(), over.tolist(), strict=True)])

    def _is_state(self, fields: list[int], over: bool) -> bool:
        values = [feature.values for feature in self.game.codec.features]
        if not all(0 <= field < most for field, most in zip(fields, values, strict=True)):
            return False
        try:
            state = self.game.decode(fields)
            same = self.game.encode(state, 0) == tuple(fields)
            ended = self.game.returns(state) is not None
        except (ArithmeticError, LookupError, TypeError, ValueError):  # no state has these fields
            return False
        return same and (over or not ended)

    def bind(self, slots: Slots, seating: Seating, output: StepOutput, *, seat: int | None, same_step: bool) -> Advance:
        """See `Machine`."""
        tables = seating.tables
        asked = Seating(tables._replace(kinds=np.full_like(tables.kinds, OUTSIDE)), seating.opponents)
        arguments = self._arguments(slots, asked, output, seat, same_step=same_step)

        def advance(phase: int, chosen: NDArray[np.int64], answers: NDArray[np.float64], /, *returned: Any) -> bool:
            observations, rewards, terminated, truncated, masks, seats = returned
            if phase == MOVE and ((chosen < 0) | (chosen >= output.masks.shape[1])).any():
                return False
            if phase != ANSWER:
                output.counts[:] = 0
            filled = (observations.reshape(-1), rewards, terminated, truncated)
            engine.loop_in_python(phase, chosen, answers, *arguments, filled)
            masks[:], seats[:] = output.masks, slots.seats
            return True

        return advance
