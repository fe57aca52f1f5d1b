"""From torch to NumPy: policies that play without what trained them."""

from typing import Any

import numpy as np
import torch
from gymnasium import Space
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, FlattenExtractor
from stable_baselines3.common.vec_env import VecNormalize
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import nn

from nenette.games import Game
from nenette.policies.inputs import Crossing
from nenette.policies.learned import is_learned
from nenette.policies.network import Layer, NetworkPolicy
from nenette_agents.errors import RunError, shown

__all__ = [
    "ACTIVATIONS",
    "MLP_POLICIES",
    "ChosenInputs",
    "CrossedInputs",
    "acting_networks",
    "activation_of",
    "check_modules",
    "check_network",
    "export_network",
    "export_policy",
    "features_extractor",
    "fold",
    "layer_arrays",
    "network_modules",
    "network_of",
    "quantiles_of",
]


class CrossedInputs(BaseFeaturesExtractor):
    """One field of the observation crossed with all the rest.

    Attributes:
        field: the field's name.
    """

    def __init__(self, observation_space: Space[NDArray[np.float32]], crossing: Crossing) -> None:
        super().__init__(observation_space, crossing.size)
        self.field = crossing.field
        self._block = slice(crossing.start, crossing.stop)
        # No parameters, and no part of what is kept of a network.
        self._rest = torch.from_numpy(crossing.rest)
        self._bits = torch.from_numpy(crossing.bits)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Crossed inputs, float32 (n, crossing.size), of observations (n, codec.size)."""
        values, others = observations[:, self._block], observations[:, self._rest]
        others = torch.where(self._bits, 1 - others, others)
        products = values.unsqueeze(2) * others.unsqueeze(1)
        return torch.cat([observations, products.flatten(1)], dim=1)


class ChosenInputs(BaseFeaturesExtractor):
    """Some features of the observation; the others are 0, whatever is observed.

    Attributes:
        seen: bool, (size,), numpy: which are looked at.
    """

    def __init__(self, observation_space: Space[NDArray[np.float32]], seen: NDArray[np.bool_]) -> None:
        super().__init__(observation_space, len(seen))
        self.seen = seen
        self._factors = torch.from_numpy(seen.astype(np.float32))  # no parameter, and no part of what is kept

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The features that are looked at, float32 (n, size), of observations (n, size)."""
        return observations * self._factors


ACTIVATIONS: dict[type[nn.Module], str] = {nn.Tanh: "tanh", nn.ReLU: "relu"}


MLP_POLICIES: tuple[type[BasePolicy], ...] = (ActorCriticPolicy, MaskableActorCriticPolicy, DQNPolicy)
"""Of PPO (and A2C), masked PPO and DQN, when they were made with "MlpPolicy"."""


def export_policy(
    model: BaseAlgorithm, game: Game[Any], name: str, head: str, *, temperature: float = 1.0
) -> NetworkPolicy:
    """The learner's policy as it is now, without the actions that a mask forbids and without *pass*, if it has that.

    The weights are copied: training on changes nothing in what was exported.

    Args:
        model: PPO, masked PPO or DQN with a multi-layer perceptron.
        game: what it plays.
        name: what tables are to call it.
        head: "softmax" to draw actions by PPO's probabilities, or Boltzmann's of DQN's values; "argmax" to play PPO's
            likeliest action, or the one that DQN values most.
        temperature: what the network's scores are divided by.

    Raises:
        ValueError: a weight is not finite.
    """
    passes = int(model.action_space.n) == game.n_actions + 1  # type: ignore[attr-defined]
    return export_network(model.policy, game, name, head, passes=passes, temperature=temperature)


def export_network(
    policy: BasePolicy, game: Game[Any], name: str, head: str, *, passes: bool = False, temperature: float = 1.0
) -> NetworkPolicy:
    """As `export_policy`, from the learner's policy alone; with `passes` its last action is *pass*."""
    modules = network_modules(policy)
    *hidden, (weight, bias) = layer_arrays(modules, features_extractor(policy))
    quantiles = quantiles_of(policy)
    weight, bias = (part.reshape(quantiles, -1, *part.shape[1:]).mean(axis=0) for part in (weight, bias))
    if passes:
        weight, bias = weight[:-1], bias[:-1]  # nobody who is asked passes
    layers = [*hidden, (weight / np.float32(temperature), bias / np.float32(temperature))]
    return NetworkPolicy(
        game,
        layers,
        activation=activation_of(modules),
        head=head,
        crossed=_crossed(policy),
        name=name,
    )


def layer_arrays(modules: list[nn.Module], extractor: nn.Module | None = None) -> list[Layer]:
    """The layers' weights and biases, copied; features that `extractor` hides from the first layer have weight 0."""
    layers = [(_array(module.weight), _array(module.bias)) for module in modules if isinstance(module, nn.Linear)]
    if isinstance(extractor, ChosenInputs):
        layers[0][0][:, ~extractor.seen] = 0.0
    return layers


def activation_of(modules: list[nn.Module]) -> str:
    """What stands between layers, as `NetworkPolicy` calls it; "tanh" where there is one layer alone."""
    found = [ACTIVATIONS[type(module)] for module in modules if type(module) in ACTIVATIONS]
    return found[0] if found else "tanh"


