"""Two French dice games, solved exactly: reinforcement-learning environments with their own answer key.

Importing this package registers the environments; everything else is imported when it is first used.
"""

from typing import TYPE_CHECKING, Any

from nenette.environments import register_environments

if TYPE_CHECKING:
    from nenette.policies.load import load_opponent

__all__ = ["load_opponent"]

register_environments()


def __getattr__(name: str) -> Any:
    if name == "load_opponent":
        from nenette.policies.load import load_opponent

        return load_opponent
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
