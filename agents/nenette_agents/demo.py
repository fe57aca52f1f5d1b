"""The demo's exact scores in one table."""

import json
import os
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nenette.writing import replace_file
from nenette_agents.errors import RunError
from nenette_agents.runs import versions

__all__ = ["BEGIN", "END", "markdown", "results", "write_into"]

_EXTRA = {
    "exploitability": "exploitability",
    "exploitability_within_max_turns": "the same, games cut",
    "regret": "regret a decision",
}
_SHOWN = (0, 1, 5, 6, 7, 8)
"""The columns that a terminal has room for."""
BEGIN, END = "<!-- {}:begin -->", "<!-- {}:end -->"


def results(outcomes: list[dict[str, Any]], folder: Path, seconds: float) -> None:
    """Prints the outcomes as a table and writes them into `folder` as results.md and results.json."""
    folder.mkdir(parents=True, exist_ok=True)
    report = {"seconds": round(seconds, 1), "cores": os.cpu_count(), "versions": versions(), "runs": outcomes}
    replace_file(folder / "results.json", (json.dumps(report, indent=2) + "\n").encode())
    replace_file(folder / "results.md", markdown(report).encode())
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


def write_into(page: Path, results_page: Path, what: str = "demo") -> None:
    """Replaces what stands between the markers of `what` in `page` by the results.

    Raises:
        RunError: the page does not have both markers, in that order.
    """
    text = page.read_text(encoding="utf-8")
    first, last = BEGIN.format(what), END.format(what)
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise RunError(f"{page}: the markers {first} and {last} were expected, in that order")
    table = results_page.read_text(encoding="utf-8")
    replace_file(page, f"{before}{first}\n{table}{last}{after}".encode())
