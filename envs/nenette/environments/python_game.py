"""How an episode runs, decided here once for all games.

Who moves when, which throws are played without asking, what a step is worth and where a game is cut: in Python, to be
read. What compiled code plays is held against it.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nenette.environments.accounts import Account, make_account
from nenette.environments.opponents import Opponent
from nenette.games import Game

__all__ = ["PythonGame", "nearest_legal"]

Observation = NDArray[np.float32]
Info = dict[str, Any]


class PythonGame:
    """One game after another, as `TurnBasedEnv` describes them.

    Attributes:
        opponents: who plays the other seats, in turn order after the learner's.
        generator: where random numbers come from; None before there is a game.
        state: of the game; None before there is one.
        seat: the learner's.
        turns: how many are complete, of all players together.
        over: whether there is no game, or it is over.
    """

    def __init__(self, game: Game[Any], seat: int | Literal["random"], *, tells: bool) -> None:
        """A table at which nothing has begun.

        Args:
            game: what is played.
            seat: the learner's, or "random".
            tells: whether an account is kept of what happens.
        """
        self.opponents: tuple[Opponent, ...] = ()
        self.generator: Any = None
        self.state: Any = None
        self.seat = 0
        self.turns = 0
        self.over = True
        self._game = game
        self._seat_asked = seat
        self._tells = tells
        self._everything = tuple(range(game.n_actions))
        self._masks: dict[tuple[int, ...], NDArray[np.int8]] = {}
        self._returns: tuple[float, ...] | None = None
        self._account: Account | None = None
        self._told: list[str] = []

    def begin(self, generator: np.random.Generator) -> tuple[Observation, Info]:
        """A new game, as `TurnBasedEnv.reset` says."""
        self.generator = generator
        asked = self._seat_asked
        self.seat = int(generator.integers(self._game.players)) if asked == "random" else asked
        self.state = self._game.initial().sample(generator)
        self.turns = 0
        self._settle()
        self._open_account()
        if self._account is not None:
            self._told += self._account.start(self.state)
        while self.over or self._game.seat(self.state) != self.seat:
            if self.over:  # before the learner has had a move: so no game of the package can end
                return self.begin(generator)
            self._play(self._opponents_action())
        return self.look()

    def resume(self, generator: Any, state: Any, seat: int, turns: int, told: Sequence[str] = ()) -> None:
        """Takes up a game in its midst."""
        self.generator, self.state, self.seat, self.turns = generator, state, seat, turns
        self._settle()
        self._open_account()
        self._told = list(told)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """Plays an action of the action space, as `TurnBasedEnv.step` says, in a game that is not over."""
        self._told.clear()
        legal = self._game.legal_actions(self.state)
        played = action if action in legal else nearest_legal(action, legal)
        reward = self._play(played)
        while not self.over:
            if self._game.seat(self.state) != self.seat:
                self._play(self._opponents_action())
                continue
            legal = self._game.legal_actions(self.state)
            if len(legal) > 1:
                break
            reward += self._play(legal[0])
        if self._returns is not None:
            reward += self._returns[self.seat]
        observation, info = self.look()
        if played != action:
            info["illegal_action"] = True
        return observation, reward, self._returns is not None, self._cut, info

    def look(self) -> tuple[Observation, Info]:
        """What the learner sees of the game as it stands."""
        observation = self._game.codec.encode_one(self._game.fields(self.state, self.seat))
        return observation, {"action_mask": self.mask(), "seat": self.seat}

    def mask(self) -> NDArray[np.int8]:
        """int8, (n,): the learner's legal actions, a new array; all ones where it is not to move."""
        own_move = self._returns is None and self._game.seat(self.state) == self.seat
        legal = self._game.legal_actions(self.state) if own_move else self._everything
        mask = self._masks.get(legal)
        if mask is None:
            mask = np.zeros(self._game.n_actions, dtype=np.int8)
            mask[list(legal)] = 1
            self._masks[legal] = mask
        return mask.copy()

    def told(self) -> list[str]:
        """What has happened since the learner's last decision, in lines."""
        return list(self._told)

    def table(self) -> list[str]:
        """The table as it stands, in lines; an account is kept, and there is a game."""
        return self._account.table(self.state, cut=self._cut) if self._account is not None else []

    @property
    def _cut(self) -> bool:
        return self.over and self._returns is None

    def _opponents_action(self) -> int:
        legal = self._game.legal_actions(self.state)
        if len(legal) == 1:
            return legal[0]
        opponent = self.opponents[(self._game.seat(self.state) - self.seat - 1) % self._game.players]
        return opponent.act(self.state, legal, self.generator)

    def _play(self, action: int) -> float:
        """Plays one action of whoever is to move; its own reward, the end of the game apart."""
        game, state, rng = self._game, self.state, self.generator
        begins = game.starts_turn(state)
        self.turns += begins
        fallen = game.chance(state, action).sample(rng)
        self.state = game.follow(state, action, fallen).sample(rng)
        self._settle()
        if self._account is not None:
            self._told += self._account.event(state, action, fallen, self.state)
        return game.turn_reward if begins else 0.0

    def _settle(self) -> None:
        """Whether the game is over, by its rules or because all of its turns are used up."""
        game = self._game
        self._returns = game.returns(self.state)
        used_up = game.max_turns is not None and self.turns >= game.max_turns
        self.over = self._returns is not None or (used_up and game.starts_turn(self.state))

    def _open_account(self) -> None:
        self._told = []
        if self._tells:
            names = [opponent.name for opponent in self.opponents]
            self._account = make_account(self._game, self.seat, names)


def nearest_legal(action: int, legal: Sequence[int]) -> int:
    """The legal action that differs from `action` in the fewest bits; the lowest of several."""
    return min(legal, key=lambda other: ((action ^ other).bit_count(), other))
