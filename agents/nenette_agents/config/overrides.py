"""`--set a.b=c`: values given on the command line in place of those of a file."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nenette_agents.config import yaml_files
from nenette_agents.config.names import current
from nenette_agents.errors import ConfigError, short, shown

__all__ = ["Sources", "apply", "parse_override"]


@dataclass
class Sources:
    """Which file or option a key's value came from, so that an error can name it.

    Attributes:
        file: the config file.
        options: dotted key to the option that set it.
    """

    file: str
    options: dict[str, str] = field(default_factory=dict)

    def note(self, key: str, option: str) -> None:
        """From now on `option` answers for `key`."""
        self.options[key] = option

    def of(self, key: str) -> str:
        """The option that set `key`, a part of it or what it is part of; otherwise the file."""
        for known, option in reversed(self.options.items()):
            if f"{key}.".startswith(f"{known}.") or f"{known}.".startswith(f"{key}."):
                return option
        return self.file


def parse_override(override: str) -> tuple[str, Any]:
    """The dotted key and the value of `"a.b=c"`; the value is read as YAML.

    Raises:
        ConfigError: it does not have that form.
    """
    key, equals, text = override.partition("=")
    key = key.strip()
    if not equals or not all(key.split(".")):
        raise ConfigError(f"--set {shown(override)}: key=value was expected, for example --set ppo.gamma=0.99")
    return key, yaml_files.parse(text, f"--set {short(override)}")


def apply(document: dict[Any, Any], override: str, sources: Sources) -> dict[str, str]:
    """Sets one value in `document`, in today's names, making the sections on the way there.

    Returns:
        Names of an earlier version that the override has, with today's.

    Raises:
        ConfigError: the override is malformed, or its key lies below something that is no section.
    """
    key, value = parse_override(override)
    sources.note(key, f"--set {short(override)}")
    parts = key.split(".")
    nested: Any = value
    for part in reversed(parts):
        nested = {part: nested}
    try:
        named, renamed = current(nested)
    except ConfigError as error:
        raise ConfigError(f"--set {short(override)}: {error}") from None
    for path, given in _leaves(named, len(parts)):
        _put(document, path, given, override)
        sources.note(".".join(map(str, path)), f"--set {short(override)}")
    return renamed


def _leaves(mapping: dict[Any, Any], depth: int) -> Iterator[tuple[list[Any], Any]]:
    """The values so many keys deep, or less deep if they are no mappings, with their keys."""
    for key, value in mapping.items():
        if depth > 1 and isinstance(value, dict):
            yield from (([key, *path], leaf) for path, leaf in _leaves(value, depth - 1))
        else:
            yield [key], value


def _put(document: dict[Any, Any], path: list[Any], value: Any, override: str) -> None:
    *sections, last = path
    here = document
    for depth, section in enumerate(sections):
        if here.get(section) is None:
            here[section] = {}
        below = here[section]
        if not isinstance(below, dict):
            name = ".".join(map(str, sections[: depth + 1]))
            raise ConfigError(f"--set {short(override)}: {name} is {shown(below)}, and so has no keys of its own")
        here = below
    here[last] = value
