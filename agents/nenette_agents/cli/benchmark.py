"""`nenette benchmark`: a suite, run as far as it has not been run yet."""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from nenette_agents.cli import options
from nenette_agents.cli.options import Json, Runs
from nenette_agents.cli.train import seeds_of
from nenette_agents.errors import ConfigError, missing_extra, shown
from nenette_agents.terminal.tables import Column, WideTable, output

if TYPE_CHECKING:
    from nenette_agents.benchmark.results import Results

__all__ = ["benchmark"]

_MOST_SEEDS = 1000


def benchmark(
    suite: Annotated[
        Path,
        typer.Argument(
            help="A YAML file, or the name of a benchmark that comes with the package, such as smoke.",
            show_default=False,
            autocompletion=options.suites,
        ),
    ],
    seeds: Annotated[
        str | None,
        typer.Option(
            metavar="SEEDS",
            help="How many seeds, such as 10, which are 0 to 9; or which, such as 5-9 or 1,3.",
            show_default="as many as the suite says",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="How many runs there are at the same time.")] = 1,
    tasks: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Only these tasks, with commas between them.", show_default="all"),
    ] = None,
    learners: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Only these learners, with commas between them; one that is registered, or module:object, takes part "
            "even if the suite does not have it.",
            show_default="all of the suite",
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Make runs anew that other settings made, instead of stopping there."),
    ] = False,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the Ray cluster there; local: on one that is begun on this machine, with --jobs cores.",
            show_default=False,
        ),
    ] = None,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Compare learning algorithms: run a benchmark's suite, and go on where it was stopped."""
    try:
        from nenette_agents.benchmark.runner import InterruptedBenchmark, run_benchmark
    except ModuleNotFoundError as error:
        raise missing_extra("a benchmark", "train", error) from error
    from nenette_agents.benchmark.display import Display
    from nenette_agents.benchmark.ray_workers import RayWorkers
    from nenette_agents.benchmark.suite import load_suite
    from nenette_agents.benchmark.workers import LocalWorkers, Workers
    from nenette_agents.config.files import suite_file

    loaded = load_suite(suite_file(suite))
    workers: Workers = LocalWorkers(jobs) if ray is None else RayWorkers(ray, jobs)
    try:
        results = run_benchmark(
            loaded,
            runs,
            workers,
            Display(Console(stderr=True)),
            seeds=range(loaded.seeds) if seeds is None else _seeds(seeds),
            tasks=_names(tasks),
            learners=_names(learners),
            again=again,
            jobs=jobs if ray in (None, "local") else 0,
        )
    except InterruptedBenchmark as error:
        command = shlex.join(["nenette", *sys.argv[1:]])
        print(
            f"nenette: interrupted; {error.finished} of {error.total} runs are finished and kept, "
            f"and the same command goes on: {command}",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    failed = [run for run in results.runs if run.status == "failed"]
    if as_json:
        print(json.dumps(_report(results)))
    else:
        _print(results)
        print(f"The results are in {results.folder}")
    if failed:
        raise typer.Exit(1)


def _seeds(text: str) -> list[int]:
    """How many seeds, or which."""
    if "-" in text.strip()[1:] or "," in text:
        return seeds_of(text)
    if not text.strip().isdecimal():
        raise ConfigError(f"--seeds {shown(text)}: how many, such as 10, or which, such as 5-9 or 1,3, were expected")
    if not 1 <= int(text) <= _MOST_SEEDS:
        raise ConfigError(f"--seeds {shown(text)}: a number of seeds from 1 to {_MOST_SEEDS} was expected")
    return list(range(int(text)))


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _report(results: "Results") -> dict[str, object]:
    runs = [run.model_dump(mode="json", exclude={"curve", "made_with", "settings"}) for run in results.runs]
    return {
        "folder": str(results.folder),
        "finished": sum(run.status == "finished" for run in results.runs),
        "failed": sum(run.status == "failed" for run in results.runs),
        "runs": runs,
        "baselines": [baseline.model_dump(mode="json") for baseline in results.baselines],
        "made_with": results.made_with.model_dump(mode="json"),
    }


def _print(results: "Results") -> None:
    """A row for each learner, and for each baseline: its mean score in each task."""
    tasks = list(results.suite.tasks)
    rows = []
    for learner in results.suite.learners:
        found = [[run.score for run in results.finished(task, learner)] for task in tasks]
        if any(found):
            rows.append([learner, *(_mean([score for score in scores if score is not None]) for scores in found)])
    for name in dict.fromkeys(baseline.name for baseline in results.baselines):
        scores = {one.task: one.score for one in results.baselines if one.name == name}
        rows.append([f"{name} (not trained)", *(_mean([scores[task]] if task in scores else []) for task in tasks)])
    columns = [Column("mean score", figures=False, key=True), *(Column(task) for task in tasks)]
    output().print(WideTable(columns, rows))
    print("0: random, 1: the best possible play; means over the seeds that are finished.")


def _mean(scores: list[float]) -> str:
    return f"{sum(scores) / len(scores):+.3f}" if scores else "–"
