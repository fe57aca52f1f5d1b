"""The games as Gymnasium environments. `import nenette` registers them; their classes are imported when one is made."""

from gymnasium.envs.registration import register

__all__ = ["ENVIRONMENTS", "register_environments"]

ENVIRONMENTS: dict[str, str] = {
    "nenette/DemiIlesSolo-v0": "nenette.environments.demi_iles:DemiIlesSoloEnv",
    "nenette/DemiIles-v0": "nenette.environments.demi_iles:DemiIlesEnv",
    "nenette/421-v0": "nenette.environments.quatre21:Quatre21Env",
}
"""Gymnasium ids and the class behind each."""

_VECTOR_ENVIRONMENTS: dict[str, str] = {
    "nenette/DemiIlesSolo-v0": "nenette.environments.vector.entries:DemiIlesSoloVectorEnv",
    "nenette/DemiIles-v0": "nenette.environments.vector.entries:demi_iles",
    "nenette/421-v0": "nenette.environments.vector.entries:quatre21",
}


def register_environments() -> None:
    """Makes the ids known to `gymnasium.make` and `gymnasium.make_vec`."""
    for env_id, entry_point in ENVIRONMENTS.items():
        register(env_id, entry_point, vector_entry_point=_VECTOR_ENVIRONMENTS[env_id])
