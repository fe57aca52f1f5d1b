"""A learner's own settings, read into a section of keys that are known."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from nenette_agents.config.algorithms import Section
from nenette_agents.config.files import Sources
from nenette_agents.config.reference import sentence
from nenette_agents.errors import ConfigError

__all__ = ["read_settings"]

Settings = TypeVar("Settings", bound=Section)


def read_settings(kind: type[Settings], settings: Mapping[str, Any], learner: str) -> Settings:
    """The settings as a section of that kind, with every default.

    Raises:
        ConfigError: one sentence about the first that is unknown or cannot be: the learner, the key, and what was
            expected.
    """
    try:
        return kind.model_validate(dict(settings))
    except ValidationError as error:
        raise ConfigError(sentence(error, Sources(f"learner {learner}"), kind, "its settings")) from None
