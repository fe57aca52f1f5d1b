"""Trainings from a config, as a program starts them."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from nenette_agents.config.shipped import config_file

if TYPE_CHECKING:
    from nenette_agents.config.model import Config

__all__ = ["load_config", "train"]


def load_config(config: str | Path, overrides: list[str] | None = None, *, seed: int | None = None) -> "Config":
    """The config in a YAML file, or the one of that name that comes with the package, such as "421-ppo".

    Args:
        config: the file or the name.
        overrides: "key=value", later ones win, as after `--set` on the command line.
        seed: in place of the config's.

    Raises:
        ConfigError: one sentence about what is wrong, and where.
    """
    from nenette_agents.config import loading

    return loading.load_config(config_file(Path(config)), overrides, seed=seed)


def train(
    config: "str | Path | Config", *, runs: str | Path = "runs", name: str | None = None, console: Console | None = None
) -> Any:
    """Trains as a config says, into a new folder under `runs`; what `nenette train` does.

    In a thread other than the main one, Ctrl-C is not listened to.

    Args:
        config: a file, the name of a config that comes with the package, or what `load_config` returned.
        runs: where runs lie.
        name: of the run; None: game, algorithm and seed.
        console: where progress is shown; None: nowhere.

    Returns:
        An `Outcome` (`nenette_agents.training.run`): the run's folder, its status, and its last score.

    Raises:
        ValueError: one sentence about a setting that does not work out.
        OSError: the run's folder cannot be written.
    """
    from nenette_agents.training import run as training

    loaded = load_config(config) if isinstance(config, str | Path) else config
    known = Path(config).stem if isinstance(config, str | Path) else f"{loaded.game}-{loaded.algorithm}"
    quiet = Console(file=io.StringIO())
    return training.train(loaded, Path(runs), name or f"{known}-seed{loaded.seed}", console or quiet)
