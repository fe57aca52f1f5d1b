"""A game that several agents play: whose step is next, which throws need none, where it ends and what there is to tell.

Both forms, AEC and Parallel, seat their agents here.
"""

from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray

from nenette.environments.accounts import Account, make_account
from nenette.environments.turn_based import nearest_legal
from nenette.games import Game
from nenette.games.game import plain

FORCED_THROWS = ("played", "asked")


class Table:
    """A game in progress. It is played step by step; the throws that leave no choice may be played in between.

    Attributes:
        game: the rules and the codec.
        acted: how many steps each seat has taken.
        steps: how many steps all seats have taken.
        returns: each seat's return once the game has ended by its rules; None before, and where it was cut.
        cut: whether the game has been cut: all of its turns are used up and nobody has won.
    """

    def __init__(self, game: Game[Any], *, forced_throws: str, told: bool) -> None:
        self.game = game
        self.acted = [0] * game.players
        self.steps = 0
        self.returns: tuple[float, ...] | None = None
        self.cut = False
        self._plays_forced = forced_throws == "played"
        self._teller: Account | None = None
        if told:
            self._teller = make_account(game, None, [f"player {seat}" for seat in range(game.players)])
        self._lines: list[str] = []
        self._state: Any = None
        self._turns = 0
        self._rng: np.random.Generator | None = None

    @property
    def state(self) -> Any:
        """The game's state.

        Raises:
            ResetNeeded: no game has begun.
        """
        if self._state is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._state

    @property
    def rng(self) -> np.random.Generator:
        """Where everything random comes from; made from the system's entropy if no seed has been given."""
        if self._rng is None:
            self._rng, _ = np_random()
        return self._rng

    @property
    def over(self) -> bool:
        """Whether the game has ended or has been cut."""
        return self.returns is not None or self.cut

    @property
    def mover(self) -> int:
        """The seat whose step is next."""
        return self.game.seat(self.state)

    def reset(self, seed: int | None) -> None:
        """A new game, at the first step of the seat that starts."""
        if seed is not None:
            self._rng, _ = np_random(plain(seed))
        self._state = self.game.initial().sample(self.rng)
        self._turns = self.steps = 0
        self.acted = [0] * self.game.players
        self._settle()
        self._lines = self._teller.start(self._state) if self._teller else []

    def step(self, action: int) -> bool:
        """The mover's action, then all throws that need no step; whether the action was legal as it was given.

        An action that is not legal is replaced by the nearest one that is; *pass*, `game.n_actions`, by the lowest.
        """
        legal = self.game.legal_actions(self.state)
        played = (
            action if action in legal else legal[0] if action == self.game.n_actions else nearest_legal(action, legal)
        )
        self._lines = []
        self.steps += 1
        self.acted[self.mover] += 1
        self._play(played)
        while not self.over and self._plays_forced and self.acted[self.mover]:
            legal = self.game.legal_actions(self._state)
            if len(legal) > 1:
                break
            self._play(legal[0])
        return played == action

    def observe(self, seat: int) -> NDArray[np.float32]:
        """The state as a seat sees it, float32 (size,)."""
        return self.game.codec.encode_one(self.game.fields(self.state, seat))

    def legal_actions(self, seat: int) -> tuple[int, ...]:
        """What a seat may do, or could in a game that was cut; nothing if it is not to move or the game has ended."""
        return () if self.returns is not None or seat != self.mover else self.game.legal_actions(self.state)

    def account(self) -> str:
        """What has happened in the last step, and the table as it stands; empty if nothing is told."""
        if self._teller is None:
            return ""
        return "\n".join([*self._lines, *self._teller.table(self.state, cut=self.cut)]) + "\n"

    def stop(self) -> None:
        """Cuts the game where it stands, unless it has ended."""
        self.cut = self.returns is None

    def _play(self, action: int) -> None:
        game, state = self.game, self._state
        self._turns += game.starts_turn(state)
        fallen = game.chance(state, action).sample(self.rng)
        self._state = game.follow(state, action, fallen).sample(self.rng)
        self._settle()
        if self._teller is not None:
            self._lines += self._teller.event(state, action, fallen, self._state)

    def _settle(self) -> None:
        game = self.game
        self.returns = game.returns(self._state)
        used_up = game.max_turns is not None and self._turns >= game.max_turns
        self.cut = self.returns is None and used_up and game.starts_turn(self._state)
