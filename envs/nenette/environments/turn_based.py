"""Any game as a Gymnasium environment in which one seat learns and the others are played inside.

How an episode runs is decided here, once for all games: who moves when, which throws the environment plays by itself,
what a step is worth, where a game is cut, and how one is copied in the middle.
"""

from collections.abc import Sequence
from operator import index
from typing import Any, ClassVar, Literal, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from nenette.environments.accounts import Account, make_account
from nenette.environments.opponents import OpponentChoice, seat_opponents
from nenette.environments.options import RENDER_MODES, check_max_turns, check_render_mode, check_seat
from nenette.games import Game

Observation = NDArray[np.float32]
Info = dict[str, Any]


class TurnBasedEnv(gymnasium.Env[Observation, np.int64]):
    """One learning seat of a turn-based game.

    `reset` plays up to the learner's first move, `step` plays the learner's action and then everything up to its next
    decision or the end. Throws that leave no choice are played by the environment, but for the learner's first one of
    an episode: so a game that ends without any decision is an episode too, and returns are unbiased.

    Observation: `Box(0, 1, (size,), float32)`, the state as the learner's seat sees it; `game.codec.labels` says what
    each feature means and `game.codec.decode` reads the state back.

    Action: `Discrete(n)`. One that the mask forbids is replaced by the legal action that differs from it in the fewest
    bits, the lowest of several, and `info["illegal_action"]` is then True (else the key is absent).

    Info: `action_mask`, a new int8 array (n,) each time, 1 where an action is legal; all ones where the learner is not
    to move, which happens at the end of an episode only. `seat`, the learner's seat of this episode.

    Reward: the game's return of the learner's seat with the last step, and the game's reward of a turn, if it has one,
    with each turn that the learner starts.

    End: terminated when the game is over, truncated when `max_turns` turns of all players together are complete and it
    is not, even if it is then another seat's move.

    Randomness: dice, seats and the opponents' choices all come from `np_random`, seeded by `reset(seed=...)`.

    Attributes:
        game: the rules, the codec, and `rules_id`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  Gymnasium's own declaration
    env_id: ClassVar[str]

    def __init__(
        self,
        game: Game[Any],
        *,
        opponents: OpponentChoice | Sequence[OpponentChoice] = (),
        seat: int | Literal["random"] = 0,
        render_mode: str | None = None,
    ) -> None:
        check_seat(seat, game.players)
        check_render_mode(render_mode)
        check_max_turns(game.max_turns, game.players)
        self.game = game
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (game.codec.size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(game.n_actions)
        self._seat_asked = seat
        self._seat = 0
        self.set_opponents(opponents)
        self._everything = tuple(range(game.n_actions))
        self._masks: dict[tuple[int, ...], NDArray[np.int8]] = {}
        self._state: Any = None
        self._turns = 0
        self._returns: tuple[float, ...] | None = None
        self._over = True
        self._account: Account | None = None
        self._told: list[str] = []

    def set_opponents(self, opponents: OpponentChoice | Sequence[OpponentChoice]) -> None:
        """Seats other opponents, from their next move on; what may be given is what the constructor takes.

        Raises:
            ValueError: one sentence, as from the constructor.
        """
        self._opponents = seat_opponents(self.game, opponents) if self.game.players > 1 else ()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """A new game, played up to the learner's first move, which may be a throw without a choice.

        Args:
            seed: seeds everything random that follows.
            options: none are used.
        """
        super().reset(seed=seed)
        rng = self.np_random
        asked = self._seat_asked
        self._seat = int(rng.integers(self.game.players)) if asked == "random" else asked
        self._state = self.game.initial().sample(rng)
        self._turns = 0
        self._settle()
        self._open_account()
        if self._account is not None:
            self._told += self._account.start(self._state)
        while self.game.seat(self._state) != self._seat:
            self._play(self._opponents_action())
        return self._observe()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, Info]:
        """Plays the learner's action, then all that happens until its next decision or the end.

        Raises:
            ResetNeeded: there is no game, or it is over.
            ValueError: the action is outside of the action space.
        """
        if self._over:
            raise ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        chosen = self._number(action)
        self._told.clear()
        legal = self.game.legal_actions(self._state)
        played = chosen if chosen in legal else nearest_legal(chosen, legal)
        reward = self._play(played)
        while not self._over:
            if self.game.seat(self._state) != self._seat:
                self._play(self._opponents_action())
                continue
            legal = self.game.legal_actions(self._state)
            if len(legal) > 1:
                break
            reward += self._play(legal[0])
        if self._returns is not None:
            reward += self._returns[self._seat]
        observation, info = self._observe()
        if played != chosen:
            info["illegal_action"] = True
        return observation, reward, self._returns is not None, self._cut, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Where `info["action_mask"]` is 1, as sb3-contrib asks for it: a new bool array (n,).

        Raises:
            ResetNeeded: no episode has begun.
        """
        return self._mask().astype(np.bool_)

    def render(self) -> str | None:
        """With `render_mode="ansi"`, what has happened since the learner's last decision, and the table as it stands.

        Raises:
            ResetNeeded: no episode has begun.
        """
        if self._account is None:
            if self.render_mode is None:
                gymnasium.logger.warn('render() shows nothing unless the environment is made with render_mode="ansi"')
                return None
            raise ResetNeeded("there is nothing to show yet: call reset() before render()")
        return "\n".join([*self._told, *self._account.table(self._state, cut=self._cut)]) + "\n"

    def snapshot(self) -> dict[str, Any]:
        """The episode as it stands, its random numbers included: a dictionary that JSON can write.

        Raises:
            ResetNeeded: no episode has begun.
        """
        if self._state is None:
            raise ResetNeeded("there is no episode to take a snapshot of: call reset() first")
        return {
            "game": self.game.name,
            "rules_id": self.game.rules_id,
            "fields": list(self.game.fields(self._state, 0)),
            "seat": self._seat,
            "turns": self._turns,
            "account": list(self._told),
            "rng": self.np_random.bit_generator.state,
        }

    def restore(self, snapshot: dict[str, Any]) -> tuple[Observation, Info]:
        """Takes up the episode of a snapshot, which continues as it would have; returns what the learner sees.

        Raises:
            ValueError: the snapshot is of another game or of other rules.
        """
        if snapshot.get("rules_id") != self.game.rules_id:
            raise ValueError(
                f"the snapshot is of {snapshot.get('game')!r} with rules {snapshot.get('rules_id')!r}, "
                f"this environment plays {self.game.name!r} with rules {self.game.rules_id!r}"
            )
        self._state = self.game.state(snapshot["fields"])
        self._seat = snapshot["seat"]
        self._turns = snapshot["turns"]
        self.np_random.bit_generator.state = snapshot["rng"]
        self._settle()
        self._open_account()
        self._told = list(snapshot["account"])
        return self._observe()

    def _number(self, action: SupportsIndex) -> int:
        try:
            number = index(action)
        except TypeError:
            number = -1
        if 0 <= number < self.game.n_actions:
            return number
        raise ValueError(f"an action is an integer from 0 to {self.game.n_actions - 1}, not {action!r}")

    @property
    def _cut(self) -> bool:
        return self._over and self._returns is None

    def _opponents_action(self) -> int:
        legal = self.game.legal_actions(self._state)
        if len(legal) == 1:
            return legal[0]
        opponent = self._opponents[(self.game.seat(self._state) - self._seat - 1) % self.game.players]
        return opponent.act(self._state, legal, self.np_random)

    def _play(self, action: int) -> float:
        """Plays one action of whoever is to move; its own reward, the end of the game apart."""
        game, state, rng = self.game, self._state, self.np_random
        begins = game.starts_turn(state)
        self._turns += begins
        fallen = game.chance(state, action).sample(rng)
        self._state = game.follow(state, action, fallen).sample(rng)
        self._settle()
        if self._account is not None:
            self._told += self._account.event(state, action, fallen, self._state)
        return game.turn_reward if begins else 0.0

    def _settle(self) -> None:
        """Whether the game is over, by its rules or because all of its turns are used up."""
        game = self.game
        self._returns = game.returns(self._state)
        used_up = game.max_turns is not None and self._turns >= game.max_turns
        self._over = self._returns is not None or (used_up and game.starts_turn(self._state))

    def _observe(self) -> tuple[Observation, Info]:
        game = self.game
        observation = game.codec.encode_one(game.fields(self._state, self._seat))
        return observation, {"action_mask": self._mask(), "seat": self._seat}

    def _mask(self) -> NDArray[np.int8]:
        if self._state is None:
            raise ResetNeeded("there is no episode yet: call reset() first")
        own_move = self._returns is None and self.game.seat(self._state) == self._seat
        legal = self.game.legal_actions(self._state) if own_move else self._everything
        mask = self._masks.get(legal)
        if mask is None:
            mask = np.zeros(self.game.n_actions, dtype=np.int8)
            mask[list(legal)] = 1
            self._masks[legal] = mask
        return mask.copy()

    def _open_account(self) -> None:
        self._told = []
        if self.render_mode is not None:
            names = [opponent.name for opponent in self._opponents]
            self._account = make_account(self.game, self._seat, names)


def nearest_legal(action: int, legal: Sequence[int]) -> int:
    """The legal action that differs from `action` in the fewest bits; the lowest of several."""
    return min(legal, key=lambda other: ((action ^ other).bit_count(), other))
