"""How an episode of one learner runs, in Python, for all games.

It decides who moves when, which throws are played without asking, which reward a step has and where a game is cut.
Tests compare compiled code with it.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nenette.environments.accounts import make_account
from nenette.environments.opponents import Opponent
from nenette.environments.pictures.scene import Event, View
from nenette.environments.pictures.telling import lines_of
from nenette.games import Game
from nenette.games.episode import Episode, nearest_legal

__all__ = ["PythonGame"]

Observation = NDArray[np.float32]
Info = dict[str, Any]


class PythonGame:
    """One game after another, as `TurnBasedEnv` describes them.

    Attributes:
        opponents: who plays the other seats, in turn order after the learner's.
        seat: the learner's.
    """

    def __init__(self, game: Game[Any], seat: int | Literal["random"], *, keeps: bool) -> None:
        """A game that has not begun.

        Args:
            game: what is played.
            seat: the learner's, or "random".
            keeps: whether events are recorded, so that they can be shown.
        """
        self.opponents: tuple[Opponent, ...] = ()
        self.seat = 0
        self._episode: Episode[Any] | None = None
        self._game = game
        self._seat_asked = seat
        self._keeps = keeps
        self._everything = tuple(range(game.n_actions))
        self._masks: dict[tuple[int, ...], NDArray[np.int8]] = {}
        self._start: Any = None
        self._events: list[Event] = []
        self._lines: tuple[str, ...] = ()

    @property
    def generator(self) -> Any:
        """Where random numbers come from; None before there is a game."""
        return None if self._episode is None else self._episode.rng

    @generator.setter
    def generator(self, generator: Any) -> None:
        self._playing.rng = generator

    @property
    def state(self) -> Any:
        """The game's state; None before a game has begun."""
        return None if self._episode is None else self._episode.state

    @property
    def turns(self) -> int:
        """The number of turns that have been begun, of all players together."""
        return 0 if self._episode is None else self._episode.turns

    @property
    def over(self) -> bool:
        """Whether there is no game, or it is over."""
        return self._episode is None or self._episode.over

    @property
    def _playing(self) -> Episode[Any]:
        assert self._episode is not None, "a game has begun"
        return self._episode

    def begin(self, generator: np.random.Generator) -> tuple[Observation, Info]:
        """A new game, as `TurnBasedEnv.reset` says."""
        asked = self._seat_asked
        self.seat = int(generator.integers(self._game.players)) if asked == "random" else asked
        self._episode = episode = Episode(self._game, generator, event=self._event)
        self._forget()
        self._start = episode.state
        while episode.over or episode.mover != self.seat:
            if episode.over:  # before the learner has had a move: so no game of the package can end
                return self.begin(generator)
            episode.play(self._opponents_action())
        return self.look()

    def resume(self, generator: Any, state: Any, seat: int, turns: int, lines: Sequence[str] = ()) -> None:
        """Continues a game from a state; `lines` say what has happened since the last decision."""
        self.seat = seat
        self._episode = Episode(self._game, generator, state, turns, event=self._event)
        self._forget()
        self._lines = tuple(lines)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """Plays an action of the action space, as `TurnBasedEnv.step` says, in a game that is not over."""
        episode = self._playing
        if self._keeps:
            self._forget()
        played = nearest_legal(action, episode.legal_actions())
        reward = episode.play(played)
        while not episode.over:
            if episode.mover != self.seat:
                episode.play(self._opponents_action())
                continue
            legal = episode.legal_actions()
            if len(legal) > 1:
                break
            reward += episode.play(legal[0])
        if episode.returns is not None:
            reward += episode.returns[self.seat]
        observation, info = self.look()
        if played != action:
            info["illegal_action"] = True
        return observation, reward, episode.returns is not None, episode.cut, info

    def look(self) -> tuple[Observation, Info]:
        """What the learner sees of the game as it stands."""
        observation = self._game.codec.encode_one(self._game.encode(self.state, self.seat))
        return observation, {"action_mask": self.mask(), "seat": self.seat}

    def mask(self) -> NDArray[np.int8]:
        """int8, (n,): the learner's legal actions, a new array; all ones where it is not to move."""
        episode = self._playing
        own_move = episode.returns is None and episode.mover == self.seat
        legal = episode.legal_actions() if own_move else self._everything
        mask = self._masks.get(legal)
        if mask is None:
            mask = np.zeros(self._game.n_actions, dtype=np.int8)
            mask[list(legal)] = 1
            self._masks[legal] = mask
        return mask.copy()

    def view(self) -> View:
        """The table to be shown, with the events since the learner's last decision, if they are recorded."""
        names = [opponent.name for opponent in self.opponents]
        start = self._start if self._keeps else None
        return View(self.state, self._playing.cut, self.seat, names, start, tuple(self._events), self._lines)

    def lines(self) -> list[str]:
        """What has happened since the learner's last decision, in lines; no lines where events are not recorded."""
        view = self.view()
        return lines_of(view, make_account(self._game, view.learner, view.names)) if self._keeps else []

    def __copy__(self) -> "PythonGame":
        """The same game, which goes on by itself."""
        twin = object.__new__(PythonGame)
        twin.__dict__.update(self.__dict__)
        if self._episode is not None:
            twin.resume(self.generator, self.state, self.seat, self.turns, self._lines)
            twin._start, twin._events = self._start, list(self._events)
        return twin

    def _event(self, state: Any, action: int, fallen: Any, after: Any) -> None:
        if self._keeps:
            self._events.append(Event(state, action, fallen, after))

    def _opponents_action(self) -> int:
        episode = self._playing
        legal = episode.legal_actions()
        if len(legal) == 1:
            return legal[0]
        opponent = self.opponents[(episode.mover - self.seat - 1) % self._game.players]
        return opponent.act(episode.state, legal, episode.rng)

    def _forget(self) -> None:
        """Drops the events recorded so far."""
        self._start, self._events, self._lines = None, [], ()
