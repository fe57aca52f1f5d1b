"""DQN from a config."""

from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from nenette.games import Game
from nenette_agents.algorithms.common import network_options, schedule
from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.priorities import Priorities
from nenette_agents.config import Config

__all__ = ["make"]


def make(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """The learner with the config's settings, on one CPU."""
    settings = config.dqn
    assert settings is not None
    prioritized = settings.prioritized
    return MaskedDQN(
        "MlpPolicy",
        environments,
        double=settings.double,
        averaged=settings.averaged,
        exploration_temperature=settings.exploration_temperature,
        n_steps=settings.n_steps,
        priorities=None if prioritized is None else Priorities(prioritized.alpha, prioritized.beta),
        loss=settings.loss,
        # Where every seat is a slot, there is one action more: pass.
        pass_action=game.n_actions if environments.action_space.n > game.n_actions else None,  # type: ignore[attr-defined]
        learning_rate=schedule(settings.learning_rate),
        buffer_size=settings.buffer_size,
        learning_starts=settings.learning_starts,
        batch_size=settings.batch_size,
        gamma=settings.gamma,
        train_freq=settings.train_freq,
        gradient_steps=settings.gradient_steps,
        target_update_interval=settings.target_update_interval,
        exploration_fraction=settings.exploration_fraction,
        exploration_final_eps=settings.exploration_final_eps,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs={"net_arch": list(config.network.net_arch), **network_options(config, game)},
        seed=config.seed,
        device="cpu",
    )
