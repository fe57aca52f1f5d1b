"""How strong PPO and DQN get: five seeds of every config in scripts/strength.yaml, scored exactly.

    python scripts/strength.py [--only CONFIG ...] [--seed SEED ...] [--finished] [--json] [--readme]

Takes hours. It may be stopped at any moment and called again: what is finished is kept, what is not goes on from its
last checkpoint. The table goes to runs/strength/results.md and results.json. With --readme every line of which all
seeds are finished, `--only` or not, also goes between the marks `strength:begin` and `strength:end` in README.md, and
the others are named below it. That wants five seeds at least: in the endless demi-iles a training ends at an
exploitability of 0 or of 1, so few seeds tell little.
"""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nenette.writing import replace_file
from nenette_agents.benchmark.demo import write_into
from nenette_agents.benchmark.strength import FEWEST_SEEDS, markdown, read_cells, report_on, train_all
from nenette_agents.cli.app import run_script
from nenette_agents.errors import RunError

ROOT = Path(__file__).resolve().parents[1]


def main(
    only: Annotated[list[str] | None, typer.Option(metavar="CONFIG", help="Only this line; may be repeated.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="In place of 0 to 4; may be repeated.")] = None,
    at_a_time: Annotated[int, typer.Option(help="How many trainings run in parallel, each on one core.")] = 2,
    cells: Annotated[Path, typer.Option(metavar="FILE", help="The lines of the table.")] = ROOT
    / "scripts"
    / "strength.yaml",
    configs: Annotated[Path, typer.Option(metavar="DIR", help="Where the configs lie.")] = ROOT / "configs",
    runs: Annotated[Path, typer.Option(metavar="DIR", help="Where the runs lie.")] = ROOT / "runs" / "strength",
    finished: Annotated[
        bool, typer.Option("--finished", help="Train nothing: show the lines that are finished.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
    readme: Annotated[bool, typer.Option("--readme", help="Put all finished lines into README.md as well.")] = False,
) -> None:
    """Train, score exactly, and tell the medians."""
    seeds = sorted(set(seed or range(FEWEST_SEEDS)))
    if readme and len(seeds) < FEWEST_SEEDS:
        raise RunError(
            f"--readme: a table of {FEWEST_SEEDS} seeds or more was expected, and {len(seeds)} are asked for"
        )
    chosen = read_cells(cells, only or [])
    console = Console(stderr=True)
    if finished:
        report = report_on(chosen, configs, runs, seeds=seeds)
    else:
        report = train_all(chosen, configs, runs, seeds=seeds, at_a_time=at_a_time, console=console)
    print(json.dumps(report) if as_json else markdown(report))
    if readme:
        report = report_on(read_cells(cells), configs, runs, seeds=seeds)
    runs.mkdir(parents=True, exist_ok=True)
    replace_file(runs / "results.json", (json.dumps(report, indent=2) + "\n").encode())
    replace_file(runs / "results.md", markdown(report).encode())
    if readme:
        write_into(ROOT / "README.md", runs / "results.md", "strength")


if __name__ == "__main__":
    run_script(lambda: typer.run(main))
