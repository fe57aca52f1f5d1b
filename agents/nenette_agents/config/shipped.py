"""The configs and benchmarks that come with the package: `421-ppo`, `smoke` and so on, found from any folder."""

from pathlib import Path

from nenette_agents.errors import ConfigError, nearest, shown

__all__ = ["SCHEMA_FILE", "config_file", "config_text", "shipped_configs", "shipped_suites", "suite_file"]

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
    """The same for benchmarks.

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
