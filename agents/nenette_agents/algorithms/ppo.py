"""PPO from a config: stable-baselines3's, sb3-contrib's with masks, or ours where the learner plays all seats."""

from collections.abc import Callable
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from nenette.games import Game
from nenette.games.demi_iles import DemiIles, DemiIlesSolo
from nenette.games.registry import spec_of
from nenette_agents.algorithms.common import network_options, schedule
from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
from nenette_agents.config import Config
from nenette_agents.config.fields import Linear, initial_value
from nenette_agents.config.opponents import SELF

__all__ = ["EntropyCallback", "callbacks", "make"]

_ALWAYS_LEGAL = (DemiIles, DemiIlesSolo)
"""Games in which every action is legal at every move: without masks they are learned quicker."""


def make(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """The learner with the config's settings, on one CPU."""
    settings = config.ppo
    assert settings is not None
    spec = spec_of(game)
    unmasked = spec is not None and spec.game in _ALWAYS_LEGAL
    algorithm: Callable[..., BaseAlgorithm] = PPO if unmasked else MaskablePPO
    if SELF in config.opponents:
        algorithm = TurnMaskedPPO
    layers, value_layers = config.network.net_arch, settings.vf_net_arch
    sizes = {"pi": list(layers), "vf": list(layers if value_layers is None else value_layers)}
    return algorithm(
        "MlpPolicy",
        environments,
        learning_rate=schedule(settings.learning_rate),
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=initial_value(settings.ent_coef),
        vf_coef=settings.vf_coef,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs={"net_arch": sizes, **network_options(config, game)},
        seed=config.seed,
        device="cpu",
    )


def callbacks(config: Config) -> list[BaseCallback]:
    """What a training of it needs besides: the schedule of the entropy coefficient, which PPO itself has not."""
    assert config.ppo is not None
    coefficient = config.ppo.ent_coef
    return [EntropyCallback(coefficient, config.total_timesteps)] if isinstance(coefficient, Linear) else []


class EntropyCallback(BaseCallback):
    """Lets PPO's entropy coefficient change linearly: each update has the one of the steps that have been made.

    It follows from the number of steps alone, so there is nothing that a checkpoint would have to keep.
    """

    def __init__(self, coefficient: Linear, total_timesteps: int) -> None:
        super().__init__()
        self._coefficient = LinearSchedule(coefficient.initial, coefficient.final, 1.0)
        self._total = total_timesteps

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        model: Any = self.model
        model.ent_coef = self._coefficient(1 - self.num_timesteps / self._total)
        self.logger.record("train/entropy_coefficient", model.ent_coef)
