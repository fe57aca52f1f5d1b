"""The configs that come with the package: `421-ppo` and so on, found from any folder."""

from pathlib import Path

from nenette_agents.errors import ConfigError, nearest, shown

__all__ = ["SCHEMA_FILE", "config_file", "config_text", "shipped_configs"]

_HERE = Path(__file__).parent
SCHEMA_FILE = _HERE / "config.schema.json"
_SCHEMA_LINE = "# yaml-language-server: $schema="


def shipped_configs() -> dict[str, Path]:
    """Their files by name: of an installed package in its own folder, of a clone in `configs/`."""
    folder = _HERE / "shipped" if (_HERE / "shipped").is_dir() else _HERE.parents[2] / "configs"
    files = sorted(folder.glob("*.yaml"), key=lambda path: path.stem)
    return {path.stem: path for path in files}


def config_file(given: Path) -> Path:
    """The file that is meant: `given` itself, or the config of that name that comes with the package.

    Raises:
        ConfigError: there is neither.
    """
    name = str(given)
    if given.name != name or given.suffix or given.exists():
        return given
    known = shipped_configs()
    if name not in known:
        raise ConfigError(
            f"{shown(name)} is neither a file nor a config that comes with the package "
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
