"""The command line, `nenette`."""

from nenette_agents.cli.app import main

__all__ = ["main"]
