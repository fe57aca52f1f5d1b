"""The games as Gymnasium environments. `import nenette` registers them; their classes are imported when one is made."""

from typing import Any

from gymnasium.envs.registration import register

from nenette.hooks import GAME_REGISTERED

__all__ = ["ENVIRONMENTS", "register_environments"]

ENVIRONMENTS: dict[str, str] = {
    "nenette/DemiIlesSolo-v0": "nenette.environments.demi_iles:DemiIlesSoloEnv",
    "nenette/DemiIles-v0": "nenette.environments.demi_iles:DemiIlesEnv",
    "nenette/421-v0": "nenette.environments.quatre21:Quatre21Env",
}
"""Gymnasium ids of the games that come with the package, and the class behind each; known before any game is."""

_VECTOR_ENVIRONMENTS: dict[str, str] = {
    "nenette/DemiIlesSolo-v0": "nenette.environments.vector_entries:demi_iles_solo",
    "nenette/DemiIles-v0": "nenette.environments.vector_entries:demi_iles",
    "nenette/421-v0": "nenette.environments.vector_entries:quatre21",
}


def register_environments() -> None:
    """Makes the ids known to `gymnasium.make` and `make_vec`, and those of games that are registered later."""
    for env_id, entry_point in ENVIRONMENTS.items():
        register(env_id, entry_point, vector_entry_point=_VECTOR_ENVIRONMENTS[env_id])
    if _register not in GAME_REGISTERED:
        GAME_REGISTERED.append(_register)


def _register(spec: Any) -> None:
    """Enters a `GameSpec`."""
    if spec.env_id is None or spec.env_id in ENVIRONMENTS:
        return
    entry: dict[str, Any] = {"entry_point": spec.entry_point, "vector_entry_point": spec.vector_entry_point}
    if spec.entry_point is None:
        entry.update(entry_point="nenette.environments.any_game:GameEnv", kwargs={"game": spec.name})
    register(spec.env_id, **entry)
