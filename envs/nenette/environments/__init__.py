"""The games as Gymnasium environments. `import nenette` registers them; their classes are imported when one is made."""

import gymnasium.envs.registration as gym

from nenette.games import GameSpec
from nenette.games.registry import on_register

__all__ = ["ENVIRONMENTS", "register_environments"]

ENVIRONMENTS: dict[str, str] = {}
"""Gymnasium ids, and the game behind each."""


def register_environments() -> None:
    """Makes the games' ids known to `gymnasium.make` and `gymnasium.make_vec`: those there are, and later ones."""
    if not ENVIRONMENTS:
        on_register(_register)


def _register(spec: GameSpec) -> None:
    if spec.env_id is None or spec.entry_point is None:
        return
    ENVIRONMENTS[spec.env_id] = spec.name
    gym.register(spec.env_id, spec.entry_point, vector_entry_point=spec.vector_entry_point)
