"""From a learner's torch network to the NumPy policy that everybody else uses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.dqn.policies import DQNPolicy
from torch import nn

from nenette.games import Game
from nenette.policies.network import NetworkPolicy
from nenette_agents.inputs import CrossedInputs

__all__ = ["export_policy"]

_ACTIVATIONS: dict[type[nn.Module], str] = {nn.Tanh: "tanh", nn.ReLU: "relu"}


def export_policy(model: BaseAlgorithm, game: Game[Any], name: str, head: str) -> NetworkPolicy:
    """The learner's policy as it is now, without the actions that a mask forbids.

    The weights are copied: training on changes nothing in what was exported.

    Args:
        model: PPO, masked PPO or DQN with a multi-layer perceptron.
        game: what it plays.
        name: what tables are to call it.
        head: "softmax" to play PPO's odds; "argmax" to play its likeliest action, or the one that DQN values most.

    Raises:
        ValueError: a weight is not finite.
    """
    modules = _modules(model)
    layers = [(_array(m.weight), _array(m.bias)) for m in modules if isinstance(m, nn.Linear)]
    activations = {_ACTIVATIONS[type(module)] for module in modules if type(module) in _ACTIVATIONS}
    return NetworkPolicy(
        game,
        layers,
        activation=activations.pop() if activations else "tanh",
        head=head,
        crossed=_crossed(model),
        name=name,
    )


def _crossed(model: BaseAlgorithm) -> str | None:
    policy: Any = model.policy
    extractor = (policy.q_net if isinstance(policy, DQNPolicy) else policy).features_extractor
    return extractor.field if isinstance(extractor, CrossedInputs) else None


def _modules(model: BaseAlgorithm) -> list[nn.Module]:
    # The actor-critic policies of stable-baselines3 and of sb3-contrib have these parts in common, but no class.
    policy: Any = model.policy
    if isinstance(policy, DQNPolicy):
        return list(policy.q_net.q_net.children())
    return [*policy.mlp_extractor.policy_net.children(), policy.action_net]


def _array(tensor: Any) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().cpu().numpy().astype(np.float32, copy=True)
    return array
