"""PPO and A2C from a config: stable-baselines3's PPO, with masks sb3-contrib's, or ours where it plays all seats."""

from collections.abc import Callable
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv
from torch.optim import RMSprop

from nenette.games import Game
from nenette.games.demi_iles import DemiIles, DemiIlesSolo
from nenette.games.registry import spec_of
from nenette_agents.algorithms.common import network_options, schedule
from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
from nenette_agents.config import Config
from nenette_agents.config.fields import Linear, initial_value
from nenette_agents.config.opponents import SELF

__all__ = ["EntropyCallback", "callbacks", "make", "make_a2c"]

_ALWAYS_LEGAL = (DemiIles, DemiIlesSolo)
"""Games in which every action is legal at every move: without masks they are learned quicker."""


def make(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """PPO with the config's settings, on one CPU."""
    settings = config.settings
    return _made(
        config,
        game,
        environments,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        clip_range=settings.clip_range,
    )


def make_a2c(config: Config, game: Game[Any], environments: VecEnv) -> BaseAlgorithm:
    """A2C with the config's settings, on one CPU: PPO that goes one step down the gradient of each rollout, by RMSProp.

    In a single step of the whole rollout PPO's ratio is 1: nothing is clipped, and its gradient is A2C's. So masks, and
    all seats of a game, are what they are for PPO.

    Source: Huang et al., A2C is a special case of PPO, 2022.
    """
    settings = config.settings
    return _made(
        config,
        game,
        environments,
        {"optimizer_class": RMSprop, "optimizer_kwargs": {"alpha": 0.99, "eps": settings.rms_prop_eps}},
        batch_size=max(2, settings.n_steps * environments.num_envs),
        n_epochs=1,
        normalize_advantage=settings.normalize_advantage,
    )


def _made(
    config: Config,
    game: Game[Any],
    environments: VecEnv,
    policy_options: dict[str, Any] | None = None,
    **options: Any,
) -> BaseAlgorithm:
    settings = config.settings
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
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        ent_coef=initial_value(settings.ent_coef),
        vf_coef=settings.vf_coef,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs={"net_arch": sizes, **network_options(config, game), **(policy_options or {})},
        seed=config.seed,
        device="cpu",
        **options,
    )


def callbacks(config: Config) -> list[BaseCallback]:
    """What a training of it needs besides: the schedule of the entropy coefficient, which PPO itself has not."""
    coefficient = config.settings.ent_coef
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
