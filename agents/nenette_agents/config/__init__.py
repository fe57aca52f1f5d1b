"""A training as a person writes it down: one YAML file, checked.

What reads configs is imported when it is first used: commands that read none start quicker without it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nenette_agents.config.loading import load_config
    from nenette_agents.config.model import Config

__all__ = ["Config", "load_config"]


def __getattr__(name: str) -> Any:
    if name == "Config":
        from nenette_agents.config.model import Config

        return Config
    if name == "load_config":
        from nenette_agents.config.loading import load_config

        return load_config
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
