"""How learners look in pictures: told apart by colour, and without it by marker and line."""

from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["GREY", "PHONE", "Look", "looks", "new_figure"]

GREY = "#666666"
PHONE = 4.6
"""Inches: a picture of that width has letters that can be read where a phone shows it at its own width."""
# Okabe and Ito, Color universal design, 2008; without its yellow, which is too pale for lines on white.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")
_LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.2, 1, 1.2)), (0, (8, 2, 2, 2)))


class Look(NamedTuple):
    """What one learner is drawn with.

    Attributes:
        colour: its colour.
        marker: the marker of its points.
        line: the style of its lines.
    """

    colour: str
    marker: str
    line: Any


def looks(names: Sequence[str]) -> dict[str, Look]:
    """A look for each name, in their order; no two are the same up to some hundreds."""
    return {
        name: Look(
            _COLOURS[place % len(_COLOURS)],
            _MARKERS[place % len(_MARKERS)],
            _LINES[place % len(_LINES)],
        )
        for place, name in enumerate(names)
    }


def new_figure(height: float, *, width: float = PHONE, **asked: Any) -> tuple[Any, Any]:
    """A figure and its axes, that no window shows and no other figure's state touches.

    Args:
        height: in inches.
        width: likewise.
        asked: what `matplotlib.figure.Figure.subplots` takes.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(**asked)
