"""Results as tables for a terminal."""

from typing import Any

from rich.table import Table

__all__ = ["facts_table", "score_table"]

_LABELS = {
    "win": "wins",
    "draw": "draws",
    "loss": "losses",
    "value": "value",
    "turns": "turns",
    "exploitability": "exploitability",
    "exploitability_within_max_turns": "exploitability within max_turns",
    "regret": "regret a decision",
}
_SHARES = frozenset({"win", "draw", "loss"})


def score_table(report: dict[str, Any], title: str | None = None) -> Table:
    """One score, a figure a row, the way it was got below."""
    against = f" against {report['against']}" if report.get("against") else ""
    table = Table(
        title=title or f"{report['game']}: {report['agent']}{against}", title_justify="left", caption=_how(report)
    )
    table.add_column("")
    table.add_column(f"{report['game']}{against}" if title else "", justify="right")
    for name, label in _LABELS.items():
        figure = report.get(name)
        if figure is not None:
            table.add_row(label, f"{figure:.2%}" if name in _SHARES else f"{figure:.6f}")
    return table


def _how(report: dict[str, Any]) -> str:
    if report["exact"]:
        return "exact; both seats count equally" if report.get("against") else "exact"
    width = report.get("half_width")
    return f"sampled; 95% interval of the value ±{width:.4f}" if width is not None else "sampled"


def facts_table(report: dict[str, Any], title: str) -> Table:
    """A report's entries as they are, one a row; an object's entries one below the other."""
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column("")
    table.add_column("", justify="right")
    for name, value in report.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            for key, entry in value.items():
                table.add_row(f"{label}, {key}", _text(entry))
        else:
            table.add_row(label, _text(value))
    return table


def _text(value: object) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
