"""Who sits in the environments in which the learner does not play all seats itself."""

from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

import nenette
from nenette.policies.policy import Policy
from nenette_agents.algorithms.turn_ppo import SideBySideVecEnv
from nenette_agents.config.mixture import PAST
from nenette_agents.config.model import Config
from nenette_agents.environments.vec_env import NativeVecEnv

__all__ = ["Seats"]


class Seats:
    """The opponents that a config names, and the environments in which each sits.

    Each environment has a name of its own. If more than one seat is not the learner's, the names of the environments
    after it follow.

    Attributes:
        first: how many slots come before these environments' slots.
        past: in how many environments the own name is `past`.
        past_at: int64 (environments, players - 1): which of those names is at each seat; -1: another name.
    """

    def __init__(self, config: Config) -> None:
        """Loads the opponents.

        Raises:
            ValueError: one of them cannot be had.
        """
        game, mixture = config.make_game(), config.mixture
        names = mixture.named
        self._loaded = {name: nenette.load_opponent(name, game) for name in dict.fromkeys(names) if name != PAST}
        self._names = names
        self.first = mixture.games * game.players
        self.past = names.count(PAST)
        number = np.cumsum([name == PAST for name in names], dtype=np.int64) - 1
        number[[name != PAST for name in names]] = -1
        places = np.arange(len(names))[:, None] + np.arange(game.players - 1)
        self._at = places % max(1, len(names))
        self.past_at = number[self._at]

    def of_each(self, selves: Sequence[Policy]) -> list[list[Policy]]:
        """The opponents of each environment, if `selves` take turns where the name is `past`."""
        past = islice(cycle(selves), self.past)
        each = [next(past) if name == PAST else self._loaded[name] for name in self._names]
        return [[each[place] for place in places] for places in self._at.tolist()]

    def seat(self, environments: VecEnv, selves: Sequence[Policy]) -> None:
        """Lets `selves` sit wherever in these environments the name is `past`, from their next move on."""
        inside = environments.unwrapped
        native = inside.parts[-1] if isinstance(inside, SideBySideVecEnv) else inside
        assert isinstance(native, NativeVecEnv)
        native.env.set_opponents(of_each=self.of_each(selves))
