"""Any game as a Gymnasium environment in which one seat learns and the others are played inside.

`python_game` decides how an episode runs, and `compiled_game` plays the same more quickly. This module is what
Gymnasium sees.
"""

from collections.abc import Sequence
from copy import copy
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Literal, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from nenette.environments.opponents import OpponentChoice, seat_opponents
from nenette.environments.options import check_max_turns, checked_seat
from nenette.environments.pictures.display import RENDER_FPS, RENDER_MODES, SIZE, Display
from nenette.environments.python_game import Info, Observation, PythonGame
from nenette.environments.snapshots import checked_snapshot
from nenette.games import Game
from nenette.games.checks import plain
from nenette.games.episode import nearest_legal

if TYPE_CHECKING:
    from nenette.environments.compiled_game import CompiledGame

__all__ = ["TurnBasedEnv", "nearest_legal"]


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

    Rendering: "ansi" is a text of what has happened since the learner's last decision, and the table; "rgb_array" is a
    picture of both, uint8 (height, width, 3); "human" shows that in a window at each step, or prints the text
    where there is no pygame-ce or no screen. Rendering does not change what is played.

    Speed: after some thousand steps, the next reset hands over to compiled code, unless the account or a window is
    asked for, a picture has been taken, or there is an opponent that cannot be written out as a table. What is played
    does not depend on it.

    Attributes:
        game: the rules, the codec, and `rules_id`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012  Gymnasium's own declaration
    env_id: ClassVar[str]
    patience: ClassVar[int] = 2000
    """Steps that are played before compiled code is loaded, which takes longer than most of them."""

    def __init__(
        self,
        game: Game[Any],
        *,
        opponents: OpponentChoice | Sequence[OpponentChoice] = (),
        seat: int | Literal["random"] = 0,
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
    ) -> None:
        check_max_turns(game.max_turns, game.players)
        self.game = game
        self._display = Display(game, render_mode, render_size)
        self.render_mode = render_mode
        self.metadata = dict(self.metadata)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (game.codec.size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(game.n_actions)
        self._seat = checked_seat(seat, game.players)
        self._looked_at = render_mode in ("ansi", "human")
        self._steps = 0
        self._python = PythonGame(game, self._seat, keeps=render_mode is not None)
        self._playing: PythonGame | CompiledGame = self._python
        self.set_opponents(opponents)

    def set_opponents(self, opponents: OpponentChoice | Sequence[OpponentChoice]) -> None:
        """Seats other opponents, from their next move on; what may be given is what the constructor takes.

        Raises:
            ValueError: one sentence, as from the constructor.
        """
        seated = seat_opponents(self.game, opponents) if self.game.players > 1 else ()
        self._play_in_python()
        self._opponents = self._python.opponents = seated
        self._compiled: CompiledGame | None = None
        self._compilable = all(opponent.fixed for opponent in seated)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """A new game, played up to the learner's first move, which may be a throw without a choice.

        Args:
            seed: seeds everything random that follows.
            options: none are used.
        """
        super().reset(seed=plain(seed))
        generator = self.np_random
        self._playing = self._compiled_game(generator) or self._python
        started = self._playing.begin(generator)
        if self.render_mode == "human":
            self._show()
        return started

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, Info]:
        """Plays the learner's action, then all that happens until its next decision or the end.

        Raises:
            ResetNeeded: there is no game, or it is over.
            ValueError: the action is outside of the action space.
        """
        playing = self._playing
        if playing.generator is not self._np_random:  # it has been replaced
            playing = self._play_in_python()
        if playing.over:
            raise ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        chosen = self._number(action)
        self._steps += 1
        stepped = playing.step(chosen)
        if self.render_mode == "human":
            self._show()
        return stepped

    def action_masks(self) -> NDArray[np.bool_]:
        """Where `info["action_mask"]` is 1, as sb3-contrib asks for it: a new bool array (n,).

        Raises:
            ResetNeeded: no episode has begun.
        """
        self._check_begun("there is no episode yet: call reset() first")
        return self._playing.mask().astype(np.bool_)

    def render(self) -> str | NDArray[np.uint8] | None:
        """What has happened since the learner's last decision, and the table as it stands.

        As text with `render_mode="ansi"`; with "rgb_array" as a picture, uint8 (height, width, 3), whose size is
        `render_size`. With "human" it has been shown already, at each step.

        Raises:
            ResetNeeded: no episode has begun.
            DependencyNotInstalled: a picture is asked for, and pygame-ce is not there.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                'render() shows nothing unless the environment is made with render_mode="ansi" or "rgb_array"'
            )
            return None
        self._check_begun("there is nothing to show yet: call reset() before render()")
        self._looked_at = True
        return self._display.one(self._play_in_python().view())

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._display.close()

    def snapshot(self) -> dict[str, Any]:
        """The episode as it stands, its random numbers included: a dictionary that JSON can write.

        Raises:
            ResetNeeded: no episode has begun.
        """
        self._check_begun("there is no episode to take a snapshot of: call reset() first")
        game = self._play_in_python()
        return {
            "game": self.game.name,
            "rules_id": self.game.rules_id,
            "fields": list(self.game.encode(game.state, 0)),
            "seat": game.seat,
            "turns": game.turns,
            "account": game.lines(),
            "rng": self.np_random.bit_generator.state,
        }

    def restore(self, snapshot: dict[str, Any]) -> tuple[Observation, Info]:
        """Takes up the episode of a snapshot, which continues as it would have; returns what the learner sees.

        Raises:
            ValueError: the snapshot is of another game or of other rules, or none at all. Nothing changes then.
        """
        bits = self.np_random.bit_generator
        standing = checked_snapshot(snapshot, self.game, bits)
        bits.state = standing.random_stream
        self._playing = self._python
        self._python.resume(self.np_random, standing.state, standing.seat, standing.turns, standing.account)
        return self._python.look()

    def __getstate__(self) -> dict[str, Any]:
        """A copy plays in Python until its next reset."""
        python = self._taken_over(copy(self._python))
        return {**self.__dict__, "_python": python, "_playing": python, "_compiled": None}

    def _show(self) -> None:
        self._display.show([self._python.view()], self.metadata)

    def _check_begun(self, otherwise: str) -> None:
        if self._playing.generator is None:
            raise ResetNeeded(otherwise)

    def _number(self, action: SupportsIndex) -> int:
        try:
            number = index(action)
        except TypeError:
            number = -1
        if 0 <= number < self.game.n_actions:
            return number
        raise ValueError(f"an action is an integer from 0 to {self.game.n_actions - 1}, not {action!r}")

    def _compiled_game(self, generator: np.random.Generator) -> "CompiledGame | None":
        """The compiled game that plays the next episode; None if Python does."""
        if not self._compilable or self._looked_at:
            return None
        if self._steps < self.patience or type(generator) is not np.random.Generator:
            return None
        if self._compiled is None:
            from nenette.environments.compiled_game import compiled

            self._compiled = compiled(self.game, self._opponents, self._seat)
            self._compilable = self._compiled is not None
        return self._compiled

    def _play_in_python(self) -> PythonGame:
        """Plays in Python until the next reset."""
        self._playing = self._taken_over(self._python)
        return self._python

    def _taken_over(self, python: PythonGame) -> PythonGame:
        """`python`, continued from where the game stands, with random numbers from `np_random`."""
        playing = self._playing
        if playing.generator is None:
            return python
        if isinstance(playing, PythonGame):
            python.generator = self._np_random
        else:
            python.resume(self._np_random, playing.state(), playing.seat, playing.turns)
        return python
