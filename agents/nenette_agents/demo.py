"""The demo: several trainings side by side, and their exact scores in one table."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nenette_agents.errors import RunError
from nenette_agents.runs import versions

__all__ = ["BEGIN", "END", "markdown", "results", "run_trainings", "write_into"]

_EXTRA = {
    "exploitability": "exploitability",
    "exploitability_within_max_turns": "the same, games cut",
    "regret": "regret a decision",
}
_SHOWN = (0, 1, 5, 6, 7, 8)
"""The columns that a terminal has room for."""
BEGIN, END = "<!-- demo:begin -->", "<!-- demo:end -->"


@dataclass
class _Training:
    """One process of `nenette train`; what it tells on stderr is passed on line by line."""

    config: Path
    process: "subprocess.Popen[str]"
    listener: Thread

    @classmethod
    def start(cls, config: Path, runs: Path, seed: int | None, console: Console) -> "_Training":
        command = [sys.executable, "-m", "nenette_agents", "train", str(config), "--runs", str(runs), "--json"]
        if seed is not None:
            command += ["--seed", str(seed)]
        # One core each: two trainings on two cores must not fight over them.
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

        def listen() -> None:
            assert process.stderr is not None
            for line in process.stderr:
                console.print(line.rstrip(), soft_wrap=True, highlight=False, markup=False)

        listener = Thread(target=listen, daemon=True)
        listener.start()
        return cls(config, process, listener)

    def outcome(self) -> dict[str, Any]:
        """What the training printed, once it is over.

        Raises:
            RunError: it failed.
        """
        assert self.process.stdout is not None
        with self.process:
            printed = self.process.stdout.read()
            self.listener.join()
        if self.process.returncode != 0:
            raise RunError(f"training {self.config} ended with exit code {self.process.returncode}")
        found: dict[str, Any] = json.loads(printed)
        return found


def run_trainings(configs: list[Path], runs: Path, *, seed: int | None, at_a_time: int) -> list[dict[str, Any]]:
    """Trains as each config says, `at_a_time` of them in parallel; their outcomes in the order of the configs.

    Raises:
        RunError: a training failed; the others are stopped.
    """
    console = Console(stderr=True)
    waiting, running, outcomes = list(configs), list[_Training](), dict[Path, dict[str, Any]]()
    try:
        while waiting or running:
            while waiting and len(running) < at_a_time:
                running.append(_Training.start(waiting.pop(0), runs, seed, console))
            for training in [t for t in running if t.process.poll() is not None]:
                running.remove(training)
                outcomes[training.config] = training.outcome()
            time.sleep(0.1)
    finally:
        for training in running:
            with training.process:
                training.process.terminate()
                training.listener.join()
    return [outcomes[config] for config in configs]


def results(outcomes: list[dict[str, Any]], folder: Path, seconds: float) -> None:
    """Prints the outcomes as a table and writes them into `folder` as results.md and results.json."""
    folder.mkdir(parents=True, exist_ok=True)
    report = {"seconds": round(seconds, 1), "cores": os.cpu_count(), "versions": versions(), "runs": outcomes}
    (folder / "results.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    (folder / "results.md").write_text(markdown(report), encoding="utf-8")
    table = Table()
    header, *rows = ([row[place] for place in _SHOWN] for row in _cells(outcomes))
    for place, title in enumerate(header):
        longest = max(map(len, title.split()))
        table.add_column(title, justify="left" if place < 2 else "right", min_width=longest)
    for row in rows:
        table.add_row(*row)
    console = Console()
    console.print(table, Text(_caption(report)))
    console.print(f"Written to {folder / 'results.md'}", highlight=False, soft_wrap=True)


def markdown(report: dict[str, Any]) -> str:
    """The report as a Markdown table with a line below that says how it came about."""
    header, *rows = _cells(report["runs"])
    alignment = ["---" if place < 2 else "---:" for place in range(len(header))]
    lines = ["| " + " | ".join(cells) + " |" for cells in (header, alignment, *rows)]
    return "\n".join([*lines, "", _caption(report), ""])


def _cells(outcomes: list[dict[str, Any]]) -> list[list[str]]:
    rows = [["game", "agent", "seed", "steps", "time", "value vs optimal", *_EXTRA.values()]]
    for outcome in outcomes:
        score = outcome["score"]
        rows.append(
            [
                score["game"],
                outcome["algorithm"].upper(),
                str(outcome["seed"]),
                f"{outcome['steps']:,}",
                f"{score['seconds']:.0f} s",
                f"{score['value']:+.4f}",
                *(_figure(name, score.get(name)) for name in _EXTRA),
            ]
        )
    return rows


def _figure(name: str, figure: float | None) -> str:
    if figure is None:
        return "–"
    return f"{figure:.5f}" if name == "regret" else f"{figure:.4f}"


def _caption(report: dict[str, Any]) -> str:
    found = report["versions"]
    exact = all(outcome["score"]["exact"] for outcome in report["runs"])
    how = "every figure is exact" if exact else "some figures are sampled"
    return (
        f"Win +1, draw 0, loss −1, both seats counted equally; {how}. "
        f"{report['seconds']:.0f} s in all on {report['cores']} cores; nenette {found['nenette']}, "
        f"Python {found['python']}, torch {found['torch']}, stable-baselines3 {found['stable-baselines3']}."
    )


def write_into(page: Path, results_page: Path) -> None:
    """Replaces what stands between the demo's markers in `page` by the results.

    Raises:
        RunError: the page does not have both markers, in that order.
    """
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise RunError(f"{page}: the markers {BEGIN} and {END} were expected, in that order")
    table = results_page.read_text(encoding="utf-8")
    page.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")
