"""What somebody else's learner gives back, as a policy that can be written down."""

from typing import Any

import torch
from stable_baselines3.dqn.policies import DQNPolicy
from torch import nn

from nenette.games import Game
from nenette.policies.learned import is_learned
from nenette.policies.network import Layer, NetworkPolicy
from nenette_agents.errors import RunError
from nenette_agents.export.networks import (
    MLP_POLICIES,
    activation_of,
    check_modules,
    check_network,
    export_network,
    layer_arrays,
)
from nenette_agents.export.scaling import fold

__all__ = ["network_of"]


def network_of(agent: Any, game: Game[Any], name: str) -> NetworkPolicy:
    """The policy that `nenette.score` makes of an agent, without torch; the weights are copied.

    Args:
        agent: a model of stable-baselines3 or sb3-contrib with an "MlpPolicy", or an `nn.Sequential` of layers.
        game: what it plays; it is known to take observations of the game.
        name: what tables are to call it.

    Raises:
        ValueError: it is something else; one sentence.
    """
    who = f"the agent, an object of {type(agent).__name__},"
    if is_learned(agent):
        return _of_model(agent, game, name, who)
    if type(agent) is not nn.Sequential:
        raise RunError(
            f"{who} cannot be written down; a model of stable-baselines3 with an MlpPolicy, an nn.Sequential of "
            "Linear with Tanh or ReLU between them, a NetworkPolicy and a TablePolicy can"
        )
    modules = list(agent.children())
    check_modules(who, modules)
    if any(module.bias is None or module.weight.dtype != torch.float32 for module in modules[::2]):
        raise RunError(f"{who} cannot be written down: layers with a bias, in float32, were expected")
    *hidden, (weight, bias) = layer_arrays(modules)
    last = weight[: game.n_actions], bias[: game.n_actions]  # nobody who is asked passes
    return NetworkPolicy(game, [*hidden, last], activation=activation_of(modules), head="softmax", name=name)


def _of_model(agent: Any, game: Game[Any], name: str, who: str) -> NetworkPolicy:
    policy = getattr(agent, "policy", agent)
    if not isinstance(policy, MLP_POLICIES):
        raise RunError(
            f"{who} has a {type(policy).__name__}, and the MlpPolicy of PPO, A2C, MaskablePPO or DQN was expected"
        )
    check_network(who, policy)
    passes = int(policy.action_space.n) == game.n_actions + 1  # type: ignore[attr-defined]
    head = "argmax" if isinstance(policy, DQNPolicy) else "softmax"
    network = export_network(policy, game, name, head, passes=passes)
    statistics = agent.get_vec_normalize_env() if hasattr(agent, "get_vec_normalize_env") else None
    if statistics is None or not statistics.norm_obs:
        return network
    if network.crossed is not None:
        raise RunError(f"{who} crosses its inputs ({network.crossed}), which cannot be scaled by VecNormalize")
    layers: list[Layer] = fold(statistics, list(network.layers), game)
    return NetworkPolicy(game, layers, activation=network.activation, head=head, name=name)
