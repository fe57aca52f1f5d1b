"""A learner that begins with the weights of a policy, and what its card says of that."""

from typing import Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from torch import nn

import nenette
from nenette.games import Game
from nenette.policies import BEST_RESPONSE
from nenette.policies.network import NetworkPolicy
from nenette_agents.config import Config
from nenette_agents.export.networks import acting_networks, quantiles_of

__all__ = ["begin_with", "card_of_init"]


def begin_with(learner: BaseAlgorithm, config: Config, game: Game[Any]) -> None:
    """Gives the learner's policy the weights of the config's `init`, whose network is one of the same kind and size.

    The value function of PPO, and the action *pass* where there is one, keep their random weights.

    Raises:
        ValueError: the policy cannot be read, or its network is another.
    """
    policy = nenette.load_opponent(str(config.init), game)
    assert isinstance(policy, NetworkPolicy)  # a checked config's is
    quantiles = quantiles_of(learner.policy)  # which all begin with the mean
    for modules in acting_networks(learner.policy):
        linear = [module for module in modules if isinstance(module, nn.Linear)]
        for module, (weight, bias) in zip(linear, policy.layers, strict=True):
            repeats = quantiles if module is linear[-1] else 1
            with torch.no_grad():
                for mine, theirs in ((module.weight, weight), (module.bias, bias)):
                    parts = mine.view(repeats, -1, *mine.shape[1:])
                    parts[:, : len(bias)].copy_(torch.as_tensor(theirs, dtype=torch.float32))


def card_of_init(config: Config, game: Game[Any]) -> dict[str, Any]:
    """What a card says of the policy that the learner began with: which it is, and how that was made."""
    if config.init is None:
        return {}
    made = getattr(nenette.load_opponent(config.init, game), "card", {})
    name = config.init.removeprefix(BEST_RESPONSE)
    facts = {key: made[key] for key in ("kind", "algorithm", "seed", "steps", "init") if key in made}
    return {"init": {"policy": name, "sha256": config.opponent_hashes.get(name), **facts}}
