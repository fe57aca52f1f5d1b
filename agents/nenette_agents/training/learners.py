"""Configs to stable-baselines3's learners, and to the environments in which they learn."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import gymnasium as gym
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv, VecMonitor
from torch import nn

from nenette.environments.vector.env import TurnBasedVectorEnv
from nenette.policies.policy import Policy
from nenette_agents.algorithms.dqn import MaskedDQN, Priorities
from nenette_agents.algorithms.turn_ppo import SideBySideVecEnv, TurnMaskedPPO
from nenette_agents.config.fields import Linear, initial_value
from nenette_agents.config.mixture import SELF
from nenette_agents.config.model import Config, Rewards, Tremble
from nenette_agents.config.names import crossing_called
from nenette_agents.config.potentials import potential_weights
from nenette_agents.environments.shaping import ShapedRewards
from nenette_agents.environments.trembling import TremblingHands
from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.errors import ConfigError
from nenette_agents.export.inputs import CrossedInputs
from nenette_agents.self_play.seats import Seats

__all__ = ["make_environments", "make_learner"]

_ENVIRONMENTS = {
    "demi-iles-solo": "nenette/DemiIlesSolo-v0",
    "demi-iles": "nenette/DemiIles-v0",
    "421": "nenette/421-v0",
}
_MASKED = frozenset({"421"})
"""Games in which some actions are not always legal."""
_ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


def make_environments(config: Config, selves: Sequence[Policy], seats: Seats | None = None) -> VecEnv:
    """The parallel environments; `selves` sit, in turn, wherever the config says `past`.

    `seats` are the config's, if they have been made already.

    Where it says `self`, every seat is a slot, and the action space has *pass*, its last action.

    Raises:
        ConfigError: the environment refuses a rule.
        ValueError: an opponent cannot be had.
    """
    game, mixture = config.make_game(), config.mixture
    parts = []
    if mixture.games:
        parts.append(_natively(config, mixture.games * game.players, seats="all"))
    if mixture.named:
        seat = "random" if config.seat is None else config.seat
        each = (seats or Seats(config)).of_each(selves)
        parts.append(_natively(config, len(mixture.named), opponents_of_each=each, seat=seat))
    elif not mixture.games:
        parts.append(_natively(config, config.n_envs))
    # The monitor is inside: what it tells are the game's own returns.
    monitored = VecMonitor(parts[0] if len(parts) == 1 else SideBySideVecEnv(parts))
    environments: VecEnv = monitored
    if config.tremble != Tremble():
        tremble = config.tremble
        environments = TremblingHands(environments, tremble.share, config.seed, opening=tremble.opening_moves)
    if config.rewards != Rewards():
        weights = potential_weights(game, config.rewards.potential)
        environments = ShapedRewards(
            environments,
            weights,
            scale=config.rewards.scale,
            gamma=config.gamma,
            pass_action=game.n_actions if mixture.games else None,
        )
    return environments


def _natively(config: Config, num_envs: int, **options: Any) -> NativeVecEnv:
    try:
        environments = gym.make_vec(
            _ENVIRONMENTS[config.game],
            num_envs=num_envs,
            autoreset_mode=AutoresetMode.SAME_STEP,
            **options,
            **config.rules,
        )
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the environment cannot be made: {error}") from error
    return NativeVecEnv(cast(TurnBasedVectorEnv, environments))


def make_learner(config: Config, environments: VecEnv) -> BaseAlgorithm:
    """The algorithm with the config's settings, on one CPU; illegal actions are masked where there are any."""
    return _LEARNERS[config.algorithm](config, environments)


def _schedule(value: float | Linear) -> float | Callable[[float], float]:
    """A value, or what it is at each share of the training that is left: the final one at the end and beyond it."""
    return LinearSchedule(value.initial, value.final, 1.0) if isinstance(value, Linear) else value


def _network(config: Config) -> dict[str, Any]:
    """What the networks of both algorithms have in common."""
    chosen: dict[str, Any] = {"activation_fn": _ACTIVATIONS[config.network.activation_fn]}
    crossed = crossing_called(config.make_game(), config.network.crossed)
    if crossed is not None:
        chosen["features_extractor_class"] = CrossedInputs
        chosen["features_extractor_kwargs"] = {"crossing": crossed}
    return chosen


def _ppo(config: Config, environments: VecEnv) -> BaseAlgorithm:
    section = config.ppo
    assert section is not None
    algorithm: Callable[..., BaseAlgorithm] = MaskablePPO if config.game in _MASKED else PPO
    if SELF in config.opponents:
        algorithm = TurnMaskedPPO
    layers, value_layers = config.network.net_arch, section.vf_net_arch
    sizes = {"pi": list(layers), "vf": list(layers if value_layers is None else value_layers)}
    return algorithm(
        "MlpPolicy",
        environments,
        learning_rate=_schedule(section.learning_rate),
        n_steps=section.n_steps,
        batch_size=section.batch_size,
        n_epochs=section.n_epochs,
        gamma=section.gamma,
        gae_lambda=section.gae_lambda,
        clip_range=section.clip_range,
        ent_coef=initial_value(section.ent_coef),
        vf_coef=section.vf_coef,
        max_grad_norm=section.max_grad_norm,
        policy_kwargs={"net_arch": sizes, **_network(config)},
        seed=config.seed,
        device="cpu",
    )


def _dqn(config: Config, environments: VecEnv) -> BaseAlgorithm:
    section = config.dqn
    assert section is not None
    prioritized = section.prioritized
    n_actions = config.make_game().n_actions
    return MaskedDQN(
        "MlpPolicy",
        environments,
        double=section.double,
        averaged=section.averaged,
        exploration_temperature=section.exploration_temperature,
        n_steps=section.n_steps,
        priorities=None if prioritized is None else Priorities(prioritized.alpha, prioritized.beta),
        loss=section.loss,
        # Where every seat is a slot, there is one action more: pass.
        pass_action=n_actions if environments.action_space.n > n_actions else None,  # type: ignore[attr-defined]
        learning_rate=_schedule(section.learning_rate),
        buffer_size=section.buffer_size,
        learning_starts=section.learning_starts,
        batch_size=section.batch_size,
        gamma=section.gamma,
        train_freq=section.train_freq,
        gradient_steps=section.gradient_steps,
        target_update_interval=section.target_update_interval,
        exploration_fraction=section.exploration_fraction,
        exploration_final_eps=section.exploration_final_eps,
        max_grad_norm=section.max_grad_norm,
        policy_kwargs={"net_arch": list(config.network.net_arch), **_network(config)},
        seed=config.seed,
        device="cpu",
    )


_LEARNERS: dict[str, Callable[[Config, VecEnv], BaseAlgorithm]] = {"ppo": _ppo, "dqn": _dqn}
