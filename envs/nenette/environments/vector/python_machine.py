"""Any game in slots, played in Python: what the engine plays in compiled code, by the game's own rules and slower.

It does what the engine's loop does, as `python_game` does it for a single game. Tests compare them step by step.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.machine import Advance
from nenette.environments.vector.seating import Seating
from nenette.environments.vector.slots import ANSWER, FRESH, MOVE, OVER, PLAYING, RESET, SHARED, Slots, StepOutput
from nenette.environments.vector.streams import Stream
from nenette.games import Game
from nenette.games.episode import Episode, nearest_legal

__all__ = ["PythonMachine", "PythonTable"]


class PythonMachine:
    """See `nenette.environments.vector.machine.Machine`. A game stands in its columns as `game.encode(state, 0)`.

    All opponents are asked outside of it.
    """

    n_decisions: int | None = None
    n_blocks = 1
    decisions_id = b""
    decisions_tell: frozenset[str] | None = None

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.width = len(game.codec.features) + SHARED

    def decisions(self, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """See `Machine`: they are not numbered."""
        return np.zeros((0, self.width - SHARED), dtype=np.int64), np.zeros((0, self.game.n_actions), dtype=np.int8)

    def possible(self, places: NDArray[np.int32], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """See `Machine`: the fields are in range and those of a state, and that is over if it should be."""
        return np.array([self._is_possible(*each) for each in zip(places.tolist(), over.tolist(), strict=True)])

    def _is_possible(self, place: list[int], over: bool) -> bool:
        *fields, turns, acted = place
        values = [feature.values for feature in self.game.codec.features]
        if not all(0 <= field < most for field, most in zip(fields, values, strict=True)):
            return False
        try:
            state = self.game.decode(fields)
            same = self.game.encode(state, 0) == tuple(fields)
            ended = self.game.returns(state) is not None
        except (ArithmeticError, LookupError, TypeError, ValueError):  # no state has these fields
            return False
        return same and (over or not ended) and turns >= 0 and 0 <= acted < 1 << self.game.players

    def bind(self, slots: Slots, seating: Seating, output: StepOutput, *, seat: int | None, same_step: bool) -> Advance:
        """See `Machine`."""
        return PythonTable(self.game, slots, seating, output, seat, same_step).advance


class PythonTable:
    """All games, with the arrays that a call fills."""

    def __init__(
        self,
        game: Game[Any],
        slots: Slots,
        seating: Seating,
        output: StepOutput,
        seat: int | None,
        same_step: bool,
    ) -> None:
        self.game, self.slots, self.output = game, slots, output
        self.seated = seating.tables.seated
        self.seat, self.same_step = seat, same_step
        self.per_game = game.players if seat is None else 1

    def advance(self, phase: int, chosen: NDArray[np.int64], answers: NDArray[np.float64], *returned: Any) -> bool:
        """See `Advance`."""
        n_actions = self.output.masks.shape[1]
        if phase == MOVE and ((chosen < 0) | (chosen >= n_actions)).any():
            return False
        self.observations, self.rewards, self.terminated, self.truncated, masks, seats = returned
        if phase != ANSWER:
            self.output.counts[:] = 0
        self.output.counts[1] = 0
        if phase == ANSWER:
            for k, g in enumerate(chosen.tolist()):
                self._answer(g, answers[k])
        else:
            for g in range(len(self.slots.places)):
                self._begin_or_move(g, phase, chosen)
        masks[:], seats[:] = self.output.masks, self.slots.seats
        return True

    def _own(self, g: int) -> range:
        """The slots of a game."""
        return range(g * self.per_game, (g + 1) * self.per_game)

    def _learners(self, g: int) -> list[int]:
        return [int(self.slots.seats[slot]) for slot in self._own(g)]

    def _begin_or_move(self, g: int, phase: int, chosen: NDArray[np.int64]) -> None:
        own = self._own(g)
        for array in (self.rewards, self.terminated, self.truncated, self.output.illegal):
            array[own.start : own.stop] = 0
        if chosen[own.start] if phase == RESET else self.slots.status[g] == OVER:
            self._play_on(g, self._new_game(g))
        elif phase == RESET:
            self._observe(g, self._episode(g))
        else:
            self._move(g, chosen[own.start : own.stop].tolist())

    def _new_game(self, g: int) -> Episode[Any]:
        rng = Stream(self.slots.words[g])
        if self.seat is not None:
            drawn = self.seat < 0
            self.slots.seats[g] = (
                rng.integers(self.game.players) if drawn and self.game.players > 1 else max(0, self.seat)
            )
        self.slots.places[g, -1] = 0
        self.slots.status[g] = FRESH
        return Episode(self.game, rng, event=self._event(g))

    def _episode(self, g: int) -> Episode[Any]:
        *fields, turns, _ = self.slots.places[g].tolist()
        rng = Stream(self.slots.words[g])
        return Episode(self.game, rng, self.game.decode(fields), turns, event=self._event(g))

    def _event(self, g: int) -> Any:
        """What is called after each action of a game; None: nothing."""
        return None

    def _move(self, g: int, asked: list[int]) -> None:
        """The action of whoever is to move, replaced if it is not legal."""
        episode, own, passes = self._episode(g), self._own(g), self.game.n_actions
        mover, legal = episode.mover, episode.legal_actions()
        for slot, seat, action in zip(own, self._learners(g), asked, strict=True):
            may = legal if seat == mover else (passes,)
            if action not in may:
                self.output.illegal[slot] = True
                self.output.counts[2] += 1
        action = asked[mover] if self.seat is None else asked[0]
        self.slots.places[g, -1] |= 1 << mover
        self.slots.status[g] = PLAYING
        self._play(g, episode, legal[0] if action == passes else nearest_legal(action, legal))
        self._play_on(g, episode)

    def _answer(self, g: int, cumulative: NDArray[np.float64]) -> None:
        episode = self._episode(g)
        x = episode.rng.random() * cumulative[-1]
        self._play(g, episode, int((cumulative[:-1] <= x).sum()))
        self._play_on(g, episode)

    def _play(self, g: int, episode: Episode[Any], action: int) -> None:
        mover = episode.mover
        reward = episode.play(action)
        for slot, seat in zip(self._own(g), self._learners(g), strict=True):
            self.rewards[slot] += reward if seat == mover else 0.0

    def _play_on(self, g: int, episode: Episode[Any]) -> None:
        """Everything up to where a learner is to move, an opponent is to be asked, or the game is over."""
        while True:
            if episode.over and self.seat is not None and self.slots.status[g] == FRESH:
                episode = self._new_game(g)  # over before the learner has had a move
            elif episode.over:
                self._end(g, episode)
                if not self.same_step:
                    break
                episode = self._new_game(g)
            mover, legal = episode.mover, episode.legal_actions()
            mine = mover in self._learners(g)
            asked = mine and not self.slots.places[g, -1] >> mover & 1
            if len(legal) == 1 and not asked:
                self._play(g, episode, legal[0])
            elif mine:
                break
            else:
                self._store(g, episode)
                self._wait(g, episode, legal)
                return
        self._store(g, episode)
        self._observe(g, episode)

    def _store(self, g: int, episode: Episode[Any]) -> None:
        self.slots.places[g, :-1] = (*self.game.encode(episode.state, 0), episode.turns)

    def _wait(self, g: int, episode: Episode[Any], legal: tuple[int, ...]) -> None:
        output, mover = self.output, episode.mover
        row = int(output.counts[1])
        output.counts[1] += 1
        output.waiting[row] = g
        output.waiting_for[row] = self.seated[g, (mover - int(self.slots.seats[g]) - 1) % self.game.players]
        self._write(episode, mover, row, output.waiting_observations)
        output.waiting_masks[row] = [action in legal for action in range(self.game.n_actions)]

    def _end(self, g: int, episode: Episode[Any]) -> None:
        self.slots.status[g] = OVER
        for slot, seat in zip(self._own(g), self._learners(g), strict=True):
            self.terminated[slot], self.truncated[slot] = episode.returns is not None, episode.cut
            if episode.returns is not None:
                self.rewards[slot] += episode.returns[seat]
            if self.same_step:
                row = int(self.output.counts[0])
                self.output.counts[0] += 1
                self.output.final_slots[row], self.output.final_seats[row] = slot, seat
                self._write(episode, seat, row, self.output.final_observations)
                self.output.final_masks[row] = self._mask(episode, seat)

    def _observe(self, g: int, episode: Episode[Any]) -> None:
        flat = self.observations.reshape(-1)
        for slot, seat in zip(self._own(g), self._learners(g), strict=True):
            self._write(episode, seat, slot, flat)
            self.output.masks[slot] = self._mask(episode, seat)

    def _write(self, episode: Episode[Any], seat: int, row: int, flat: NDArray[np.float32]) -> None:
        codec = self.game.codec
        flat[row * codec.size : (row + 1) * codec.size] = codec.encode_one(self.game.encode(episode.state, seat))

    def _mask(self, episode: Episode[Any], seat: int) -> list[bool]:
        """Of a seat that is to move; else everything, or *pass* where there is such an action."""
        every = range(self.output.masks.shape[1])
        if episode.returns is None and episode.mover == seat:
            legal = episode.legal_actions()
            return [action in legal for action in every]
        return [self.seat is not None or action == self.game.n_actions for action in every]
