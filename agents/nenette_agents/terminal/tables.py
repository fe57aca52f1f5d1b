"""What commands print on a terminal or into a pipe: tables that show all of every figure, and results in them."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.table import Table
from rich.text import Text

from nenette.policies.players import WORDS

__all__ = ["Column", "WideTable", "facts_table", "output", "score_table", "solo_tables", "with_rules"]

_ENDLESS = 100_000
"""Characters a line may have where nobody sees its end."""


def output() -> Console:
    """The console for results, stdout: as wide as the terminal, or as the widest table where there is none."""
    return Console() if sys.stdout.isatty() else Console(width=_ENDLESS)


class Column(NamedTuple):
    """A column of a `WideTable`.

    Attributes:
        heading: what stands above it.
        figures: whether it holds figures, which stand to the right.
        key: whether it says what the row is about, so that each part of the table repeats it.
    """

    heading: str
    figures: bool = True
    key: bool = False


class WideTable:
    """A table that shows all of every cell, whatever the width of the screen.

    Where the screen is too narrow for all columns, the table comes in parts, one below the other, each with the key
    columns; where it is too narrow for even one column beside these, the texts of the key columns are folded.
    """

    def __init__(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        self._columns, self._rows = list(columns), [list(row) for row in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for places in self._parts(options.max_width):
            yield self._part(places)

    def _width(self, place: int) -> int:
        return max(cell_len(text) for text in (self._columns[place].heading, *(row[place] for row in self._rows)))

    def _parts(self, width: int) -> list[list[int]]:
        """Which columns stand side by side."""
        keys = [place for place, column in enumerate(self._columns) if column.key]
        part, parts = list[int](), list[list[int]]()
        for place in range(len(self._columns)):
            if place in keys:
                continue
            together = [*keys, *part, place]
            if part and 1 + sum(self._width(one) + 3 for one in together) > width:  # a cell's padding and its border
                parts.append(sorted([*keys, *part]))
                part = []
            part.append(place)
        return [*parts, sorted([*keys, *part])]

    def _part(self, places: Sequence[int]) -> Table:
        table = Table()
        for place in places:
            column = self._columns[place]
            texts = column.key and not column.figures
            table.add_column(
                column.heading,
                justify="right" if column.figures else "left",
                no_wrap=not texts,
                overflow="fold",
                min_width=None if texts else self._width(place),
            )
        for row in self._rows:
            table.add_row(*(row[place] for place in places))
        return table


_ROWS = {
    "finishes": "finishes",
    "turns": "turns",
    "capped_turns": "turns, capped",
    "lost": "turns given away",
    "regret": "given away a decision",
    "agreement": "agrees with the optimum",
}
_SOLO_SHARES = frozenset({"finishes", "agreement"})
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
    return f"{value:.4%}" if name in _SOLO_SHARES else f"{value:.6f}"


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


_LABELS = {
    "win": "wins",
    "draw": "draws",
    "loss": "losses",
    "value": "value",
    "adjusted_value": "value without luck",
    "turns": "turns",
    "exploitability": "exploitability",
    "nash_conv": "NashConv",
    "regret": "regret a decision",
}
_ALONE = {"win": "finished", "draw": "cut", "value": "mean return"}
"""What some figures are in the solo game, which is neither won nor lost."""
_SEATS = ("begins", "is second", "is third", "is fourth", "is fifth", "is sixth")
_SHARES = frozenset({"win", "draw", "loss"})


def score_table(report: dict[str, Any]) -> Group:
    """One score, a figure a row; a line below says how it was measured."""
    if report.get("solo"):
        return solo_tables(report)
    others = report.get("other_player")
    columns = [(report, WORDS.get(str(report.get("plays")), ""))]
    if others:
        columns.append((others, WORDS[others["plays"]]))
    against = f" against {report['against']}" if report["against"] else ""
    table = Table(show_header=any(words for _, words in columns))
    table.add_column("it plays" if table.show_header else "", no_wrap=True)
    for _, words in columns:
        table.add_column(words, justify="right", min_width=12)
    labels = _LABELS if report["against"] else {name: _ALONE.get(name, _LABELS[name]) for name in (*_ALONE, "turns")}
    _add_figures(table, labels, [player for player, _ in columns])
    if report.get("endless"):
        table.add_section()
        table.add_row("the endless game:")
        _add_figures(table, labels, [player["endless"] for player, _ in columns])
    cut = f", cut after {report['max_turns']} turns" if report.get("max_turns") else ""
    title = Text(
        f"{with_rules(report['game'], report.get('rules') or {})}{cut}: {report['agent']}{against}", style="bold"
    )
    return Group(title, table, Text(_how(report)), *(Text(line) for line in _rare(columns)))


def with_rules(game: str, rules: Mapping[str, Any]) -> str:
    """A game's name and those of its rules that are not the default ones: "421, players=3"."""
    return ", ".join([game, *(f"{rule}={value}" for rule, value in rules.items())])


def _add_figures(table: Table, labels: dict[str, str], columns: list[dict[str, Any]]) -> None:
    for name, label in labels.items():
        figures = [player.get(name) for player in columns]
        if figures[0] is not None:
            table.add_row(label, *(f"{one:.2%}" if name in _SHARES else f"{one:.6f}" for one in figures))
    by_seat = [player.get("best_response_by_seat") or () for player in columns]
    for seat, gets in zip(_SEATS, zip(*by_seat, strict=True), strict=False):
        table.add_row(f"best response that {seat}", *(f"{one:.6f}" for one in gets))


def _rare(columns: list[tuple[dict[str, Any], str]]) -> Iterator[str]:
    """A line for each player of whom some action probabilities were left out."""
    from nenette.exact.model import RARE  # imports the solver

    for player, words in columns:
        rare = (player.get("endless") or {}).get("rare")
        if rare:
            yield (
                f"In the endless game {rare} of its action probabilities, all below {RARE:g}, count as never"
                + (f" (it plays {words})" if words else "")
            )


def _how(report: dict[str, Any]) -> str:
    if report["exact"]:
        seats = len(report["value_by_seat"])
        return f"exact; {'both' if seats == 2 else 'all'} seats count equally" if report.get("against") else "exact"
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
