"""What commands print on a terminal or into a pipe: tables that never cut a figure."""

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table

__all__ = ["Column", "WideTable", "output"]

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
