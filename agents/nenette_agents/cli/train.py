"""`nenette train`: a config, or a run that is to go on, to a finished run; several seeds side by side.

The command line imports this for every command: configs are imported when one is read.
"""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from nenette_agents.cli import options
from nenette_agents.cli.options import Json, Runs
from nenette_agents.errors import ConfigError, RunError, missing_extra, shown
from nenette_agents.terminal.tables import output

__all__ = ["seeds_of", "train"]

_MOST_SEEDS = 1000


def train(
    config: Annotated[
        Path | None,
        typer.Argument(
            help="A YAML file, or the name of a config that comes with the package, such as 421-ppo.",
            show_default=False,
            autocompletion=options.configs,
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="In place of the config's seed.")] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            metavar="SEEDS",
            help="Train several seeds, such as 0-4 or 1,3,7, a run each.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="How many of --seeds are trained at the same time.")] = 1,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Override one value; may be repeated. With --resume: total_timesteps, evaluation and checkpoint.",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The run's name.", show_default="the config's, and the seed")] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Go on with a run, by folder or by name: one that was stopped or killed ends as if it had never been, "
            "and one that is finished is trained further by --set total_timesteps=N.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--print", help="Print the config's file, and train nobody.")] = False,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Train an agent as a config says, and score it exactly as it learns."""
    overrides = settings or []
    if show:
        _show(config)
        return
    if resume is not None:
        given = {"a config": config, "--seed": seed, "--seeds": seeds, "--name": name}
        contradicting = [what for what, value in given.items() if value is not None]
        if contradicting:
            raise RunError(f"--resume goes on as the run's own config says: {contradicting[0]} cannot be given with it")
        from nenette_agents.runs.folders import find_run

        folder = find_run(resume, runs)
        _report(_training("resuming").resume(folder, Console(stderr=True), overrides), as_json)
        return
    if config is None:
        raise ConfigError("train takes a YAML file or the name of a config, such as 421-ppo, or --resume and a run")
    from nenette_agents.config.files import config_file

    file = config_file(config)
    if seeds is not None:
        if seed is not None:
            raise ConfigError("--seed and --seeds cannot be given together")
        _train_seeds(file, seeds_of(seeds), jobs, overrides, name or file.stem, runs, as_json)
        return
    from nenette_agents.config.loading import load_config

    loaded = load_config(file, overrides, seed=seed, tell=_tell)
    if seed is not None:
        overrides = [*overrides, f"seed={seed}"]
    called = name or f"{file.stem}-seed{loaded.seed}"
    _report(_training("run").train(loaded, runs, called, Console(stderr=True), overrides), as_json)


def seeds_of(text: str) -> list[int]:
    """The seeds in "0-4", "1,3,7" or "0-2,9", in order.

    Raises:
        ConfigError: it says something else, or a seed twice.
    """
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        if ends is None or (last := int(ends[2] or ends[1])) < int(ends[1]) or last - int(ends[1]) >= _MOST_SEEDS:
            raise ConfigError(f"--seeds {shown(text)}: seeds such as 0-4 or 1,3,7 were expected")
        found += range(int(ends[1]), last + 1)
    if len(set(found)) < len(found):
        raise ConfigError(f"--seeds {shown(text)}: each seed was expected once")
    return found


def _tell(sentence: str) -> None:
    print(f"nenette: {sentence}", file=sys.stderr)


def _show(config: Path | None) -> None:
    if config is None:
        raise ConfigError("--print takes a YAML file or the name of a config, such as 421-ppo")
    from nenette_agents.config.files import config_file, config_text
    from nenette_agents.config.loading import load_config

    file = config_file(config)
    load_config(file)
    print(config_text(file), end="")


def _report(outcome: Any, as_json: bool) -> None:
    """Says what came of a training; exit code 130 if it was interrupted."""
    if outcome.status == "interrupted":
        _tell(
            f"interrupted; what there is was kept in {outcome.folder}, "
            f"and this goes on: nenette train --resume {outcome.folder}"
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


def _train_seeds(
    file: Path, seeds: list[int], jobs: int, overrides: list[str], name: str, runs: Path, as_json: bool
) -> None:
    """Trains a process a seed; Ctrl-C stops all of them, and each keeps what it has."""
    from nenette_agents.cli.runs import print_runs
    from nenette_agents.config.loading import load_config
    from nenette_agents.runs.listing import facts_of
    from nenette_agents.training.parallel import InterruptedTrainings, Job, run_trainings

    load_config(file, overrides, seed=seeds[0], tell=_tell)
    _training("run")
    done: list[Job] = []

    def ended(job: Job) -> None:
        done.append(job)
        _tell(f"{len(done)} of {len(seeds)} seeds are trained")

    asked = [Job(file, seed, overrides, f"{name}-seed{seed}") for seed in seeds]
    interrupted = False
    try:
        reports = run_trainings(asked, runs, at_a_time=jobs, ended=ended)
    except InterruptedTrainings as error:
        reports, interrupted = error.reports, True
        for report in reports:
            if report["status"] == "interrupted":
                _tell(f"interrupted; this goes on: nenette train --resume {report['run']}")
        begun = {report["seed"] for report in reports}
        waiting = [str(seed) for seed in seeds if seed not in begun]
        if waiting:
            _tell(f"not begun: --seeds {','.join(waiting)}")
    if as_json:
        print(json.dumps({"runs": reports}))
    elif reports:
        print_runs([facts_of(Path(report["run"])) for report in reports])
    if interrupted:
        raise typer.Exit(130)


def _training(module: str) -> Any:
    """A module of the package that trains.

    Raises:
        MissingExtraError: the packages that it needs are not installed.
    """
    try:
        return import_module(f"nenette_agents.training.{module}")
    except ModuleNotFoundError as error:
        raise missing_extra("training", "train", error) from error
