"""Two French dice games, solved exactly: reinforcement-learning environments with their own answer key.

Importing this package registers the environments; everything else is imported when it is first used.
"""

import typing

from nenette.environments import register_environments

if typing.TYPE_CHECKING:
    from nenette.matches.any_agent import score
    from nenette.policies.load import load_opponent

    __version__: str

__all__ = ["__version__", "load_opponent", "score"]

register_environments()
del register_environments

_WHERE = {"load_opponent": "nenette.policies.load", "score": "nenette.matches.any_agent"}
"""The module of what is imported on first use."""


def __getattr__(name: str) -> object:
    if name in _WHERE:
        from importlib import import_module

        return getattr(import_module(_WHERE[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("nenette")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    ours = (name for name, value in globals().items() if getattr(value, "__package__", "").startswith("nenette"))
    return sorted({*__all__, *ours, *(name for name in globals() if name.startswith("__"))})
