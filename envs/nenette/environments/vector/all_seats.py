"""Turn masking: native vector environments in which every seat of every game is a slot."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from nenette.environments.options import Seeds, checked_range
from nenette.environments.pictures.display import SIZE
from nenette.environments.vector.env import TurnBasedVectorEnv
from nenette.environments.vector.seating import seat_all
from nenette.environments.vector.slots import new_slots
from nenette.games import Game

__all__ = ["AllSeatsVectorEnv"]


class AllSeatsVectorEnv(TurnBasedVectorEnv):
    """Many games side by side, every seat of them a slot: slot `g * players + s` is seat s of game g.

    All slots act at every step, and only the seat whose move it is decides. There is one action more than the game has,
    the last: *pass*, the only legal one of everybody else. A seat that is to move cannot pass. So one policy learns
    from all seats with learners that know masks; what it sees at a pass is nothing to learn from.

    Everything else is as in `TurnBasedVectorEnv`, and:

    Observations: the state as each slot's seat sees it, whoever is to move.

    Rewards: a game's end pays every seat in the step in which it happens, whoever causes it; all seats of the game are
    then terminated, or truncated, together.

    Actions that are not legal are replaced and reported (`illegal_action`): whatever a seat does that is not to move,
    by *pass*; a *pass* of the one that is, by its lowest legal action; others as in the single environment.

    Forced throws are played by the environment, but for each seat's first one of a game. So every seat has a step of
    its own in every game, and given the same random numbers it meets the states, masks and rewards that the single
    environment shows it with the same players at the other seats.

    Masks at an end: where a game has ended by its rules, all seats have *pass* only; where it was cut, the seat whose
    move it would be has the mask of that move.

    Randomness: each game has its own stream, which depends on the seed and the game's number alone.

    Attributes:
        players: seats of a game.
        passes: the number of the action *pass*.
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
    ) -> None:
        """Slots in which nothing has begun.

        Args:
            game: what is played; see `TurnBasedVectorEnv`.
            num_envs: slots: games times players.
            autoreset_mode: NEXT_STEP, SAME_STEP or DISABLED, or their values.
            copy: whether arrays that a step returns are the caller's to keep; else the next step overwrites them.
            max_episode_steps: after how many steps a game is truncated in all of its slots.
            render_mode: None, "ansi", "rgb_array" or "human": see `render`.
            render_size: width and height in pixels of a table's picture, and of the window.

        Raises:
            ValueError: an option has a value that it cannot have.
        """
        num_envs = checked_range("num_envs", num_envs, 1)
        if num_envs % game.players:
            raise ValueError(
                f"with seats='all' num_envs counts slots, one for each seat of a game, so it is a multiple of "
                f"{game.players}, the number of players, not {num_envs}"
            )
        self.players = game.players
        self.passes = game.n_actions
        super().__init__(
            game,
            num_envs,
            autoreset_mode=autoreset_mode,
            copy=copy,
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            render_size=render_size,
        )
        self._seat = None
        self.single_action_space = spaces.Discrete(game.n_actions + 1)
        self.action_space = batch_space(self.single_action_space, num_envs)
        seats = np.arange(num_envs, dtype=np.int64) % game.players
        self._batch = new_slots(num_envs // game.players, self._machine.width, seats)

    def set_opponents(self, *_: Any, **__: Any) -> NoReturn:
        """Refuses: nobody is played inside.

        Raises:
            ValueError: always.
        """
        raise ValueError("with seats='all' every seat is a slot: there are no opponents")

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """New games, each at the first step of the seat that starts.

        Args:
            seed: of all games, each of which makes its own of it; or a list, one of each slot, of which that of its
                seat 0 is a game's (None: its stream goes on, or begins anywhere if it has never been seeded).
            options: "reset_mask", bool (num_envs,): begins new games in these slots only; the same for all seats of a
                game.

        Raises:
            ValueError: a seed that is no integer of at least 0, a list of another length, or a mask of another shape or
                one that splits a game. Nothing changes then.
            ResetNeeded: in a slot that is not to begin there is no game.
        """
        return super().reset(seed=seed, options=options)

    def load_state(self, state: dict[str, Any]) -> None:
        """The games go on from there, and `action_masks` says what is legal there.

        Raises:
            ValueError: the state is of other slots, or in one there stands no game of these rules.
        """
        seats = state.get("seats") if isinstance(state, Mapping) else None
        if isinstance(seats, np.ndarray) and not np.array_equal(seats, self._batch.seats):
            raise ValueError(f"seats are those of slots other than {self.num_envs // self.players} games'")
        super().load_state(state)

    def _seat_opponents(self, opponents: Any, of_each: Any) -> None:
        self._seating = seat_all(self._machine, [()])
        self._put_out(self.game.n_actions + 1, outside=False)

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.int64]:
        chosen = super()._reset_mask(options)
        games = chosen.reshape(-1, self.players)
        split = np.flatnonzero(games.min(axis=1) != games.max(axis=1))
        if len(split):
            first = int(split[0]) * self.players
            raise ValueError(
                f"reset_mask is the same for all seats of a game, and slots {first} to {first + self.players - 1}, "
                f"which are one, have {games[split[0]].astype(bool).tolist()}"
            )
        return chosen

    def _status(self) -> NDArray[np.uint8]:
        return np.repeat(self._batch.status, self.players)

    def _of_streams(self, slots: Any) -> Any:
        return slots[:: self.players]
