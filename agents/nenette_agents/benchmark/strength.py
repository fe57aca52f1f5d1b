"""How strong agents get: several seeds of many configs, each scored exactly, and the medians in one table."""

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from rich.console import Console

from nenette.writing import replace_file
from nenette_agents.benchmark.demo import made_with
from nenette_agents.benchmark.strength_figures import FIGURES, Measured
from nenette_agents.config import files
from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.errors import ConfigError, RunError, nearest, shown
from nenette_agents.runs.folders import open_run, read_json, versions
from nenette_agents.training.parallel import Job, run_trainings

__all__ = ["FEWEST_SEEDS", "Cell", "markdown", "read_cells", "report_on", "train_all"]


class Cell(BaseModel):
    """One line of the table.

    Attributes:
        config: the name of a file in the folder of the configs, without its ending.
        figure: what is measured, one of `FIGURES`.
        at_most: what the median is to stay under, in the endless game if the played one is truncated; None where it
            is to be at least something.
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


class _ByAnotherConfigError(RunError):
    """A run that another config made lies where a run is looked for."""


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
        if not config.trains_as(self.config):
            raise _ByAnotherConfigError(
                f"{self.folder} is a run by another config than {self.path}: move it away, or give --runs"
            )
        status: str = run.facts["status"]
        return status

    def finished(self) -> bool:
        """Whether the run is there, by this config, and came to its end."""
        try:
            return self.status() == "finished"
        except _ByAnotherConfigError:
            return False


_TITLES = {
    "turns": "turns above the optimum",
    "exploitability": "exploitability",
    "share": "share of the best response",
}
_NOTHING = 1e-9
"""An exploitability of the endless game up to this counts as 0: what is left is rounding."""
FEWEST_SEEDS = 5
"""A table with fewer says little: in demi-iles a training ends at an exploitability of 0 or of 1."""


def read_cells(path: Path, only: Sequence[str] = ()) -> list[Cell]:
    """The lines of the table, from a YAML file.

    Raises:
        ConfigError: the file is no list of cells, or `only` names a config that it does not have.
    """
    try:
        cells = TypeAdapter(list[Cell]).validate_python(files.read(path))
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
    trainings = _trainings(cells, configs, runs, seeds)
    jobs = []
    for training in trainings:
        status = training.status()
        if status != "finished":
            resumed = training.folder if status is not None else None
            jobs.append(Job(training.path, training.config.seed, (), training.folder.name, resumed))
    console.print(f"{len(trainings)} runs, {len(jobs)} of them to train", highlight=False)
    run_trainings(jobs, runs, at_a_time=at_a_time)
    return report_on(cells, configs, runs, seeds=seeds)


def report_on(cells: Sequence[Cell], configs: Path, runs: Path, *, seeds: Sequence[int]) -> dict[str, Any]:
    """The report on what is trained already; nothing is trained.

    A line of which a seed was not trained to its end, by the config as it is now, is left out and named in `missing`.

    Raises:
        ValueError: a config or a run's file is wrong.
        OSError: a run cannot be read, or its figures cannot be kept beside it.
    """
    lines, missing, made = [], [], []
    for cell in cells:
        own = _trainings([cell], configs, runs, seeds)
        if not all(training.finished() for training in own):
            missing.append(cell.config)
            continue
        opened = [open_run(training.folder)[0] for training in own]
        made += [run.facts["versions"] for run in opened]
        last = [run.metrics()[-1] for run in opened]
        times = {name: [line.get(name) for line in last] for name in ("seconds", "cpu_seconds")}
        lines.append(_line(cell, list(seeds), [_measured(training) for training in own], times))
    found = _together(made) if made else versions()
    report = {"cores": os.cpu_count(), "versions": found, "seeds": list(seeds), "lines": lines, "missing": missing}
    finite: dict[str, Any] = _finite(report)
    return finite


def _finite(figures: Any) -> Any:
    """The same with None for a play that may never end, because JSON has no infinity."""
    if isinstance(figures, dict):
        return {name: _finite(one) for name, one in figures.items()}
    if isinstance(figures, list):
        return [_finite(one) for one in figures]
    return None if figures == math.inf else figures


def _together(made: list[dict[str, str]]) -> dict[str, str]:
    """What the runs were made with; where they differ, each of it."""
    names = dict.fromkeys(name for one in made for name in one)
    return {name: " or ".join(sorted({one.get(name, "not known") for one in made})) for name in names}


def _line(cell: Cell, seeds: list[int], found: list[Measured], times: dict[str, list[float | None]]) -> dict[str, Any]:
    summary = _over_seeds(cell, found)
    others = [one.other_player for one in found]
    wanted = summary["endless"]["median"] if summary["endless"] else summary["median"]
    return {
        **cell.model_dump(),
        "seeds": seeds,
        **summary,
        "other_player": _over_seeds(cell, [one for one in others if one is not None]) if all(others) else None,
        "reached": cell.reached(wanted),
        **times,
    }


def _over_seeds(cell: Cell, found: list[Measured]) -> dict[str, Any]:
    """Figures of all seeds and their medians, of the game as it is played and of the endless one."""
    figures = [one.value for one in found]
    endless = [one.endless for one in found if one.endless is not None]
    summary: dict[str, Any] = {"plays": [one.plays for one in found], "figures": figures, "median": median(figures)}
    summary["endless"] = {"figures": endless, "median": median(endless)} if endless else None
    if endless and cell.figure == "exploitability":
        summary["endless"]["unexploitable"] = sum(one <= _NOTHING for one in endless)
    return summary


def _trainings(cells: Sequence[Cell], configs: Path, runs: Path, seeds: Sequence[int]) -> list[_Training]:
    return [_training(cell, configs, runs, seed) for cell in cells for seed in seeds]


def _training(cell: Cell, configs: Path, runs: Path, seed: int) -> _Training:
    path = configs / f"{cell.config}.yaml"
    config = load_config(path, seed=seed)
    folder = runs / config.game / config.algorithm / f"{cell.config}-seed{seed}"
    return _Training(cell, path, config, folder)


def _measured(training: _Training) -> Measured:
    """The figure of a finished run, kept beside it for the policy that it is about."""
    file = training.folder / "strength.json"
    policy = read_json(training.folder / "policy.json").get("tensors_sha256")
    content = read_json(file) if file.exists() else {}
    # Earlier versions kept a "value" alone, which says less: it is measured again.
    if content.get("policy") == policy and content.get("figure") == training.cell.figure and "measured" in content:
        measured = _from_json(content["measured"])
        if measured is None:
            given = shown(content["measured"])
            raise RunError(f"{file} is damaged: its measured is {given}, and figures of both players are expected")
        return measured
    found = FIGURES[training.cell.figure](training.folder, training.config, training.config.make_game())
    content = {"figure": training.cell.figure, "measured": _finite(asdict(found)), "policy": policy}
    replace_file(file, (json.dumps(content, allow_nan=False) + "\n").encode())
    return found


def _from_json(entry: Any) -> Measured | None:
    """What was saved; None if it is no figure of both players."""
    try:
        return TypeAdapter(Measured).validate_python(_infinite(entry), strict=False)
    except ValidationError:
        return None


def _infinite(entry: Any) -> Any:
    """What `_finite` made of a `Measured`, with infinity again."""
    if not isinstance(entry, dict):
        return entry
    value = math.inf if entry.get("value", 0.0) is None else entry.get("value")
    return {**entry, "value": value, "other_player": _infinite(entry.get("other_player"))}


def markdown(report: dict[str, Any]) -> str:
    """The report as a Markdown table with a line below that says how it came about."""
    header = ["config", "figure", "wanted", "median", "each seed", "endless game", "the other player", "processor time"]
    rows = ["| " + " | ".join(header) + " |", "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for line in report["lines"]:
        rows.append("| " + " | ".join(_cells(line)) + " |")
    seeds, missing = len(report["seeds"]), ", ".join(report["missing"])
    without = (
        f"Not trained with {seeds} seeds by its present config, and so without a line: {missing}. " if missing else ""
    )
    return "\n".join(
        [
            *rows,
            "",
            f"Exact figures of {seeds} seeds, of the player that is named: greedy always takes the likeliest action, "
            "sampled draws actions by their probabilities; the other player is the same network played the other way. "
            "Games are those that are played, which demi-iles cuts after `max_turns`; what is wanted is wanted in the "
            f"endless game where there is one. {without}Processor time is that of one training, the median over the "
            f"seeds, on a machine of {report['cores']} cores; {made_with(report['versions'])}.",
            "",
        ]
    )


def _cells(line: dict[str, Any]) -> list[str]:
    bound, sign = (line["at_most"], "≤") if line["at_least"] is None else (line["at_least"], "≥")
    wanted = f"{sign} {_shown(line, bound)}{', endless game' if line['endless'] else ''}"
    middle = _shown(line, line["median"]) + ("" if line["reached"] else " (not reached)")
    figure = f"{_TITLES[line['figure']]} ({' or '.join(sorted({str(way) for way in line['plays']}))})"
    other = line["other_player"]
    spent = line["cpu_seconds"]
    time = "–" if None in spent else f"{median(spent):.0f} s"  # runs of earlier versions did not note it
    return [line["config"], figure, wanted, middle, _each(line, line), _endless(line, line), _other(line, other), time]


def _each(line: dict[str, Any], measured: dict[str, Any]) -> str:
    return ", ".join(_shown(line, figure) for figure in measured["figures"])


def _endless(line: dict[str, Any], measured: dict[str, Any]) -> str:
    endless = measured["endless"]
    if not endless:
        return "–"
    if "unexploitable" in endless:
        many = f"{endless['unexploitable']} of {len(endless['figures'])} seeds unexploitable"
    else:
        many = _shown(line, endless["median"])
    return f"{many} ({_each(line, endless)})"


def _other(line: dict[str, Any], other: dict[str, Any] | None) -> str:
    if other is None:
        return "–"
    ways = " or ".join(sorted({str(way) for way in other["plays"]}))
    endless = f"; endless game: {_endless(line, other)}" if other["endless"] else ""
    return f"{ways}: {_shown(line, other['median'])} ({_each(line, other)}){endless}"


def _shown(line: dict[str, Any], figure: float | None) -> str:
    if figure is None:
        return "no end"
    return f"{figure:.4f}" if line["figure"] == "exploitability" else f"{figure:.1%}"
