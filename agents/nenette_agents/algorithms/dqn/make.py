"""DQN and QR-DQN from a config."""

from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from nenette.games import Game
from nenette_agents.algorithms.common import network_options, schedule
from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.priorities import Priorities
from nenette_agents.algorithms.dqn.quantiles import MaskedQRDQN
from nenette_agents.config import Config

__all__ = ["make", "make_qr"]


def make(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """DQN with the config's settings, on one CPU."""
    settings = config.settings
    prioritized = settings.prioritized
    return MaskedDQN(
        "MlpPolicy",
        environments,
        priorities=None if prioritized is None else Priorities(prioritized.alpha, prioritized.beta),
        loss=settings.loss,
        **_options(config, game, environments),
    )


def make_qr(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """QR-DQN with the config's settings, on one CPU."""
    options = _options(config, game, environments)
    return MaskedQRDQN("MlpPolicy", environments, n_quantiles=config.settings.n_quantiles, **options)


def _options(config: Config, game: Game[Any], environments: VecEnv) -> dict[str, Any]:
    """What both have in common."""
    settings = config.settings
    actions: Any = environments.action_space
    return {
        "double": settings.double,
        "averaged": settings.averaged,
        "exploration_temperature": settings.exploration_temperature,
        "n_steps": settings.n_steps,
        # Where every seat is a slot, there is one action more: pass.
        "pass_action": game.n_actions if actions.n > game.n_actions else None,
        "learning_rate": schedule(settings.learning_rate),
        "buffer_size": settings.buffer_size,
        "learning_starts": settings.learning_starts,
        "batch_size": settings.batch_size,
        "gamma": settings.gamma,
        "train_freq": settings.train_freq,
        "gradient_steps": settings.gradient_steps,
        "target_update_interval": settings.target_update_interval,
        "exploration_fraction": settings.exploration_fraction,
        "exploration_final_eps": settings.exploration_final_eps,
        "max_grad_norm": settings.max_grad_norm,
        "policy_kwargs": {"net_arch": list(config.network.net_arch), **network_options(config, game)},
        "seed": config.seed,
        "device": "cpu",
    }
