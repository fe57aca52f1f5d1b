"""Opponents that are frozen copies of the learner."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Masks, Observations, Policy, Probabilities
from nenette_agents.config.mixture import PAST

__all__ = ["FrozenCopy", "PastSelves"]


_KEPT_ODDS = 1 << 16


class FrozenCopy:
    """An opponent whose policy is put in from outside and stays until it is renewed.

    Odds of single observations are kept until then: looking them up is far quicker than asking the network again.

    Attributes:
        name: "past".
    """

    name = PAST

    def __init__(self) -> None:
        self._policy: Policy | None = None
        self._kept: dict[bytes, Probabilities] = {}

    def renew(self, policy: Policy) -> None:
        """From now on this plays as `policy` does."""
        self._policy = policy
        self._kept.clear()

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """The frozen policy's odds.

        Raises:
            RuntimeError: nothing has been put in yet.
        """
        if self._policy is None:
            raise RuntimeError("a frozen copy was asked to play before it was given a policy")
        if len(observations) != 1:
            return self._policy.action_probabilities(observations, masks)
        key = observations.tobytes()
        odds = self._kept.get(key)
        if odds is None:
            if len(self._kept) >= _KEPT_ODDS:
                self._kept.clear()
            odds = self._kept[key] = self._policy.action_probabilities(observations, masks)
        return odds


class PastSelves:
    """The last `copies` policies that the learner had, each seated at some of the parallel environments.

    Attributes:
        opponents: the seats' policies, the same objects throughout the training.
        renewals: how often `renew` was called.
    """

    def __init__(self, copies: int, game: Game[Any]) -> None:
        self._game = game
        self.opponents = [FrozenCopy() for _ in range(copies)]
        self.renewals = 0
        self._kept: deque[Policy] = deque(maxlen=copies)

    def renew(self, policy: Policy) -> None:
        """Takes in the newest policy in place of the oldest; until there are enough, some seats share one."""
        self._kept.append(policy)
        self.renewals += 1
        self._seat()

    def watch(self, dones: NDArray[np.bool_], infos: Sequence[dict[str, Any]]) -> None:
        """Is told of each step of all slots, and takes no notice: the copies take turns, however they do."""

    def _seat(self) -> None:
        for place, opponent in enumerate(self.opponents):
            opponent.renew(self._kept[place % len(self._kept)])

    def state(self) -> dict[str, Any]:
        """The kept policies, the oldest first, all of them networks: their layers, and what else they are made of."""
        networks = [policy for policy in self._kept if isinstance(policy, NetworkPolicy)]
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
            ValueError: the state's policies are none of the game's.
        """
        game = self._game
        self._kept.clear()
        for k, told in enumerate(state["networks"]):
            layers = [(state[f"{k}.{place}.weight"], state[f"{k}.{place}.bias"]) for place in range(told["layers"])]
            made_of = {name: told[name] for name in ("head", "activation", "crossed")}
            self._kept.append(NetworkPolicy(game, layers, name=FrozenCopy.name, **made_of))
        self.renewals = int(state["renewals"])
        self._seat()
