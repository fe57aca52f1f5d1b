"""A single game played by compiled code: bit for bit what `TurnBasedEnv` plays in Python, and much quicker.

It is one slot of the vector environments' machine, which draws from the environment's own numpy Generator. Where there
is no machine for what is asked, there is no compiled game, and Python plays on.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nenette.environments.opponents import Opponent
from nenette.environments.vector.batch import MOVE, RESET, Batch, Given, Machine, NotCompiledError
from nenette.environments.vector.demi_iles import DemiIlesMachine
from nenette.environments.vector.generators import address_of
from nenette.environments.vector.quatre21 import Quatre21Machine
from nenette.environments.vector.seating import Seating, seat_all
from nenette.environments.vector.solo import DemiIlesSoloMachine
from nenette.games import Game, spec_of
from nenette.games.identity import SameGame

__all__ = ["CompiledGame", "compiled"]

_MACHINES: dict[str, Any] = {
    "demi-iles-solo": DemiIlesSoloMachine,
    "demi-iles": DemiIlesMachine,
    "421": Quatre21Machine,
}


class CompiledGame:
    """One game after another.

    Attributes:
        generator: where its random numbers come from, set by `begin`.
        over: whether there is no game, or it is over.
    """

    def __init__(self, machine: Machine, seating: Seating, seat: int | Literal["random"]) -> None:
        """A table at which nothing has begun.

        Args:
            machine: the game's compiled form.
            seating: who plays the other seats, inside compiled code.
            seat: the learner's, or "random".
        """
        self.generator: np.random.Generator | None = None
        self.over = True
        self._game = machine.game
        self._batch = batch = Batch.of(1, machine.width)
        batch.words = np.zeros((1, 2), dtype=np.int64)
        self._given = given = Given.of(1, machine.game, same_step=False, outside=False)
        advance = machine.bind(batch, seating, given, seat=-1 if seat == "random" else seat, same_step=False)
        self._action = np.ones(1, dtype=np.int64)
        no_answers = np.zeros((0, machine.game.n_actions))
        self._play = partial(advance, MOVE, self._action, no_answers, *given.told)
        self._begin = partial(advance, RESET, np.ones(1, dtype=np.int64), no_answers, *given.told)
        self._observation: NDArray[np.float32] = given.observations[0]
        self._mask: NDArray[np.int8] = given.masks[0]

    def begin(self, generator: np.random.Generator) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game, as `TurnBasedEnv.reset` says."""
        if generator is not self.generator:
            self.generator = generator
            self._batch.words[0, 0] = address_of(generator)
        self._begin()
        self.over = False
        return self._observation.copy(), {"action_mask": self._mask.copy(), "seat": self.seat}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays an action of the action space, as `TurnBasedEnv.step` says, in a game that is not over."""
        given = self._given
        self._action[0] = action
        self._play()
        terminated, truncated = given.terminated.item(), given.truncated.item()
        self.over = terminated or truncated
        info = {"action_mask": self._mask.copy(), "seat": self._batch.seats.item()}
        if given.illegal.item():
            info["illegal_action"] = True
        return self._observation.copy(), given.rewards.item(), terminated, truncated, info

    @property
    def seat(self) -> int:
        """The learner's."""
        return int(self._batch.seats[0])

    @property
    def turns(self) -> int:
        """Turns that are complete, of all players together."""
        return int(self._batch.places[0, -1])

    def mask(self) -> NDArray[np.int8]:
        """int8, (n,): the learner's, a new array."""
        return self._mask.copy()

    def state(self) -> Any:
        """The game's state, which the observation tells in full, from the learner's seat."""
        game = self._game
        seen = game.state(game.codec.decode(self._observation[None])[0].tolist())
        return game.state(game.fields(seen, -self.seat % game.players))


def compiled(game: Game[Any], opponents: Sequence[Opponent], seat: int | Literal["random"]) -> CompiledGame | None:
    """The compiled form of a game; None if it has none, or if not all opponents can be written out as tables."""
    machine = _machine(SameGame.of(game))
    if machine is None:
        return None
    try:
        seating = seat_all(machine, [opponents])
    except ValueError:  # odds that are none: told when they are met
        return None
    return None if seating.outside else CompiledGame(machine, seating, seat)


@lru_cache(maxsize=16)
def _machine(same: SameGame) -> Machine | None:
    """What plays the game; None for games that it was not made for, variations of ours among them."""
    spec = spec_of(same.game)
    if spec is None or spec.name not in _MACHINES:
        return None
    try:
        machine: Machine = _MACHINES[spec.name](same.game)
    except NotCompiledError:
        return None
    return machine
