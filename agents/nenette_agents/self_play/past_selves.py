"""The opponents of a learner, and its past selves among them: frozen copies of it."""

from collections import deque
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

import nenette
from nenette.games import Game
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Masks, Observations, Policy, Probabilities
from nenette_agents.config.opponents import PAST, Assignment
from nenette_agents.environments.side_by_side import SideBySideVecEnv
from nenette_agents.environments.vec_env import NativeVecEnv

__all__ = ["FrozenPolicy", "Opponents", "PastSelves"]


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


_MOST_CACHED = 1 << 16


class FrozenPolicy:
    """An opponent whose policy is put in from outside and stays until it is renewed.

    Probabilities of single observations are cached until then: looking them up is far quicker than asking the network.

    Attributes:
        name: "past".
    """

    name = PAST

    def __init__(self) -> None:
        self._policy: Policy | None = None
        self._cache: dict[bytes, Probabilities] = {}

    @property
    def plays(self) -> bool:
        """Whether a policy has been put in."""
        return self._policy is not None

    def renew(self, policy: Policy) -> None:
        """From now on this plays as `policy` does."""
        self._policy = policy
        self._cache.clear()

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """The frozen policy's probabilities.

        Raises:
            RuntimeError: nothing has been put in yet.
        """
        if self._policy is None:
            raise RuntimeError("a frozen copy was asked to play before it was given a policy")
        if len(observations) != 1:
            return self._policy.action_probabilities(observations, masks)
        key = observations.tobytes()
        probabilities = self._cache.get(key)
        if probabilities is None:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            probabilities = self._cache[key] = self._policy.action_probabilities(observations, masks)
        return probabilities


class PastSelves:
    """The last `copies` policies that the learner had, each of them the opponent in some of the environments.

    Attributes:
        policies: what plays there, the same objects throughout the training.
        renewals: how often `renew` was called.
    """

    def __init__(self, copies: int, game: Game[Any]) -> None:
        self._game = game
        self.policies = [FrozenPolicy() for _ in range(copies)]
        self.renewals = 0
        self._copies: deque[Policy] = deque(maxlen=copies)

    def enter(self, environments: VecEnv) -> None:
        """Is given the environments in which the past selves play, once these are made."""

    def renew(self, policy: Policy) -> None:
        """Takes in the newest policy in place of the oldest; until there are enough, one plays in several places."""
        self._copies.append(policy)
        self.renewals += 1
        self._refresh()

    def watch(self, dones: NDArray[np.bool_], infos: Sequence[dict[str, Any]]) -> None:
        """Is given each step of all slots, and does nothing: the copies take turns, however games end."""

    def _refresh(self) -> None:
        for place, opponent in enumerate(self.policies):
            opponent.renew(self._copies[place % len(self._copies)])

    def state(self) -> dict[str, Any]:
        """The kept policies, the oldest first, all of them networks: their layers, and what else they are made of."""
        networks = [policy for policy in self._copies if isinstance(policy, NetworkPolicy)]
        state: dict[str, Any] = {
            "renewals": self.renewals,
            "networks": [
                {"head": n.head, "activation": n.activation, "crossed": n.crossed, "layers": len(n.layers)}
                for n in networks
            ],
        }
        for k, network in enumerate(networks):
            for place, (weight, bias) in enumerate(network.layers):
                state[f"{k}.{place}.weight"], state[f"{k}.{place}.bias"] = weight, bias
        return state

    def load_state(self, state: dict[str, Any]) -> None:
        """Plays as then.

        Raises:
            ValueError: the state's policies do not fit the game.
        """
        game = self._game
        self._copies.clear()
        for k, network in enumerate(state["networks"]):
            layers = [(state[f"{k}.{place}.weight"], state[f"{k}.{place}.bias"]) for place in range(network["layers"])]
            made_of = {name: network[name] for name in ("head", "activation", "crossed")}
            self._copies.append(NetworkPolicy(game, layers, name=FrozenPolicy.name, **made_of))
        self.renewals = int(state["renewals"])
        self._refresh()
