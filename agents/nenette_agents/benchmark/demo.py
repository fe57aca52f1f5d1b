"""The demo's exact scores in one table."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from nenette.writing import replace_file
from nenette_agents.errors import RunError
from nenette_agents.runs.folders import versions
from nenette_agents.terminal.tables import Column, WideTable, output

__all__ = ["BEGIN", "END", "cuts", "made_with", "markdown", "put_between", "results", "write_into"]

_FIGURES = {
    "value": "value vs optimal",
    "exploitability": "exploitability",
    "endless.value": "endless game: value",
    "endless.exploitability": "endless game: exploitability",
    "regret": "regret a decision",
}
_SHOWN = (0, 1, 2, 6, 7, 9)
"""The columns that a terminal has room for."""
BEGIN, END = "<!-- {}:begin -->", "<!-- {}:end -->"


def results(outcomes: list[dict[str, Any]], folder: Path, seconds: float) -> None:
    """Prints the outcomes as a table and writes them into `folder` as results.md and results.json."""
    folder.mkdir(parents=True, exist_ok=True)
    report = {"seconds": round(seconds, 1), "cores": os.cpu_count(), "versions": versions(), "runs": outcomes}
    replace_file(folder / "results.json", (json.dumps(report, indent=2) + "\n").encode())
    replace_file(folder / "results.md", markdown(report).encode())
    header, *rows = ([row[place] for place in _SHOWN] for row in _cells(outcomes))
    columns = [Column(title, figures=place >= 3, key=place < 3) for place, title in enumerate(header)]
    console = output()
    console.print(WideTable(columns, rows), Text(_caption(report)))
    console.print(f"Written to {folder / 'results.md'}", highlight=False, soft_wrap=True)


def markdown(report: dict[str, Any]) -> str:
    """The report as a Markdown table with a line below that says how it came about."""
    header, *rows = _cells(report["runs"])
    alignment = ["---" if place < 3 else "---:" for place in range(len(header))]
    lines = ["| " + " | ".join(cells) + " |" for cells in (header, alignment, *rows)]
    return "\n".join([*lines, "", _caption(report), ""])


def _cells(outcomes: list[dict[str, Any]]) -> list[list[str]]:
    """A row for each run, and one for the other player of its network, where the two differ."""
    rows = [["game", "agent", "plays", "seed", "steps", "processor time", *_FIGURES.values()]]
    for outcome in outcomes:
        score = outcome["score"]
        run = [str(outcome["seed"]), f"{outcome['steps']:,}", f"{score['cpu_seconds']:.0f} s"]
        for player in (score, score.get("other_player")):
            if player is not None:
                figures = [_figure(name, _value_of(player, name)) for name in _FIGURES]
                rows.append([score["game"], outcome["algorithm"].upper(), player.get("plays") or "–", *run, *figures])
    return rows


def _value_of(score: dict[str, Any], name: str) -> float | None:
    part, _, figure = name.rpartition(".")
    found: float | None = ((score.get(part) or {}) if part else score).get(figure)
    return found


def _figure(name: str, figure: float | None) -> str:
    if figure is None:
        return "–"
    if name.endswith("value"):
        return f"{round(figure, 4) + 0.0:+.4f}"  # no -0
    return f"{figure:.5f}" if name == "regret" else f"{figure:.4f}"


def cuts(scores: Iterable[dict[str, Any]]) -> str:
    """For a line below a table: after how many turns the games of its figures are truncated, if any are."""
    turns = {score["game"]: score["max_turns"] for score in scores if score.get("max_turns")}
    sentence = " and ".join(f"{game} is cut after {most} turns and drawn" for game, most in turns.items())
    return f"{sentence}, but for the endless game. " if sentence else ""


def _caption(report: dict[str, Any]) -> str:
    found = report["versions"]
    exact = all(outcome["score"]["exact"] for outcome in report["runs"])
    how = "every figure is exact" if exact else "some figures are sampled"
    return (
        f"Win +1, draw 0, loss −1, both seats counted equally; {how}. "
        f"{cuts(outcome['score'] for outcome in report['runs'])}"
        "greedy: always the likeliest action; sampled: the same network by its probabilities. "
        f"{report['seconds']:.0f} s in all on {report['cores']} cores; {made_with(found)}."
    )


def made_with(found: Mapping[str, str]) -> str:
    """The versions on which figures depend, and the processor's instruction set: rounding differs with it."""
    return (
        f"nenette {found['nenette']}, Python {found['python']}, torch {found['torch']}, "
        f"stable-baselines3 {found['stable-baselines3']}, instruction set {found.get('instruction set', 'not known')}"
    )


def write_into(page: Path, results_page: Path, what: str = "demo") -> None:
    """Replaces what stands between the markers of `what` in `page` by the results.

    Raises:
        RunError: the page does not have both markers, in that order.
    """
    put_between(page, results_page.read_text(encoding="utf-8"), what)


def put_between(page: Path, table: str, what: str) -> None:
    """Replaces what stands between the markers of `what` in `page` by `table`.

    Raises:
        RunError: the page does not have both markers, in that order.
    """
    text = page.read_text(encoding="utf-8")
    first, last = BEGIN.format(what), END.format(what)
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise RunError(f"{page}: the markers {first} and {last} were expected, in that order")
    replace_file(page, f"{before}{first}\n{table}{last}{after}".encode())
