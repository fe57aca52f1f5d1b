"""The files of configs and benchmarks: those that come with the package, and YAML read as data and nothing else."""

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from nenette.untrusted import NotRegularError, TooLargeError, read_bytes
from nenette_agents.config.names import current
from nenette_agents.errors import ConfigError, nearest, short, shown

__all__ = [
    "SCHEMA_FILE",
    "Sources",
    "apply",
    "config_file",
    "config_text",
    "parse_override",
    "shipped_configs",
    "shipped_suites",
    "suite_file",
]

_HERE = Path(__file__).parent
SCHEMA_FILE = _HERE / "config.schema.json"
_SCHEMA_LINE = "# yaml-language-server: $schema="


def shipped_configs() -> dict[str, Path]:
    """Files of trainings by name: of an installed package in its own folder, of a clone in `configs/`."""
    return _files_in(_folder())


def shipped_suites() -> dict[str, Path]:
    """Files of benchmarks by name, in the folder `benchmark` beside those of trainings."""
    return _files_in(_folder() / "benchmark")


def _folder() -> Path:
    return _HERE / "shipped" if (_HERE / "shipped").is_dir() else _HERE.parents[2] / "configs"


def _files_in(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.yaml"), key=lambda path: path.stem)}


def config_file(given: Path) -> Path:
    """The file that is meant: `given` itself, or the config of that name that comes with the package.

    Raises:
        ConfigError: there is neither.
    """
    return _meant(given, shipped_configs(), "config")


def suite_file(given: Path) -> Path:
    """The file of a benchmark, found likewise.

    Raises:
        ConfigError: there is neither.
    """
    return _meant(given, shipped_suites(), "benchmark")


def _meant(given: Path, known: dict[str, Path], what: str) -> Path:
    name = str(given)
    if given.name != name or given.suffix or (given.exists() and not given.is_dir()):
        return given
    if name not in known:
        raise ConfigError(
            f"{shown(name)} is neither a file nor a {what} that comes with the package "
            f"({', '.join(known)}){nearest(name, list(known))}"
        )
    return known[name]


def config_text(path: Path) -> str:
    """The text of a config's file, with the place of the schema where it is on this machine."""
    text = path.read_text(encoding="utf-8")
    first, newline, rest = text.partition("\n")
    if first.startswith(_SCHEMA_LINE):
        first = f"{_SCHEMA_LINE}{SCHEMA_FILE.as_uri()}"
    return first + newline + rest


_LARGEST_FILE = 50_000  # bytes; a config has about a thousand, and reading one takes a thousand times its size
_MOST_NODES = 2_000  # mappings, lists and scalars; a config has about a hundred, and a thousand take some 0.1 s
_MOST_LEVELS = 20


class _Loader(yaml.SafeLoader):
    """The safe loader, with YAML 1.2's scalars, no aliases, no tags, no key given twice, and bounds to its work."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._nodes = self._levels = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not read", problem_mark=mark)
        if getattr(event, "tag", None) is not None:  # some of them the safe loader itself stumbles over
            raise yaml.MarkedYAMLError(problem="tags (!name) are not read", problem_mark=mark)
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise yaml.MarkedYAMLError(problem=f"it says more than {_MOST_NODES:,} things", problem_mark=mark)
        if self._levels == _MOST_LEVELS:
            raise yaml.MarkedYAMLError(problem="it is nested too deeply", problem_mark=mark)
        self._levels += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._levels -= 1

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set[str]()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {shown(key.value)} is given twice", problem_mark=key.start_mark
                )
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {}


def _resolve(tag: str, pattern: str, first: str) -> None:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))


# YAML 1.1, which PyYAML reads by default, takes 1e-4 for a text, 010 for eight and 1:30 for ninety.
_resolve("bool", "true|True|TRUE|false|False|FALSE", "tTfF")
_resolve("int", "[-+]?(?:0|[1-9][0-9_]*)", "-+0123456789")
_resolve("float", r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+0123456789.")
_resolve("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+.")
_resolve("null", "~|null|Null|NULL|", "~nN")
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^$"), [""])


def parse(text: str, source: str) -> Any:
    """What the YAML `text` says: None, scalars, lists and dictionaries.

    Raises:
        ConfigError: `text` is not YAML, or uses an alias, a tag or a key twice; the sentence begins with `source`.
    """
    if len(text) > _LARGEST_FILE:
        raise ConfigError(f"{source[:80]}: this is longer than any config (over {_LARGEST_FILE:,} characters)")
    try:
        return yaml.load(text, Loader=_Loader)  # a SafeLoader that takes even less: nothing is executed
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        problem = short(error.problem or "it cannot be parsed")
        raise ConfigError(f"{source}: this is not YAML that can be read: {problem}{where}") from error
    except (yaml.YAMLError, ValueError) as error:
        problem = short(str(error))
        raise ConfigError(f"{source}: this is not YAML that can be read: {problem}") from error


def read(path: Path) -> Any:
    """What the YAML file at `path` says.

    Raises:
        ConfigError: there is no such file, it is too large, not text or not YAML.
    """
    try:
        text = read_bytes(path, _LARGEST_FILE).decode()
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: there is no such file{_nearest_file(path)}") from error
    except NotRegularError as error:
        raise ConfigError(f"{path}: a YAML file was expected, and this is no regular file") from error
    except TooLargeError as error:
        raise ConfigError(f"{path}: this file is larger than any config (over {_LARGEST_FILE:,} bytes)") from error
    except OSError as error:
        raise ConfigError(f"{path}: this file cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: this is not a text file in UTF-8") from error
    except ValueError as error:
        raise ConfigError(f"{str(path)!r}: this is not the name of a file") from error
    return parse(text, str(path))


def _nearest_file(path: Path) -> str:
    from difflib import get_close_matches

    folder = path.parent
    names = sorted(p.name for p in folder.glob("*.yaml")) if folder.is_dir() else []
    near = get_close_matches(path.name, names, n=1)
    return f"; did you mean {folder / near[0]}?" if near else ""


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
    return key, parse(text, f"--set {short(override)}")


def apply(document: dict[Any, Any], override: str, sources: Sources) -> dict[str, str]:
    """Sets one value in `document`, in today's names, making the sections that it lies in.

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
