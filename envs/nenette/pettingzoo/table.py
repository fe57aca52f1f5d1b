"""A game that several agents play: whose step is next, which throws need none, where it ends and its account.

Both forms, AEC and Parallel, seat their agents here.
"""

from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray

from nenette.environments.pictures.scene import Event, View
from nenette.games import Game
from nenette.games.checks import plain
from nenette.games.episode import Episode, nearest_legal

FORCED_THROWS = ("played", "asked")


class Table:
    """A game in progress. It is played step by step; the throws that leave no choice may be played in between.

    Attributes:
        game: the rules and the codec.
        acted: how many steps each seat has taken.
        steps: how many steps all seats have taken.
    """

    def __init__(self, game: Game[Any], *, forced_throws: str, keeps: bool) -> None:
        """A table at which nothing has begun; `keeps` says whether what happens is kept for whoever looks at it."""
        self.game = game
        self.acted = [0] * game.players
        self.steps = 0
        self._plays_forced = forced_throws == "played"
        self._keeps = keeps
        self._names = [f"player {seat}" for seat in range(game.players)]
        self._start: Any = None
        self._events: list[Event] = []
        self._begun: Episode[Any] | None = None
        self._rng: np.random.Generator | None = None

    @property
    def _episode(self) -> Episode[Any]:
        if self._begun is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._begun

    @property
    def state(self) -> Any:
        """The game's state.

        Raises:
            ResetNeeded: no game has begun.
        """
        return self._episode.state

    @property
    def returns(self) -> tuple[float, ...] | None:
        """Each seat's return once the game has ended by its rules; None before, and where it was cut."""
        return None if self._begun is None else self._begun.returns

    @property
    def cut(self) -> bool:
        """Whether the game has been cut: all of its turns are used up and nobody has won."""
        return self._begun is not None and self._begun.cut

    @property
    def rng(self) -> np.random.Generator:
        """Where everything random comes from; made from the system's entropy if no seed has been given."""
        if self._rng is None:
            self._rng, _ = np_random()
        return self._rng

    @property
    def over(self) -> bool:
        """Whether the game has ended or has been cut."""
        return self._begun is not None and self._begun.over

    @property
    def mover(self) -> int:
        """The seat whose step is next."""
        return self._episode.mover

    def reset(self, seed: int | None) -> None:
        """A new game, at the first step of the seat that starts."""
        if seed is not None:
            self._rng, _ = np_random(plain(seed))
        self._events = []
        self._begun = Episode(self.game, self.rng, event=self._event)
        self.steps = 0
        self.acted = [0] * self.game.players
        self._start = self.state

    def step(self, action: int) -> bool:
        """The mover's action, then all throws that need no step; whether the action was legal as it was given.

        An action that is not legal is replaced by the nearest one that is; *pass*, `game.n_actions`, by the lowest.
        """
        episode = self._episode
        legal = episode.legal_actions()
        played = legal[0] if action == self.game.n_actions else nearest_legal(action, legal)
        self._start, self._events = None, []
        self.steps += 1
        self.acted[episode.mover] += 1
        episode.play(played)
        while not episode.over and self._plays_forced and self.acted[episode.mover]:
            legal = episode.legal_actions()
            if len(legal) > 1:
                break
            episode.play(legal[0])
        return played == action

    def observe(self, seat: int) -> NDArray[np.float32]:
        """The state as a seat sees it, float32 (size,)."""
        return self.game.codec.encode_one(self.game.encode(self.state, seat))

    def legal_actions(self, seat: int) -> tuple[int, ...]:
        """What a seat may do, or could in a game that was cut; nothing if it is not to move or the game has ended."""
        return () if self.returns is not None or seat != self.mover else self._episode.legal_actions()

    def view(self) -> View:
        """The table as it is to be shown, with what has happened in the last step, if that is kept.

        Raises:
            ResetNeeded: no game has begun.
        """
        start = self._start if self._keeps else None
        return View(self.state, self.cut, None, self._names, start, tuple(self._events))

    def stop(self) -> None:
        """Cuts the game where it stands, unless it has ended."""
        self._episode.stop()

    def _event(self, state: Any, action: int, fallen: Any, after: Any) -> None:
        if self._keeps:
            self._events.append(Event(state, action, fallen, after))
