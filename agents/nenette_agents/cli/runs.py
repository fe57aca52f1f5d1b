"""`nenette runs`: the runs there are, with their last scores; several compared, and their curves in one picture."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from nenette_agents.cli.options import Json, Runs
from nenette_agents.errors import RunError, missing_extra
from nenette_agents.terminal.tables import Column, WideTable, output

__all__ = ["print_runs", "runs"]


def runs(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Runs to compare, by folder or by name, with the keys in which their configs differ.",
            show_default="all",
        ),
    ] = None,
    game: Annotated[str | None, typer.Option(help="Only this game's.", show_default=False)] = None,
    status: Annotated[
        str | None,
        typer.Option(help="Only the running, finished, interrupted or failed ones.", show_default=False),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw their curves into one picture, a PNG.", show_default=False),
    ] = None,
    folder: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """List runs with their last exact scores, and compare some of them."""
    from nenette_agents.runs.listing import config_differences, facts_of, run_folders

    listed = [facts_of(one) for one in run_folders(folder, names or ())]
    listed = [one for one in listed if game in (None, one.get("game")) and status in (None, one["status"])]
    if not listed:
        raise RunError(f"there are no runs to show in {folder}")
    compared = names is not None and len(listed) > 1
    differ = config_differences([Path(one["run"]) for one in listed]) if compared else {}
    if plot is not None:
        _draw([Path(one["run"]) for one in listed], plot)
    if as_json:
        print(json.dumps({"runs": listed, "differences": differ, "plot": None if plot is None else str(plot)}))
        return
    print_runs(listed)
    if differ:
        names_of_runs = [Column(one["name"], figures=False) for one in listed]
        rows = [[key, *(json.dumps(value) for value in values)] for key, values in differ.items()]
        output().print(WideTable([Column("config", figures=False, key=True), *names_of_runs], rows))
    if plot is not None:
        print(f"The curves are in {plot}")


def print_runs(listed: Sequence[dict[str, Any]]) -> None:
    """Prints what is listed of runs as a table."""
    columns = [
        Column("run", figures=False, key=True),
        *(Column(name, figures=False) for name in ("game", "algorithm")),
        Column("seed"),
        Column("status", figures=False),
        *(Column(name) for name in ("steps", "seconds")),
        Column("against", figures=False),
        *(Column(name) for name in ("value", "exploitability", "regret")),
    ]
    output().print(WideTable(columns, [_row(one) for one in listed]))
    for one in listed:
        if "damaged" in one:
            print(one["damaged"])


def _row(facts: dict[str, Any]) -> list[str]:
    figures = [facts.get(name) for name in ("value", "exploitability", "regret")]
    sampled = "" if facts.get("exact") is not False else " (sampled)"
    shown = ["" if figure is None else f"{figure:.4f}" for figure in figures]
    seconds, seed = facts.get("seconds"), facts.get("seed")
    return [
        facts["name"],
        str(facts.get("game") or ""),
        str(facts.get("algorithm") or ""),
        "" if seed is None else str(seed),
        facts["status"],
        f"{facts.get('steps', 0):,}",
        "" if seconds is None else f"{seconds:.0f}",
        str(facts.get("against") or ""),
        f"{shown[0]}{sampled}" if shown[0] else "",
        *shown[1:],
    ]


def _draw(folders: Sequence[Path], plot: Path) -> None:
    from nenette_agents.runs.folders import Run
    from nenette_agents.runs.listing import draw_curves

    try:
        draw_curves({folder.name: Run(folder, {}).metrics() for folder in folders}, plot)
    except ModuleNotFoundError as error:
        raise missing_extra("drawing", "train", error) from error
