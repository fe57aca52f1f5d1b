"""Results as tables for a terminal."""

from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from nenette_agents.solo_tables import solo_tables

__all__ = ["facts_table", "score_table"]

_LABELS = {
    "win": "wins",
    "draw": "draws",
    "loss": "losses",
    "value": "value",
    "adjusted_value": "value without luck",
    "turns": "turns",
    "exploitability": "exploitability",
    "exploitability_within_max_turns": "exploitability within max_turns",
    "regret": "regret a decision",
}
_ALONE = {"win": "finished", "draw": "cut", "value": "mean return"}
"""What some figures are in the solo game, which is neither won nor lost."""
_SHARES = frozenset({"win", "draw", "loss"})


def score_table(report: dict[str, Any]) -> Group:
    """One score, a figure a row, the way it was got below."""
    if report.get("solo"):
        return solo_tables(report)
    against = f" against {report['against']}" if report["against"] else ""
    table = Table(show_header=False)
    table.add_column("", no_wrap=True)
    table.add_column("", no_wrap=True, justify="right", min_width=12)
    labels = _LABELS if report["against"] else {name: _ALONE.get(name, _LABELS[name]) for name in (*_ALONE, "turns")}
    for name, label in labels.items():
        figure = report.get(name)
        if figure is not None:
            table.add_row(label, f"{figure:.2%}" if name in _SHARES else f"{figure:.6f}")
    for seat, figure in zip(("begins", "is second"), report.get("best_response_by_seat") or (), strict=False):
        table.add_row(f"best response that {seat}", f"{figure:.6f}")
    return Group(Text(f"{report['game']}: {report['agent']}{against}", style="bold"), table, Text(_how(report)))


def _how(report: dict[str, Any]) -> str:
    if report["exact"]:
        return "exact; both seats count equally" if report.get("against") else "exact"
    width = report.get("half_width")
    if width is None:
        return "sampled"
    how = f"sampled; 95% interval of the value ±{width:.4f}"
    adjusted = report.get("adjusted_half_width")
    if adjusted is None:
        return how
    ratio = report["variance_ratio"]
    games = f"; the plain mean would take {ratio:.3g} times as many games" if ratio is not None else ""
    return f"{how}, without luck ±{adjusted:.3g} (measured by {report['adjusted_by']}{games})"


def facts_table(report: dict[str, Any], title: str) -> Group:
    """A report's entries as they are, one a row; an object's entries one below the other."""
    table = Table(show_header=False)
    table.add_column("")
    table.add_column("", justify="right")
    for name, value in report.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            for key, entry in value.items():
                table.add_row(f"{label}, {key}", _text(entry))
        else:
            table.add_row(label, _text(value))
    return Group(Text(title, style="bold"), table)


def _text(value: object) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
