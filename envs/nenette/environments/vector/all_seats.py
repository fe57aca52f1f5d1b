"""Turn masking: native vector environments in which every seat of every game is a slot."""

from collections.abc import Mapping
from typing import Any, NoReturn, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from nenette.environments.options import Seeds, checked_range
from nenette.environments.vector.batch import Advance, Batch, Given, Machine
from nenette.environments.vector.env import TurnBasedVectorEnv

__all__ = ["AllSeatsVectorEnv", "SeatsMachine"]


class SeatsMachine(Machine, Protocol):
    """A game's compiled form in which every seat acts; `width` numbers tell where a game stands."""

    def bind_seats(self, batch: Batch, given: Given, *, same_step: bool) -> Advance:
        """The compiled call, for these arrays; its phases are RESET and MOVE.

        Args:
            batch: where everything stands, `places`, `status` and `words` having a row a game; changed by each call.
            given: filled by each call; masks have *pass* as their last action.
            same_step: whether a game that is over begins again in the same step.
        """
        ...


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
        machine: SeatsMachine,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
    ) -> None:
        """Slots in which nothing has begun.

        Args:
            machine: the game's compiled form.
            num_envs: slots: games times players.
            autoreset_mode: NEXT_STEP, SAME_STEP or DISABLED, or their values.
            copy: whether arrays that a step returns are the caller's to keep; else the next step overwrites them.
            max_episode_steps: after how many steps a game is truncated in all of its slots.

        Raises:
            ValueError: an option has a value that it cannot have.
        """
        game = machine.game
        num_envs = checked_range("num_envs", num_envs, 1)
        if num_envs % game.players:
            raise ValueError(
                f"with seats='all' num_envs counts slots, one for each seat of a game, so it is a multiple of "
                f"{game.players}, the number of players, not {num_envs}"
            )
        self.players = game.players
        self.passes = game.n_actions
        super().__init__(
            machine, num_envs, autoreset_mode=autoreset_mode, copy=copy, max_episode_steps=max_episode_steps
        )
        self._seats_machine = machine
        self.single_action_space = spaces.Discrete(game.n_actions + 1)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._batch = Batch.of(num_envs // game.players, machine.width)
        self._batch.seats = np.arange(num_envs, dtype=np.int64) % game.players

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
            ValueError: a seed that is none, a list of another length, or a mask of another shape or one that splits a
                game. Nothing changes then.
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
        self._give(Given.of(self.num_envs, self.game, same_step=self._same_step, outside=False, passes=True))

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

    def _bound(self) -> Advance:
        return self._seats_machine.bind_seats(self._batch, self._given, same_step=self._same_step)

    def _infos(self, given: Given) -> dict[str, Any]:
        ended = int(given.counts[0])
        given.final_seats[:ended] = given.final_slots[:ended] % self.players
        return super()._infos(given)
