"""A single game played by compiled code: bit for bit what `TurnBasedEnv` plays in Python, and much more quickly.

It is one slot of the vector environments' machine, which draws from the environment's own numpy Generator. Games
without a compiled machine are played in Python.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nenette.environments.opponents import Opponent
from nenette.environments.vector.compiled_machine import CompiledMachine
from nenette.environments.vector.engine import ILLEGAL, TERMINATED, TRUNCATED
from nenette.environments.vector.generators import address_of
from nenette.environments.vector.machines import compiled_machine
from nenette.environments.vector.seating import Seating, seat_all
from nenette.environments.vector.slots import MOVE, RESET, SHARED, new_output, new_returned, new_slots
from nenette.games import Game

__all__ = ["CompiledGame", "compiled"]


class CompiledGame:
    """One game after another.

    Attributes:
        generator: where its random numbers come from, set by `begin`.
        over: whether there is no game, or it is over.
    """

    def __init__(self, machine: CompiledMachine, seating: Seating, seat: int | Literal["random"]) -> None:
        """A game that has not begun.

        Args:
            machine: the game's compiled form.
            seating: who plays the other seats, inside compiled code.
            seat: the learner's, or "random".
        """
        self.generator: np.random.Generator | None = None
        self.over = True
        self._game = game = machine.game
        size, n = game.codec.size, game.n_actions
        slots = new_slots(1, machine.width, np.zeros(1, dtype=np.int64))
        self._slots = slots = slots._replace(words=np.zeros((1, 2), dtype=np.int64))
        output = new_output(1, size, n, same_step=False, outside=False)
        returned = new_returned(1, size, n)
        play = machine.bind_alone(slots, seating, output, returned, seat=-1 if seat == "random" else seat)
        self._play = partial(play, MOVE)
        self._begin = partial(play, RESET, 1)
        self._reward: NDArray[np.float64] = returned.rewards
        self._observation: NDArray[np.float32] = returned.observations[0]
        self._mask: NDArray[np.int8] = output.masks[0]
        self._seats: NDArray[np.int64] = slots.seats

    def begin(self, generator: np.random.Generator) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game, as `TurnBasedEnv.reset` says."""
        if generator is not self.generator:
            self.generator = generator
            self._slots.words[0, 0] = address_of(generator)
        self._begin()
        self.over = False
        return self._observation.copy(), {"action_mask": self._mask.copy(), "seat": self.seat}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays an action of the action space, as `TurnBasedEnv.step` says, in a game that is not over."""
        bits = self._play(action)
        info = {"action_mask": self._mask.copy(), "seat": self._seats.item()}
        if bits & ILLEGAL:
            info["illegal_action"] = True
        terminated, truncated = bits & TERMINATED != 0, bits & TRUNCATED != 0
        self.over = terminated or truncated
        return self._observation.copy(), self._reward.item(), terminated, truncated, info

    @property
    def seat(self) -> int:
        """The learner's seat."""
        return self._seats.item()

    @property
    def turns(self) -> int:
        """Turns that are complete, of all players together."""
        return int(self._slots.places[0, -SHARED])

    def mask(self) -> NDArray[np.int8]:
        """int8, (n,): the learner's legal actions, a new array."""
        return self._mask.copy()

    def state(self) -> Any:
        """The game's state, decoded from the observation, from the learner's seat."""
        game = self._game
        seen = game.decode(game.codec.decode(self._observation[None])[0].tolist())
        return game.decode(game.encode(seen, -self.seat % game.players))


def compiled(game: Game[Any], opponents: Sequence[Opponent], seat: int | Literal["random"]) -> CompiledGame | None:
    """The compiled form of this very game; None if there is none, or an opponent cannot be written out as a table."""
    machine = compiled_machine(game)
    if machine is None:
        return None
    try:
        seating = seat_all(machine, [opponents])
    except ValueError:  # probabilities that are no distribution: reported when they are met
        return None
    return None if seating.outside else CompiledGame(machine, seating, seat)
