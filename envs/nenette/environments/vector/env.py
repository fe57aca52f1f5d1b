"""Any game as a native Gymnasium vector environment."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from nenette.environments.opponents import Opponent, OpponentChoice
from nenette.environments.options import (
    Seeds,
    check_max_turns,
    checked_actions,
    checked_max_episode_steps,
    checked_range,
    checked_reset_mask,
    checked_seat,
    checked_seeds,
)
from nenette.environments.pictures.display import RENDER_FPS, RENDER_MODES, SIZE, Display
from nenette.environments.vector.infos import Infos, infos_of
from nenette.environments.vector.machine import Advance
from nenette.environments.vector.machines import machine_of
from nenette.environments.vector.recycled import Recycled
from nenette.environments.vector.rendering import RenderedTables
from nenette.environments.vector.seating import ask_outside, chosen_for_each, seat_all
from nenette.environments.vector.slots import (
    ANSWER,
    MOVE,
    NEVER,
    OVER,
    RESET,
    Returned,
    new_output,
    new_returned,
    new_slots,
)
from nenette.environments.vector.states import checked_state, load_slots, restored, state_of
from nenette.environments.vector.step_limit import StepLimit, end_in_same_step
from nenette.environments.vector.streams import reseeded
from nenette.games import Game
from nenette.games.checks import check_choice

__all__ = ["TurnBasedVectorEnv"]

Observations = NDArray[np.float32]

T = TypeVar("T")


class TurnBasedVectorEnv(RenderedTables, VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """Many games side by side; what happens in a slot is what `TurnBasedEnv` says of a single one.

    One step of all slots is one compiled call, if there is compiled code that plays the game as it is; else Python
    plays, slower. Opponents that never change and can be written out are played inside of compiled code: all that go by
    a name, and policies with an attribute `fixed` that is true, up to half a million decisions. Others, and those of
    larger games, are asked outside, for all slots that wait for them at once.

    Observations: float32, (num_envs, size). Rewards: float64; terminated and truncated: bool, all (num_envs,).

    Infos: `action_mask`, int8 (num_envs, n); `seat`, int64; `illegal_action`, bool, only in steps in which some action
    was replaced; each with a mask `_action_mask`, ... as Gymnasium has it.

    Autoreset: NEXT_STEP (the default), where a slot whose game is over begins a new one in the next step, whatever its
    action; SAME_STEP, where it does so at once: `final_obs` and `final_info` are then those of the end; or DISABLED,
    where it waits for `reset(options={"reset_mask": ...})`.

    Rendering: see `render`; it changes nothing of what is played.

    Randomness: each slot has its own stream, which depends on the seed and the slot's number alone.

    Attributes:
        game: the rules, the codec, and `rules_id`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  Gymnasium's own declaration
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        *,
        opponents: OpponentChoice | Sequence[OpponentChoice] = (),
        opponents_of_each: Sequence[OpponentChoice | Sequence[OpponentChoice]] | None = None,
        seat: int | Literal["random"] = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
    ) -> None:
        """Slots in which nothing has begun.

        Args:
            game: what is played: by compiled code, if there is any that plays this very game, else in Python, slower.
            num_envs: slots.
            opponents: as in the single environment, the same in every slot.
            opponents_of_each: or the opponents of each slot, num_envs of what `opponents` may be.
            seat: as in the single environment.
            autoreset_mode: NEXT_STEP, SAME_STEP or DISABLED, or their values.
            copy: whether arrays that a step returns are the caller's to keep; else the next step overwrites them.
            max_episode_steps: after how many steps of a slot its episode is truncated, as `gymnasium.make` does it.
            render_mode: None, "ansi", "rgb_array" or "human": see `render`.
            render_size: width and height in pixels of a table's picture, and of the window.

        Raises:
            ValueError: an option has a value that it cannot have.
        """
        num_envs = checked_range("num_envs", num_envs, 1)
        seat = checked_seat(seat, game.players)
        check_max_turns(game.max_turns, game.players)
        limit = checked_max_episode_steps(max_episode_steps)
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        check_choice("autoreset_mode", mode, [known.value for known in AutoresetMode])
        self.game = game
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self._display = Display(game, render_mode, render_size)
        self.copy = copy
        self.single_observation_space = spaces.Box(0.0, 1.0, (game.codec.size,), np.float32)
        self.single_action_space = spaces.Discrete(game.n_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._machine = machine = machine_of(game)
        self._seat: int | None = -1 if seat == "random" else seat
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self._batch = new_slots(num_envs, machine.width, np.zeros(num_envs, dtype=np.int64))
        self._everywhere = np.ones(num_envs, dtype=np.bool_)
        self._everywhere.setflags(write=False)
        self._call: Advance | None = None
        self._opponents: tuple[Opponent, ...] = ()
        self._begun = False
        self._limit = None if limit is None else StepLimit(limit, num_envs)
        self._seat_opponents(opponents, opponents_of_each)

    def set_opponents(
        self,
        opponents: OpponentChoice | Sequence[OpponentChoice] = (),
        *,
        of_each: Sequence[OpponentChoice | Sequence[OpponentChoice]] | None = None,
    ) -> None:
        """Seats other opponents, from their next move on; what may be given is what the constructor takes.

        Raises:
            ValueError: one sentence, as from the constructor.
        """
        self._seat_opponents(opponents, of_each)
        self._look()

    def _seat_opponents(
        self,
        opponents: OpponentChoice | Sequence[OpponentChoice],
        of_each: Sequence[OpponentChoice | Sequence[OpponentChoice]] | None,
    ) -> None:
        game, n = self.game, self.num_envs
        self._seating = seat_all(self._machine, chosen_for_each(game, n, opponents, of_each, self._opponents))
        self._opponents = self._seating.opponents
        self._put_out(game.n_actions, outside=self._seating.outside)

    def _put_out(self, n_actions: int, *, outside: bool) -> None:
        """Makes arrays for all that is to come."""
        n, size = self.num_envs, self.game.codec.size
        self._output = new_output(n, size, n_actions, same_step=self._same_step, outside=outside)
        self._returned = new_returned(n, size, n_actions)
        self._no_answers = np.zeros((0, n_actions))
        self._recycled = tuple(Recycled(array.shape, array.dtype) for array in self._returned)
        self._call = None

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Observations, Infos]:
        """New games, each played up to the learner's first move.

        Args:
            seed: of all slots, each of which makes its own of it; or a list, one of each slot. Where it is None, a
                slot's stream goes on, or begins anywhere if it has never been seeded.
            options: "reset_mask", bool (num_envs,): begins new games in these slots only.

        Raises:
            ValueError: a seed that is no integer of at least 0, a list of another length, or a mask of another shape.
                Nothing changes then.
            ResetNeeded: in a slot that is not to begin there is no game. Nothing changes then.
        """
        chosen = self._reset_mask(options)
        seeds = checked_seeds(seed, self.num_envs)
        if (self._never_began() & (chosen == 0)).any():
            raise ResetNeeded(
                "in a slot that reset_mask leaves out no episode has begun: call reset() without it first"
            )
        if chosen.all():
            self._forget()
        with restored(self._batch, "words"):
            seeds_of_streams = self._of_streams(seeds) if isinstance(seeds, list) else seeds
            self._batch.words[...] = reseeded(self._batch.words, self._of_streams(chosen) != 0, seeds_of_streams)
            returned = self._advance(RESET, chosen)
        self._begun = True
        if isinstance(seeds, int):
            self._np_random_seed = seeds
        if self._limit is not None:
            self._limit.begin(chosen != 0)
        if self.render_mode == "human":
            self._show()
        return returned.observations, self._infos(returned)

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """Plays one action of each slot's learner, then all that happens until its next decision or the end.

        Raises:
            ResetNeeded: no episode has begun; or, with DISABLED, one is over.
            ValueError: the actions are not num_envs integers, or one is outside of the action space.
        """
        self._check_begun()
        numbers = checked_actions(actions, self.num_envs)
        if self.autoreset_mode is AutoresetMode.DISABLED and (over := self._over()).any():
            raise ResetNeeded(
                f"the episode of slot {np.flatnonzero(over)[0]} is over: begin another, "
                'with reset(options={"reset_mask": ...}), before the next step()'
            )
        self._forget()
        returned = self._advance(MOVE, numbers) if self._limit is None else self._limited_step(numbers, self._limit)
        if self.render_mode == "human":
            self._show()
        return *returned[:4], self._infos(returned)

    def action_masks(self) -> NDArray[np.bool_]:
        """Where `action_mask` is 1, for all slots at once: a new bool array (num_envs, n).

        Raises:
            ResetNeeded: no episode has begun.
        """
        self._check_begun()
        return self._output.masks.astype(np.bool_)

    def state(self) -> dict[str, NDArray[Any]]:
        """Where all games stand, and the random streams; opponents have states of their own, if any."""
        steps = {} if self._limit is None else {"steps": self._limit.steps.copy()}
        return state_of(self._batch) | steps

    def load_state(self, state: dict[str, Any]) -> None:
        """The games go on from there, and `action_masks` says what is legal there.

        Raises:
            ValueError: the state is of other slots, or in one there stands no game of these rules.
        """
        batch = checked_state(self._batch, state, self._machine, same_step=self._same_step)
        if self._limit is not None:
            self._limit.load(state.get("steps"))
        load_slots(self._batch, batch)
        self._begun = not self._never_began().any()
        self._look()

    def _look(self) -> None:
        """Makes `action_masks` those of the games as they stand."""
        self._forget()
        if not self._never_began().any():
            self._advance(RESET, np.zeros(self.num_envs, dtype=np.int64))  # no game begins

    def _forget(self) -> None:
        """What is known of the last step, for those who look."""
        if self._watch is not None:
            self._watch.forget()

    def _never_began(self) -> NDArray[np.bool_]:
        return np.asarray(self._status() == NEVER)

    def _check_begun(self) -> None:
        if not self._begun:
            raise ResetNeeded("no episode has begun: call reset() first")

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.int64]:
        """In which slots a reset begins games, as 0 and 1."""
        return checked_reset_mask(options, self.num_envs).astype(np.int64)

    def _of_streams(self, slots: T) -> T:
        """Of what there is for each slot, what there is for each stream."""
        return slots

    def _over(self) -> NDArray[np.bool_]:
        """Whose episode is over and has not begun again."""
        over: NDArray[np.bool_] = self._status() == OVER
        return over if self._limit is None else over | self._limit.reached

    def _status(self) -> NDArray[np.uint8]:
        """Of each slot's game."""
        return self._batch.status

    def _limited_step(self, numbers: NDArray[np.int64], limit: StepLimit) -> Returned:
        over = self._over()
        with restored(self._batch, "status"):
            self._batch.status[self._of_streams(over)] = OVER
            returned = self._advance(MOVE, numbers)
        cut = limit.count(over, returned)
        if self._same_step:
            ended = returned.terminated | returned.truncated
            if cut.any():
                seats = self._batch.seats.copy()
                returned = end_in_same_step(returned, self._output, cut, seats, partial(self._advance, RESET))
            limit.begin(ended)
        return returned

    def _advance(self, phase: int, chosen: NDArray[np.int64]) -> Returned:
        """Everything up to where all learners are to move again or their games are over."""
        if self.render_mode is not None:
            self._watched().note(phase, chosen, self._batch)
        if not len(self._output.waiting):
            return self._played(phase, chosen)
        try:
            with restored(self._batch, "places", "seats", "status", "words"):  # whoever is asked outside may fail
                return self._played(phase, chosen)
        except BaseException:
            self._look()
            raise

    def _played(self, phase: int, chosen: NDArray[np.int64]) -> Returned:
        if self.copy:  # the callers keep what was returned
            observations, rewards, terminated, truncated, masks, seats = self._recycled
            self._returned = Returned(
                observations.take(), rewards.take(), terminated.take(), truncated.take(), masks.take(), seats.take()
            )
        returned, output, call = self._returned, self._output, self._call or self._bound()
        self._call = call
        if not call(phase, chosen, self._no_answers, *returned):
            n_actions = output.masks.shape[1]
            wrong = chosen[(chosen < 0) | (chosen >= n_actions)][0]
            raise ValueError(f"an action is an integer from 0 to {n_actions - 1}, not {wrong}")
        while output.counts.item(1):
            call(ANSWER, *ask_outside(self._seating, output), *returned)
        return returned

    def _bound(self) -> Advance:
        """The call that plays, for the arrays as they are."""
        return self._machine.bind(self._batch, self._seating, self._output, seat=self._seat, same_step=self._same_step)

    def __getstate__(self) -> dict[str, Any]:
        """A copy binds its own arrays."""
        return {**self.__dict__, "_call": None}

    def _infos(self, returned: Returned) -> Infos:
        return infos_of(returned, self._output, self._everywhere)