def features_extractor(policy: BasePolicy) -> nn.Module:
    """What an observation goes through before the first layer."""
    part: Any = _values_of(policy) if isinstance(policy, DQNPolicy) else policy
    extractor: nn.Module = part.features_extractor
    return extractor


def _values_of(policy: DQNPolicy) -> QNetwork:
    """The network of values that is kept: the mean of the weights, where there is one."""
    network: QNetwork = getattr(policy, "q_net_average", policy.q_net)
    return network


def quantiles_of(policy: BasePolicy) -> int:
    """How many outputs there are for each action, whose value is their mean: more than one in QR-DQN."""
    quantiles: int = getattr(_values_of(policy), "n_quantiles", 1) if isinstance(policy, DQNPolicy) else 1
    return quantiles


def _crossed(policy: BasePolicy) -> str | None:
    extractor = features_extractor(policy)
    return extractor.field if isinstance(extractor, CrossedInputs) else None


def network_modules(policy: BasePolicy) -> list[nn.Module]:
    """The layers and what stands between them, from the features to the actions' scores."""
    if isinstance(policy, DQNPolicy):
        return list(_values_of(policy).q_net.children())
    # The actor-critic policies of stable-baselines3 and of sb3-contrib have these parts in common, but no class.
    actor: Any = policy
    return [*actor.mlp_extractor.policy_net.children(), actor.action_net]


def acting_networks(policy: BasePolicy) -> list[list[nn.Module]]:
    """Every network that chooses actions, as `network_modules` has it: DQN has a target, perhaps a mean, besides."""
    if not isinstance(policy, DQNPolicy):
        return [network_modules(policy)]
    found = (getattr(policy, name, None) for name in ("q_net", "q_net_target", "q_net_average"))
    return [list(network.q_net.children()) for network in found if network is not None]


def check_network(who: object, policy: BasePolicy) -> None:
    """Checks that a policy folder can hold the network: linear layers with Tanh, or with ReLU, between them.

    Args:
        who: what has the policy, for the sentence.
        policy: one of `MLP_POLICIES`.

    Raises:
        RunError: it has something else.
    """
    extractor = features_extractor(policy)
    if type(extractor) not in (FlattenExtractor, CrossedInputs, ChosenInputs):
        raise RunError(
            f"{who} looks at observations through {type(extractor).__name__}, and nothing was expected there"
        )
    check_modules(who, network_modules(policy))
    if not all(np.isfinite(_array(parameter)).all() for parameter in policy.parameters()):
        raise RunError(f"{who} has a weight that is not finite")


def check_modules(who: object, modules: list[nn.Module]) -> None:
    """As `check_network`, of the layers and what stands between them.

    Raises:
        RunError: something else is among them.
    """
    layers, between = modules[::2], {type(module) for module in modules[1::2]}
    plain = len(modules) % 2 == 1 and all(type(module) is nn.Linear for module in layers)
    if not plain or not between <= set(ACTIVATIONS) or len(between) > 1:
        names = ", ".join(type(module).__name__ for module in modules)
        raise RunError(
            f"{who} has a network of {names}, and layers with Tanh, or with ReLU, between them were expected"
        )


def _array(tensor: Any) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().cpu().numpy().astype(np.float32, copy=True)
    return array


_CLOSE = 1e-6


def fold(statistics: VecNormalize, layers: list[Layer], game: Game[Any]) -> list[Layer]:
    """Layers that do with the game's own observations what `layers` do with the scaled ones.

    Raises:
        RunError: a number with more than two values was clipped.
    """
    if not statistics.norm_obs:
        return layers
    factors, offsets = np.empty(game.codec.size), np.empty(game.codec.size)
    columns = [column for feature in game.codec.features for column in feature.table.T]
    for place, column in enumerate(columns):
        values = np.unique(column).astype(np.float64)
        scaled = _scaled(statistics, values, place)
        factor = (scaled[-1] - scaled[0]) / (values[-1] - values[0]) if len(values) > 1 else 0.0
        factors[place], offsets[place] = factor, scaled[0] - factor * values[0]
        if not np.allclose(factor * values + offsets[place], scaled, rtol=0, atol=_CLOSE):
            raise RunError(
                f"VecNormalize clips {shown(game.codec.labels[place])} at {statistics.clip_obs}, and so scales it by "
                "no fixed factor; without clipping (clip_obs) it can be imported"
            )
    (weight, bias), *others = layers
    first = (weight * factors).astype(np.float32), (bias + weight @ offsets).astype(np.float32)
    return [first, *others]


def _scaled(statistics: VecNormalize, values: NDArray[np.float64], place: int) -> NDArray[np.float64]:
    """As `VecNormalize.normalize_obs` has it."""
    rms: Any = statistics.obs_rms
    deviation = np.sqrt(rms.var[place] + statistics.epsilon)
    scaled: NDArray[np.float64] = np.clip(
        (values - rms.mean[place]) / deviation, -statistics.clip_obs, statistics.clip_obs
    )
    return scaled


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
