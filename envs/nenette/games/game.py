"""What every game is: states, legal actions, outcomes with their probabilities, and an end.

Environments, solvers and played matches know a game through this class only; the rules themselves are pure functions in
the game's own module.
"""

import copyreg
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from nenette.games.distribution import Distribution
from nenette.games.observation import Codec
from nenette.games.rules_id import rules_id
from nenette.games.variations import CLASSES, overridden_in_object

S = TypeVar("S")


class Game(ABC, Generic[S]):
    """A stochastic game of one or more seats that move in turn, all of them seeing the whole state.

    Seats are 0 .. players - 1. The game is the same for every seat but for who starts, so a state can be seen from any
    seat's side (`encode`), and one policy serves every seat.

    Attributes:
        name: the game's name on the command line.
        version: raised when the rules, the observations or a rule's default change, so that files made before are
            recognised.
        rules: the rule set, a frozen dataclass; None where the game has none.
        players: number of seats.
        n_actions: actions are 0 .. n_actions - 1.
        turn_reward: reward of each turn, to whoever takes it (0 where only the end counts).
        max_turns: turns of all players together after which a played game is cut (worth 0); None plays to the end.
            The cut is no part of the state: solvers and exact scores are about the game without it.
        codec: layout of the observations.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    rules: Any = None
    players: int
    n_actions: int
    turn_reward: float = 0.0
    max_turns: int | None = None
    codec: Codec

    @abstractmethod
    def initial(self) -> Distribution[S]:
        """The states in which a game may start."""

    @abstractmethod
    def seat(self, state: S) -> int:
        """The seat to move."""

    @abstractmethod
    def legal_actions(self, state: S) -> tuple[int, ...]:
        """Actions of the seat to move, ascending; a single one means there is nothing to decide.

        It is asked only about games that go on, as `chance` and `follow` are; `returns` says whether a game is over.
        """

    @abstractmethod
    def chance(self, state: S, action: int) -> Distribution[Any]:
        """What the dice show when a legal action is taken; `None`, for certain, where no dice are thrown."""

    @abstractmethod
    def follow(self, state: S, action: int, fallen: Any) -> Distribution[S]:
        """The states that may follow once `chance` has drawn `fallen`; only one, unless the rules then draw again."""

    def outcomes(self, state: S, action: int) -> Distribution[S]:
        """The states that a legal action leads to; the solver enumerates them."""
        return self.chance(state, action).then(lambda fallen: self.follow(state, action, fallen))

    def sample(self, state: S, action: int, rng: np.random.Generator) -> S:
        """One of `outcomes`, drawn at random, as games are played."""
        return self.follow(state, action, self.chance(state, action).sample(rng)).sample(rng)

    @abstractmethod
    def returns(self, state: S) -> tuple[float, ...] | None:
        """Each seat's reward at the end of the game, in [-1, 1]; None while the game goes on."""

    @abstractmethod
    def starts_turn(self, state: S) -> bool:
        """Whether the action taken in this state begins a new turn of the seat to move."""

    @abstractmethod
    def encode(self, state: S, seat: int) -> tuple[int, ...]:
        """The state as `seat` sees it, as *fields*: a small integer for each feature of `codec`."""

    @abstractmethod
    def decode(self, fields: Sequence[int]) -> S:
        """The state with these fields, seen from seat 0: the inverse of `encode(state, 0)`."""

    def fields(self, state: S, seat: int) -> tuple[int, ...]:
        """`encode`, by its earlier name."""
        return self.encode(state, seat)

    def state(self, fields: Sequence[int]) -> S:
        """`decode`, by its earlier name."""
        return self.decode(fields)

    def possible(self, state: S) -> bool:
        """Whether a game can stand in this state; it is asked about states that were decoded from anywhere.

        A game can be played to its end from every state that passes. By default all of them do.
        """
        return True

    @cached_property
    def rules_id(self) -> str:
        """A short hash of the game, its version and its rules (but not of where play is cut).

        A policy or a solution that carries another hash is about another game: see `nenette.games.rules_id`.
        """
        return rules_id(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """A registered game is copied and pickled as its class and its rules; a variation, with all that it holds."""
        if CLASSES.get(self.name) is type(self) and not overridden_in_object(self, type(self)):
            return type(self), (self.rules,)
        return copyreg.__newobj__, (type(self),), self.__dict__  # type: ignore[attr-defined] # as object does it

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.rules})"
