"""A training as a person writes it down: one YAML file, checked."""

from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config

__all__ = ["Config", "load_config"]
