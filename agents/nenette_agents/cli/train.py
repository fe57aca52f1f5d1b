"""`nenette train`: a config or a stopped run to a finished one."""

import json
import sys
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from nenette_agents.config import load_config
from nenette_agents.config.shipped import config_file, config_text
from nenette_agents.errors import ConfigError, RunError, missing_extra
from nenette_agents.runs.folders import find_run
from nenette_agents.terminal.screen import output

__all__ = ["run", "show"]


def run(
    config: Path | None,
    seed: int | None,
    settings: list[str],
    name: str | None,
    resume: str | None,
    runs: Path,
    as_json: bool,
) -> None:
    """Trains, and says what came of it; exit code 130 if it was interrupted.

    Raises:
        ValueError: one sentence about what was asked, or what cannot be done.
    """
    if resume is not None:
        given = {"a config": config, "--seed": seed, "--set": settings or None, "--name": name}
        contradicting = [what for what, value in given.items() if value is not None]
        if contradicting:
            raise RunError(f"--resume goes on as the run's own config says: {contradicting[0]} cannot be given with it")
        outcome = _resumed(find_run(resume, runs))
    elif config is not None:
        outcome = _trained(config, seed, settings, name, runs)
    else:
        raise ConfigError("train takes a YAML file or the name of a config, such as 421-ppo, or --resume and a run")
    if outcome.status == "interrupted":
        print(
            f"nenette: interrupted; what there is was kept in {outcome.folder}, "
            f"and this goes on: nenette train --resume {outcome.folder}",
            file=sys.stderr,
        )
    if as_json:
        print(json.dumps(outcome.report()))
    elif outcome.status == "finished":
        from nenette_agents.terminal import tables

        assert outcome.last is not None
        output().print(tables.score_table(outcome.last))
        print(f"The run is in {outcome.folder}")
    if outcome.status == "interrupted":
        raise typer.Exit(130)


def show(config: Path | None) -> None:
    """Prints a config's file.

    Raises:
        ConfigError: none is named, there is none of that name, or it is wrong.
    """
    if config is None:
        raise ConfigError("--print takes a YAML file or the name of a config, such as 421-ppo")
    file = config_file(config)
    load_config(file)
    print(config_text(file), end="")


def _trained(config: Path, seed: int | None, settings: list[str], name: str | None, runs: Path) -> Any:
    config = config_file(config)
    loaded = load_config(config, settings, seed=seed, tell=lambda text: print(f"nenette: {text}", file=sys.stderr))
    training = _training()
    if seed is not None:
        settings = [*settings, f"seed={seed}"]
    return training.train(loaded, runs, name or f"{config.stem}-seed{loaded.seed}", Console(stderr=True), settings)


def _resumed(folder: Path) -> Any:
    return _training().resume(folder, Console(stderr=True))


def _training() -> Any:
    """The module that trains.

    Raises:
        MissingExtraError: the packages that it needs are not installed.
    """
    try:
        from nenette_agents.training import run as training
    except ModuleNotFoundError as error:
        raise missing_extra("training", "train", error) from error
    return training
