"""From a YAML file and `--set` to a checked `Config`."""

from collections.abc import Callable
from pathlib import Path

from nenette_agents.config import yaml_files
from nenette_agents.config.checks import validate
from nenette_agents.config.model import Config
from nenette_agents.config.names import current, fold_schedules
from nenette_agents.config.overrides import Sources, apply
from nenette_agents.errors import ConfigError

__all__ = ["load_config"]


def load_config(
    path: str | Path,
    overrides: list[str] | None = None,
    *,
    seed: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> Config:
    """The config in the YAML file at `path`, with `overrides` ("a.b=c", later ones win) and all defaults written out.

    Args:
        path: the file.
        overrides: each sets one value.
        seed: in place of the config's.
        tell: is called with one sentence that gives today's names, if names of an earlier version were read.

    Raises:
        ConfigError: one sentence that names the file or the override, the key, its value, and what was expected.
    """
    document = yaml_files.read(Path(path))
    if document is None:
        raise ConfigError(f"{path}: this file is empty; a mapping with at least game and algorithm was expected")
    if not isinstance(document, dict):
        kind = "a list" if isinstance(document, list) else "a single value"
        raise ConfigError(f"{path}: a mapping of keys to values was expected, and this is {kind}")
    sources = Sources(str(path))
    try:
        document, renamed = current(document)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    for override in overrides or []:
        renamed |= apply(document, override, sources)
    try:
        renamed |= fold_schedules(document)
    except ConfigError as error:
        raise ConfigError(f"{sources.file}: {error}") from None
    if seed is not None:
        document["seed"] = seed
        sources.note("seed", "--seed")
    config = validate(document, sources)
    if renamed and tell is not None:
        named = ", ".join(f"{old} is now {new}" for old, new in renamed.items())
        tell(f"{path}: these names are of an earlier version, and mean what they meant: {named}")
    return config
