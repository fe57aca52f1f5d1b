"""The opponents in the environments in which the learner does not play all seats itself."""

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

import nenette
from nenette.games import Game
from nenette.policies.policy import Policy
from nenette_agents.config.opponents import PAST, Assignment
from nenette_agents.environments.side_by_side import SideBySideVecEnv
from nenette_agents.environments.vec_env import NativeVecEnv

__all__ = ["Opponents"]


class Opponents:
    """The opponents of an assignment, loaded, and the environments in which each plays.

    Each environment has an opponent of its own. If more than one seat is not the learner's, the opponents of the
    environments after it follow.

    Attributes:
        first_slot: how many slots come before these environments' slots.
        n_past: how many environments have `past` as their own opponent.
        past_at: int64 (environments, players - 1): which of those `past` is at each seat; -1: another opponent.
    """

    def __init__(self, assignment: Assignment, game: Game[Any]) -> None:
        """Loads them.

        Raises:
            ValueError: one of them cannot be had.
        """
        names = assignment.opponents
        self._loaded = {name: nenette.load_opponent(name, game) for name in dict.fromkeys(names) if name != PAST}
        self._names = names
        self.first_slot = assignment.self_games * game.players
        self.n_past = names.count(PAST)
        number = np.cumsum([name == PAST for name in names], dtype=np.int64) - 1
        number[[name != PAST for name in names]] = -1
        places = np.arange(len(names))[:, None] + np.arange(game.players - 1)
        self._at = places % max(1, len(names))
        self.past_at = number[self._at]

    def of_each(self, past_selves: Sequence[Policy]) -> list[list[Policy]]:
        """The opponents of each environment, if `past_selves` take turns where the opponent is `past`."""
        past = islice(cycle(past_selves), self.n_past)
        each = [next(past) if name == PAST else self._loaded[name] for name in self._names]
        return [[each[place] for place in places] for places in self._at.tolist()]

    def replace_past(self, environments: VecEnv, past_selves: Sequence[Policy]) -> None:
        """Lets `past_selves` play wherever in these environments the opponent is `past`, from their next move on."""
        inside = environments.unwrapped
        native = inside.parts[-1] if isinstance(inside, SideBySideVecEnv) else inside
        assert isinstance(native, NativeVecEnv)
        native.env.set_opponents(of_each=self.of_each(past_selves))
