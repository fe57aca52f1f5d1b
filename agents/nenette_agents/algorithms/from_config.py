"""Learners from a config: PPO and A2C (stable-baselines3's, with masks, or for all seats), masked DQN and QR-DQN."""

from collections.abc import Callable
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.optim import RMSprop

from nenette.games import Game
from nenette.games.demi_iles import DemiIles, DemiIlesSolo
from nenette.games.registry import spec_of
from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.quantiles import MaskedQRDQN
from nenette_agents.algorithms.dqn.storage import Priorities
from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
from nenette_agents.config.algorithms import A2c, Dqn, Ppo, QrDqn, Section
from nenette_agents.config.fields import Linear
from nenette_agents.config.model import Config, Network
from nenette_agents.config.named import SELF, crossing_called, features_looked_at
from nenette_agents.export import ChosenInputs, CrossedInputs

__all__ = [
    "EntropyCallback",
    "callbacks",
    "make_a2c",
    "make_dqn",
    "make_ppo",
    "make_qr_dqn",
    "network_options",
]

_ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


_ALWAYS_LEGAL = (DemiIles, DemiIlesSolo)
"""Games in which every action is legal at every move: without masks they are learned quicker."""


def make_ppo(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """PPO with the config's settings, on one CPU: one policy for all seats where the config's opponents have `self`."""
    assert config.ppo is not None
    return _actor_critic(config, game, environments, _keys(Ppo, config.ppo))


def make_a2c(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """A2C with the config's settings, on one CPU: PPO that goes one step down the gradient of each rollout, by RMSProp.

    In a single step of the whole rollout PPO's ratio is 1: nothing is clipped, and its gradient is A2C's. So masks, and
    all seats of a game, are what they are for PPO.

    Source: Huang et al., A2C is a special case of PPO, 2022.
    """
    settings = _keys(A2c, config.settings)
    settings |= {"n_epochs": 1, "batch_size": settings["n_steps"] * environments.num_envs}
    optimizer = {"alpha": 0.99, "eps": settings.pop("rms_prop_eps")}  # as in stable-baselines3's A2C
    network = {"optimizer_class": RMSprop, "optimizer_kwargs": optimizer}
    return _actor_critic(config, game, environments, settings, network)


def make_dqn(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """Masked DQN with the config's settings, on one CPU."""
    assert config.dqn is not None
    settings = _keys(Dqn, config.dqn)
    prioritized = settings.pop("prioritized")
    settings["priorities"] = None if prioritized is None else Priorities(prioritized.alpha, prioritized.beta)
    return _of_values(MaskedDQN, config, game, environments, settings)


def make_qr_dqn(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """Masked QR-DQN with the config's settings, on one CPU."""
    return _of_values(MaskedQRDQN, config, game, environments, _keys(QrDqn, config.settings))


def _keys(kind: type[Section], section: Section) -> dict[str, Any]:
    """What a section says by the keys of `kind`: an algorithm that somebody makes of ours may have more."""
    return {name: getattr(section, name) for name in kind.model_fields}


def _actor_critic(
    config: Config,
    game: Game[Any],
    environments: VecEnv,
    settings: dict[str, Any],
    network: dict[str, Any] | None = None,
) -> BaseAlgorithm:
    spec = spec_of(game)
    unmasked = spec is not None and spec.game in _ALWAYS_LEGAL
    algorithm: Callable[..., BaseAlgorithm] = PPO if unmasked else MaskablePPO
    if SELF in config.opponents:
        algorithm = TurnMaskedPPO
    value_layers = settings.pop("vf_net_arch")
    if isinstance(settings["ent_coef"], Linear):  # an `EntropyCallback` goes on from here
        settings["ent_coef"] = settings["ent_coef"].initial
    layers = config.network.net_arch
    sizes = {"pi": list(layers), "vf": list(layers if value_layers is None else value_layers)}
    return _learner(algorithm, config, game, environments, {"net_arch": sizes, **(network or {})}, settings)


def _of_values(
    algorithm: Callable[..., BaseAlgorithm],
    config: Config,
    game: Game[Any],
    environments: VecEnv,
    settings: dict[str, Any],
) -> BaseAlgorithm:
    # Where every seat is a slot, there is one action more: pass.
    passes = environments.action_space.n > game.n_actions  # type: ignore[attr-defined]
    settings["pass_action"] = game.n_actions if passes else None
    return _learner(algorithm, config, game, environments, {"net_arch": list(config.network.net_arch)}, settings)


def _learner(
    algorithm: Callable[..., BaseAlgorithm],
    config: Config,
    game: Game[Any],
    environments: VecEnv,
    network: dict[str, Any],
    settings: dict[str, Any],
) -> BaseAlgorithm:
    """A learner whose settings have the names of its constructor's arguments."""
    network |= network_options(config.network, game)
    scheduled = {name: schedule(value) if isinstance(value, Linear) else value for name, value in settings.items()}
    return algorithm("MlpPolicy", environments, policy_kwargs=network, seed=config.seed, device="cpu", **scheduled)


def network_options(network: Network, game: Game[Any]) -> dict[str, Any]:
    """The `policy_kwargs` of a config's `network`, but for `net_arch`, in which algorithms differ."""
    chosen: dict[str, Any] = {"activation_fn": _ACTIVATIONS[network.activation_fn]}
    crossed = crossing_called(game, network.crossed)
    if crossed is not None:
        chosen |= {"features_extractor_class": CrossedInputs, "features_extractor_kwargs": {"crossing": crossed}}
    seen = features_looked_at(game, network.looks_at)
    if seen is not None:
        chosen |= {"features_extractor_class": ChosenInputs, "features_extractor_kwargs": {"seen": seen}}
    return chosen


def schedule(value: Linear) -> LinearSchedule:
    """The schedule as stable-baselines3 takes it, a function of the share of the training that is left."""
    return LinearSchedule(value.initial, value.final, 1.0)


def callbacks(config: Config) -> list[BaseCallback]:
    """The callbacks that its training needs: one for a scheduled entropy coefficient, which PPO does not have."""
    coefficient = config.settings.ent_coef
    return [EntropyCallback(coefficient, config.total_timesteps)] if isinstance(coefficient, Linear) else []


class EntropyCallback(BaseCallback):
    """Lets PPO's entropy coefficient change linearly: each update has the one of the steps that have been made.

    It follows from the number of steps alone, so there is nothing that a checkpoint would have to keep.
    """

    def __init__(self, coefficient: Linear, total_timesteps: int) -> None:
        super().__init__()
        self._coefficient = schedule(coefficient)
        self._total = total_timesteps

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        model: Any = self.model
        model.ent_coef = self._coefficient(1 - self.num_timesteps / self._total)
        self.logger.record("train/entropy_coefficient", model.ent_coef)
