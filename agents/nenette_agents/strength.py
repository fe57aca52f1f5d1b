"""How strong agents get: several seeds of many configs, each scored exactly, and the medians in one table."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from rich.console import Console

from nenette.games import Game
from nenette.matches import score
from nenette.policies import BEST_RESPONSE, load_opponent
from nenette.policies.files import read_policy
from nenette.writing import replace_file
from nenette_agents import yaml_files
from nenette_agents.config import Config, load_config
from nenette_agents.errors import ConfigError, RunError, nearest, shown
from nenette_agents.parallel import Job, run_trainings
from nenette_agents.runs import open_run, read_json, versions

__all__ = ["Cell", "markdown", "read_cells", "train_all"]


class Cell(BaseModel):
    """One line of the table.

    Attributes:
        config: the name of a file in the same folder, without its ending.
        figure: what is measured, one of `FIGURES`.
        at_most: what the median is to stay under; None where it is to be at least something.
        at_least: what it is to reach.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    config: str
    figure: Literal["turns", "exploitability", "share"]
    at_most: Annotated[float | None, Field(ge=0)] = None
    at_least: Annotated[float | None, Field(ge=0)] = None

    def reached(self, value: float) -> bool:
        """Whether `value` is as good as it is to be."""
        return (self.at_most is None or value <= self.at_most) and (self.at_least is None or value >= self.at_least)


@dataclass(frozen=True)
class _Training:
    """One seed of a cell."""

    cell: Cell
    path: Path
    config: Config
    folder: Path

    def status(self) -> str | None:
        """What the run says of itself; None if there is none.

        Raises:
            RunError: the run in the folder is by another config.
        """
        if not (self.folder / "run.json").exists():
            return None
        run, config = open_run(self.folder)
        if config != self.config:
            raise RunError(f"{self.folder} is a run by another config than {self.path}: move it away, or give --runs")
        status: str = run.facts["status"]
        return status


def _turns(folder: Path, config: Config, game: Game[Any]) -> float:
    """The better of both ways of playing; infinite if neither surely ends."""
    solo = score(read_policy(folder, game), game).solo
    assert solo is not None
    ways = [way["turns"] for way in (solo["sampled"], solo["greedy"]) if way["turns"] is not None]
    return min(ways, default=float("inf")) / float(solo["optimum"]) - 1


def _exploitability(folder: Path, config: Config, game: Game[Any]) -> float:
    found = score(read_policy(folder, game), game, load_opponent("optimal", game)).exploitability
    assert found is not None
    return found


def _share(folder: Path, config: Config, game: Game[Any]) -> float:
    """The value against the opponent over the best response's."""
    against = config.evaluation.against
    opponent = load_opponent(str(against), game)
    best = score(load_opponent(f"{BEST_RESPONSE}{against}", game), game, opponent).value
    value = score(read_policy(folder, game), game, opponent).value
    assert best is not None
    assert value is not None
    return value / best


FIGURES: dict[str, Callable[[Path, Config, Game[Any]], float]] = {
    "turns": _turns,
    "exploitability": _exploitability,
    "share": _share,
}
"""What is measured of a finished run; each is exact."""

_TITLES = {
    "turns": "turns above the optimum",
    "exploitability": "exploitability",
    "share": "share of the best response",
}


def read_cells(path: Path, only: Sequence[str] = ()) -> list[Cell]:
    """The lines of the table, from a YAML file.

    Raises:
        ConfigError: the file is no list of cells, or `only` names a config that it does not have.
    """
    try:
        cells = TypeAdapter(list[Cell]).validate_python(yaml_files.read(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{path}: {where or 'the file'}: {first['msg'].lower()}") from None
    names = [cell.config for cell in cells]
    for name in only:
        if name not in names:
            raise ConfigError(f"{path} has no line {name!r}; it has {', '.join(names)}{nearest(name, names)}")
    return [cell for cell in cells if not only or cell.config in only]


def train_all(
    cells: Sequence[Cell], configs: Path, runs: Path, *, seeds: Sequence[int], at_a_time: int, console: Console
) -> dict[str, Any]:
    """Trains what is not trained yet, scores what is not scored yet, and gives the report.

    Whatever interrupts it, calling it again goes on: finished runs are kept, others are resumed.

    Raises:
        ValueError: a config is wrong, a run is by another one, or a training failed.
        OSError: a run cannot be written.
    """
    trainings = [_training(cell, configs, runs, seed) for cell in cells for seed in seeds]
    jobs = []
    for training in trainings:
        status = training.status()
        if status != "finished":
            resumed = training.folder if status is not None else None
            jobs.append(Job(training.path, training.config.seed, (), training.folder.name, resumed))
    console.print(f"{len(trainings)} runs, {len(jobs)} of them to train", highlight=False)
    run_trainings(jobs, runs, at_a_time=at_a_time)
    lines = []
    for cell in cells:
        own = [training for training in trainings if training.cell == cell]
        figures = [_figure(training) for training in own]
        seconds = [open_run(training.folder)[0].metrics()[-1]["seconds"] for training in own]
        lines.append(
            {
                **cell.model_dump(),
                "seeds": list(seeds),
                "figures": figures,
                "median": median(figures),
                "reached": cell.reached(median(figures)),
                "seconds": seconds,
            }
        )
    return {"cores": os.cpu_count(), "versions": versions(), "lines": lines}


def _training(cell: Cell, configs: Path, runs: Path, seed: int) -> _Training:
    path = configs / f"{cell.config}.yaml"
    config = load_config(path, seed=seed)
    folder = runs / config.game / config.algorithm / f"{cell.config}-seed{seed}"
    return _Training(cell, path, config, folder)


def _figure(training: _Training) -> float:
    """The figure of a finished run, kept beside it for the policy that it is about."""
    kept = training.folder / "strength.json"
    policy = read_json(training.folder / "policy.json").get("tensors_sha256")
    told = read_json(kept) if kept.exists() else {}
    if told.get("policy") == policy and told.get("figure") == training.cell.figure:
        if type(told.get("value")) not in (int, float):
            raise RunError(f"{kept} is damaged: its value is {shown(told.get('value'))}, and a number is expected")
        return float(told["value"])
    value = FIGURES[training.cell.figure](training.folder, training.config, training.config.make_game())
    told = {"figure": training.cell.figure, "value": value, "policy": policy}
    replace_file(kept, (json.dumps(told) + "\n").encode())
    return value


def markdown(report: dict[str, Any]) -> str:
    """The report as a Markdown table with a line below that says how it came about."""
    rows = ["| config | figure | wanted | median | each seed | time |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    for line in report["lines"]:
        wanted = (
            f"≤ {_shown(line, line['at_most'])}" if line["at_least"] is None else f"≥ {_shown(line, line['at_least'])}"
        )
        each = ", ".join(_shown(line, figure) for figure in line["figures"])
        middle = _shown(line, line["median"]) + ("" if line["reached"] else " (not reached)")
        cells = [line["config"], _TITLES[line["figure"]], wanted, middle, each, f"{median(line['seconds']):.0f} s"]
        rows.append("| " + " | ".join(cells) + " |")
    found = report["versions"]
    return "\n".join(
        [
            *rows,
            "",
            f"Exact figures; median over the seeds, time of one training on one core of {report['cores']}; "
            f"nenette {found['nenette']}, Python {found['python']}, torch {found['torch']}, "
            f"stable-baselines3 {found['stable-baselines3']}.",
            "",
        ]
    )


def _shown(line: dict[str, Any], figure: float) -> str:
    return f"{figure:.4f}" if line["figure"] == "exploitability" else f"{figure:.1%}"
