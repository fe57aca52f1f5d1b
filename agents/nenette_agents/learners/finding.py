"""Learners by name: those that are registered, ours and anybody's, and those in a module."""

import hashlib
import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from nenette.games import Game
from nenette.untrusted import NotReadableError, read_bytes
from nenette_agents.config.named import object_at
from nenette_agents.errors import ConfigError, nearest, shown
from nenette_agents.learners.interface import Learner

__all__ = ["GROUP", "check_settings", "find_learner", "learner_names", "source_of"]

GROUP = "nenette.learners"
"""The entry points' group: a distribution that has a learner names it there."""

_LARGEST_FILE = 1 << 28  # bytes; a compiled module may be large


def learner_names() -> list[str]:
    """Names of all learners that are registered, of whatever distributions are installed by now, in order."""
    return sorted(_registered())


def find_learner(reference: str) -> Learner:
    """The learner of that name, or the one at "module:object".

    Args:
        reference: a name that is registered under the entry points' group "nenette.learners"; or the place of an
            object in a module that is installed or lies in the working folder. That module is imported, which runs it.

    Raises:
        ConfigError: there is no such learner (the nearest is named), its module cannot be imported, or what is found
            cannot be called.
    """
    if ":" in reference:
        found = object_at(reference)
    else:
        known = _registered()
        if reference not in known:
            raise ConfigError(
                f"{shown(reference)} is no learner; one of {', '.join(sorted(known))}, or module:object of your own "
                f"was expected{nearest(reference, sorted(known))}"
            )
        found = object_at(f"{known[reference].module}:{known[reference].attr}")
    if not callable(found):
        raise ConfigError(f"{shown(reference)} is a {type(found).__name__}; a function that learns was expected")
    learner: Learner = found
    return learner


def source_of(reference: str) -> str | None:
    """SHA-256 of the file that holds the learner at "module:object", so that a change in it is noticed.

    None for a learner that is registered, which changes with its distribution's version, and where there is no such
    file. What the module imports does not count.
    """
    if ":" not in reference:
        return None
    find_learner(reference)  # imports the module
    file = getattr(sys.modules.get(reference.partition(":")[0]), "__file__", None)
    try:
        return None if file is None else hashlib.sha256(read_bytes(Path(file), _LARGEST_FILE)).hexdigest()
    except (NotReadableError, OSError):
        return None


def check_settings(
    reference: str, settings: Mapping[str, Any], game: Game[Any], opponents: tuple[str, ...], total_timesteps: int
) -> None:
    """Looks, before anything begins, whether a learner takes these settings for such a task; some do not tell.

    Raises:
        ConfigError: there is no such learner.
        ValueError: one sentence about a setting that does not work out.
    """
    check = getattr(find_learner(reference), "check", None)
    if check is not None:
        check(settings, game, opponents, total_timesteps)


def _registered() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
