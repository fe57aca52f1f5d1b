"""The picture of play in the README: a table of each game, as render_mode="rgb_array" draws it."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import nenette
from nenette.environments.pictures.canvas import load_pygame
from nenette.policies import choose

__all__ = ["draw_tables"]

_SIZE = (480, 360)


def draw_tables(file: Path) -> None:
    """Draws a position of 421 and one of demi-iles, which trained networks have brought about, into `file` (PNG).

    Raises:
        DependencyNotInstalled: pygame-ce is not there.
    """
    left = _position("nenette/421-v0", "421/ppo-strong", 12, 4, opponents="optimal")
    right = _position("nenette/DemiIles-v0", "demi-iles/greedy", 7, 6, players=3, opponents=["optimal", "random"])
    pygame = load_pygame()
    both = np.concatenate([left, right], axis=1)
    file.parent.mkdir(parents=True, exist_ok=True)
    pygame.image.save(pygame.surfarray.make_surface(both.transpose(1, 0, 2)), file)


def _position(env_id: str, learner: str, seed: int, steps: int, **options: Any) -> NDArray[np.uint8]:
    """A game's table after so many decisions of the learner's seat."""
    env: Any = gym.make(env_id, seat=0, render_mode="rgb_array", render_size=_SIZE, **options).unwrapped
    policy, rng = nenette.load_opponent(learner, env.game), np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    for _ in range(steps):
        probabilities = policy.action_probabilities(observation[None], info["action_mask"][None])
        observation, _, terminated, truncated, info = env.step(int(choose(probabilities, rng)[0]))
        if terminated or truncated:
            break
    picture: NDArray[np.uint8] = env.render()
    return picture
