"""Where masks come from, and what is done with them: exploration, the greedy choice, the target's maximum."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import is_masking_supported
from stable_baselines3.common.vec_env import VecEnv

from nenette_agents.algorithms.dqn.perceptron import Perceptron
from nenette_agents.environments.vec_env import action_masks_of

__all__ = ["boltzmann", "explored", "greedy", "mask_source", "next_values"]

Masks = NDArray[np.bool_]


def mask_source(env: VecEnv, n_actions: int) -> tuple[Callable[[], Masks], bool]:
    """A function that gives the masks of all slots, bool (slots, n_actions), and whether the game has any.

    Where it has none, they are all true.
    """
    if is_masking_supported(env):
        return lambda: action_masks_of(env).reshape(env.num_envs, n_actions), True
    everything = np.ones((env.num_envs, n_actions), dtype=np.bool_)
    return lambda: everything, False


def greedy(values: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """The best legal action of each row, int64 (n,), of equals the first; `values` and `masks` are (n, actions)."""
    return values.masked_fill(~masks, -torch.inf).argmax(dim=1)


def boltzmann(values: torch.Tensor, temperature: float, generator: np.random.Generator) -> torch.Tensor:
    """The values (n, actions) with noise, whose best is each action in proportion to exp(value / temperature)."""
    noise = torch.from_numpy(generator.gumbel(size=values.shape).astype(np.float32))
    return values + temperature * noise.to(values.device)


def explored(greedy_actions: NDArray[np.int64], masks: Masks, rate: float, generator: np.random.Generator) -> Any:
    """The actions (n,), each replaced with probability `rate`, each on its own, by a uniformly random legal one.

    As many numbers are drawn whatever the rate and the masks.

    Raises:
        ValueError: somewhere nothing is legal.
    """
    chances, picks = generator.random((2, len(masks)))
    ranks = masks.cumsum(axis=1)
    counts = ranks[:, -1]
    if not counts.all():
        raise ValueError(f"in environment {int(np.argmin(counts))} no action is legal")
    # The first action by which as many legal ones have gone by as were picked.
    picked = (ranks > np.floor(picks * counts)[:, None]).argmax(axis=1)
    return np.where(chances < rate, picked, greedy_actions)


def next_values(
    target: Perceptron, observations: torch.Tensor, masks: torch.Tensor, online: Perceptron | None
) -> torch.Tensor:
    """The values of the next observations, (n, 1): the target network's value of the best legal action.

    Which one is best is said by the target network too, or with double Q-learning by the `online` one: a value that is
    too high by chance is then not chosen because it is.

    Source: van Hasselt et al., Deep Reinforcement Learning with Double Q-learning, 2016.
    """
    values = target.values(observations)
    if online is None:
        return values.masked_fill_(~masks, -torch.inf).amax(dim=1, keepdim=True)
    return values.gather(1, greedy(online.values(observations), masks)[:, None])
