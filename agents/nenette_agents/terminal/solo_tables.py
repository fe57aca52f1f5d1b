"""The solo game's exact score as tables for a terminal."""

from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

__all__ = ["solo_tables"]

_ROWS = {
    "finishes": "finishes",
    "turns": "turns",
    "capped_turns": "turns, capped",
    "lost": "turns given away",
    "regret": "given away a decision",
    "agreement": "agrees with the optimum",
}
_SHARES = frozenset({"finishes", "agreement"})
_SHOWN = 5


def solo_tables(report: dict[str, Any]) -> Group:
    """A score's figures both ways of playing, where turns are given away, and the states where most of them are."""
    solo = report["solo"]
    return Group(
        Text(f"{report['game']}: {report['agent']}", style="bold"),
        _figures(solo),
        Text("Turns given away, by how many scores are still missing"),
        _phases(solo),
        Text("Where it loses most, as it is"),
        _losses(solo["sampled"]["losses"]),
        Text(f"exact; the fewest possible are {solo['optimum']:.6f} turns"),
    )


def _figures(solo: dict[str, Any]) -> Table:
    table = Table("", "as it is", "always its likeliest")
    for name, label in _ROWS.items():
        table.add_row(label, *(_figure(name, solo[way]) for way in ("sampled", "greedy")))
    return table


def _figure(name: str, play: dict[str, Any]) -> str:
    value = play[name]
    if value is None:
        return "no end"
    if name == "finishes" and play["turns"] is None and value > 0.9999995:  # it is no certainty, however near
        return f"all but {1.0 - value:.0e}"
    return f"{value:.4%}" if name in _SHARES else f"{value:.6f}"


def _phases(solo: dict[str, Any]) -> Table:
    table = Table("missing", "as it is", "always its likeliest")
    both = [{phase["missing"]: phase["lost"] for phase in solo[way]["phases"]} for way in ("sampled", "greedy")]
    for most in range(20, -1, -4):
        least = max(most - 3, 0)
        sums = [sum(lost[missing] for missing in range(least, most + 1)) for lost in both]
        table.add_row(f"{most} to {least}" if most else "none", *(f"{lost:.4f}" for lost in sums))
    return table


def _losses(losses: list[dict[str, Any]]) -> Table:
    table = Table("score", "missing", "visits", "given away", "throws", "best")
    for loss in losses[:_SHOWN]:
        missing = ", ".join(map(str, loss["missing"])) if len(loss["missing"]) < 8 else f"{len(loss['missing'])} scores"
        throws = " ".join(f"{dice}:{chance:.0%}" for dice, chance in enumerate(loss["plays"]) if chance >= 0.005)
        visits, lost = f"{loss['visits']:.4f}", f"{loss['lost']:.4f}"
        table.add_row(str(loss["score"]), missing or "none", visits, lost, throws, str(loss["best"]))
    return table
