"""Policies that a person plays by a rule: one action for each situation, worked out once and then looked up."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.policies.policy import Masks, Observations, Probabilities

__all__ = ["RuleOfThumb"]

_CHUNK = 65_536  # rows decoded at a time
_MOST_REMEMBERED = 1 << 17
_MOST_LOOKED_UP = 1 << 15  # whole observations are longer than what a rule looks at


class RuleOfThumb(ABC):
    """A deterministic policy, given as a function of what a player looks at.

    Observations are read back into the game's fields and only the columns that the rule looks at are kept; the rule is
    asked once for each distinct row of them, whatever the size of the batch.

    Attributes:
        name: what tables call it.
        fixed: true: it never changes.
        looks_at: names of the fields (of `game.codec`) that `act` is given; None gives all of them.
    """

    name: str
    fixed = True
    looks_at: tuple[str, ...] | None = None

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        names = game.codec.names
        self._columns = [names.index(name) for name in (names if self.looks_at is None else self.looks_at)]
        # A row of fields and its mask make one integer: the mask's bits, then the fields as digits.
        radix, place = [], 1 << game.n_actions
        for column in self._columns:
            radix.append(place)
            place *= game.codec.features[column].values
        if place > np.iinfo(np.int64).max:
            raise ValueError(f"{game.name} has too many situations for {self.name!r} with these rules")
        self._radix = np.array(radix, dtype=np.int64)
        self._bits = 1 << np.arange(game.n_actions, dtype=np.int64)
        self._remembered: dict[int, int] = {}
        self._looked_up: dict[bytes, int] = {}

    @abstractmethod
    def act(self, seen: Sequence[int], legal: Sequence[int]) -> int:
        """The action in a situation where there is a choice.

        Args:
            seen: values of the fields that the rule looks at, in the order of `looks_at`.
            legal: at least two actions, ascending.

        Returns:
            One of `legal`.
        """

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """Probabilities of each action, all of them 0 or 1; see `Policy`."""
        probabilities = np.zeros((len(observations), self.game.n_actions))
        if len(probabilities) == 1:
            probabilities[0, self._look_up(observations, masks)] = 1
            return probabilities
        for start in range(0, len(probabilities), _CHUNK):
            rows = slice(start, start + _CHUNK)
            actions = self._actions(observations[rows], masks[rows])
            probabilities[np.arange(start, start + len(actions)), actions] = 1
        return probabilities

    def _look_up(self, observations: Observations, masks: Masks) -> int:
        """The action for a single observation: an environment asks that often, and reading it back takes a while."""
        asked = observations.tobytes() + masks.tobytes()
        action = self._looked_up.get(asked)
        if action is None:
            action = int(self._actions(observations, masks)[0])
            if len(self._looked_up) < _MOST_LOOKED_UP:
                self._looked_up[asked] = action
        return action

    def _actions(self, observations: Observations, masks: Masks) -> NDArray[np.int64]:
        fields = self.game.codec.decode(observations)[:, self._columns]
        keys = fields @ self._radix + (masks != 0) @ self._bits
        distinct, first, where = np.unique(keys, return_index=True, return_inverse=True)
        actions = [self._action(int(key), fields[i], masks[i]) for key, i in zip(distinct, first, strict=True)]
        asked: NDArray[np.int64] = np.array(actions, dtype=np.int64)[where]
        return asked

    def _action(self, key: int, fields: NDArray[np.int64], mask: NDArray[np.int8]) -> int:
        action = self._remembered.get(key)
        if action is None:
            legal = np.flatnonzero(mask).tolist()
            action = self.act(fields.tolist(), legal) if len(legal) > 1 else legal[0]
            if len(self._remembered) < _MOST_REMEMBERED:
                self._remembered[key] = action
        return action
