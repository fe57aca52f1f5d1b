"""Models of stable-baselines3 and sb3-contrib, recognised by what they have: nothing of theirs is imported."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from nenette.games import Game
from nenette.games.checks import shown
from nenette.policies.policy import Masks, Observations

__all__ = ["is_learned", "learned_network"]


def is_learned(agent: Any) -> bool:
    """Whether it is a model of stable-baselines3, or the policy of one."""
    if "torch" not in sys.modules or "stable_baselines3" not in sys.modules:
        return False
    policy = getattr(agent, "policy", agent)
    return all(hasattr(policy, part) for part in ("predict", "obs_to_tensor", "observation_space", "action_space"))


def learned_network(agent: Any, game: Game[Any], name: str) -> tuple[Any, Callable[[Observations, Masks], Any], str]:
    """Its torch module, how to ask it about (observations, masks), and what it gives: "logits" or "q-values".

    Raises:
        ValueError: it was trained on other observations or actions, has a memory, or has no probabilities or values.
    """
    policy = getattr(agent, "policy", agent)
    _check_spaces(policy, game, name)
    if hasattr(policy, "lstm_actor"):
        raise ValueError(f"{name} has a memory, and an exact score needs an agent that acts by what it sees: train PPO")
    scaled = _scaling(agent, game, name)
    if hasattr(policy, "q_net"):
        network = getattr(policy, "q_net_average", policy.q_net)  # the mean of the weights, where there is one
        ask, kind = network, "q-values"
    elif hasattr(policy, "quantile_net"):
        ask, kind = (lambda x: policy.quantile_net(x).mean(dim=1)), "q-values"
    elif hasattr(policy, "get_distribution"):
        # Masks are applied to the logits afterwards, which comes to the same in MaskablePPO.
        ask, kind = (lambda x: policy.get_distribution(x).distribution.logits), "logits"
    else:
        raise ValueError(
            f"{name} has neither action probabilities nor action values; PPO, A2C, MaskablePPO, DQN and QRDQN have, "
            "and of anything else a function from observations to actions can be scored"
        )
    return policy, lambda observations, masks: ask(policy.obs_to_tensor(scaled(observations))[0]), kind


def _check_spaces(policy: Any, game: Game[Any], name: str) -> None:
    seen, acted, size, actions = policy.observation_space, policy.action_space, game.codec.size, game.n_actions
    if getattr(seen, "shape", None) != (size,):
        raise ValueError(
            f"{name} was trained on observations {shown(seen)}, and those of {game.name} have {size} numbers"
        )
    number = getattr(acted, "n", None)  # an array in MultiBinary
    if not isinstance(number, int | np.integer) or number not in (actions, actions + 1):
        raise ValueError(f"{name} was trained with actions {shown(acted)}, and {game.name} has {actions} actions")


def _scaling(agent: Any, game: Game[Any], name: str) -> Callable[[Observations], Any]:
    """What VecNormalize did to the observations; nothing if there was none.

    A model that was saved and loaded has lost it, but keeps the last observations that it saw.
    """
    statistics = agent.get_vec_normalize_env() if hasattr(agent, "get_vec_normalize_env") else None
    if statistics is not None and statistics.norm_obs:
        return lambda observations: statistics.normalize_obs(observations)
    last = getattr(agent, "_last_obs", None)
    if getattr(agent, "num_timesteps", 0) and isinstance(last, np.ndarray) and last.size:
        try:
            game.codec.decode(last.reshape(len(last), -1))
        except ValueError:
            raise ValueError(
                f"{name} was trained on observations that are not those of {game.name}; if VecNormalize scaled them, "
                "give the model its environment again: model.set_env(VecNormalize.load(file, environments))"
            ) from None
    return lambda observations: observations
