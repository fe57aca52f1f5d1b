"""Past selves: opponents that are frozen copies of the learner."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from nenette.games import Game
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Masks, Observations, Policy, Probabilities
from nenette_agents.config.opponents import PAST

__all__ = ["FrozenPolicy", "PastSelves"]

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
