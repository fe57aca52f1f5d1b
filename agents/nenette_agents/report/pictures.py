"""The pictures of a report: each with words for those who do not see it."""

import base64
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nenette_agents.report.figures import RANKED_BY, Figures, LearnerFigures
from nenette_agents.report.style import GREY, Look, looks, new_figure
from nenette_agents.statistics import AGGREGATES, Interval

__all__ = [
    "Picture",
    "aggregates_picture",
    "curves_picture",
    "file_name",
    "picture_of",
    "profiles_picture",
    "ranking_picture",
    "task_pictures",
]

LOWEST_SHOWN = -0.5
"""Curves and profiles end at this score: who goes in circles may be as far below as one likes."""
_SAVED: dict[str, dict[str, Any]] = {
    # Letters as outlines, so that a picture needs no fonts; no date, so that the same figures make the same file.
    "svg": {"metadata": {"Date": None, "Creator": None}},
    "png": {"dpi": 200, "metadata": {"Software": None}},
}


@dataclass(frozen=True)
class Picture:
    """A picture of the report.

    Attributes:
        name: of its files, without an ending.
        title: what stands above it.
        alt: what it shows, in words.
        svg: the file's content.
        png: likewise.
    """

    name: str
    title: str
    alt: str
    svg: bytes
    png: bytes

    @property
    def source(self) -> str:
        """The picture as an address that holds all of it: of its two files the smaller."""
        if len(self.svg) <= len(self.png):
            return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode()
        return "data:image/png;base64," + base64.b64encode(self.png).decode()


def picture_of(figure: Any, name: str, title: str, alt: str) -> Picture:
    """What a figure of matplotlib is as a picture; text in it is taken as it stands, without mathematics."""
    import matplotlib as mpl

    for text in figure.findobj(mpl.text.Text):
        text.set_parse_math(False)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # once is enough for both files
    content = {}
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": name}):
        for ending, asked in _SAVED.items():
            with io.BytesIO() as file:
                figure.savefig(file, format=ending, **asked)
                content[ending] = file.getvalue()
    return Picture(name, title, alt, content["svg"], content["png"])


def ranking_picture(figures: Figures) -> Picture | None:
    """What learners are ranked by, with its interval; None where nobody is ranked."""
    return _intervals(figures, [RANKED_BY], "leaderboard", "Scores over all tasks, with 95 % intervals over seeds")


def aggregates_picture(figures: Figures) -> Picture | None:
    """The other aggregates with their intervals, one panel below the other; None where nobody is ranked."""
    others = [name for name in AGGREGATES if name != RANKED_BY]
    return _intervals(figures, others, "aggregates", "The same by other figures")


def _intervals(figures: Figures, names: list[str], file: str, title: str) -> Picture | None:
    shown = [one for one in figures.ranking if one.aggregates]
    if not shown:
        return None
    looked = looks([one.name for one in figures.learners])
    figure, panels = new_figure(0.55 + len(names) * (0.5 + 0.2 * len(shown)), nrows=len(names), squeeze=False)
    for axes, name in zip(panels[:, 0], names, strict=True):
        for place, one in enumerate(reversed(shown)):
            _interval(axes, place, one.aggregates[name], looked.get(one.name))
        axes.set_yticks(range(len(shown)), [_labelled(one) for one in reversed(shown)], fontsize=8)
        axes.set_ylim(-0.7, len(shown) - 0.3)
        axes.set_title(f"{name}{' (less is better)' if name == 'optimality gap' else ''}", loc="left", fontsize=9)
        _tidy(axes, "x")
    told = _told((one.name, one.aggregates[names[0]]) for one in shown)
    alt = f"{names[0].capitalize()} with 95 % intervals: {told}."
    return picture_of(figure, file, title, alt)


def profiles_picture(figures: Figures) -> Picture | None:
    """Performance profiles with their bands; None where there are none."""
    if not figures.profiles:
        return None
    looked = looks([one.name for one in figures.learners])
    figure, axes = new_figure(3.6)
    for name, profile in figures.profiles.items():
        look = looked[name]
        axes.fill_between(profile.thresholds, profile.low, profile.high, color=look.colour, alpha=0.15, linewidth=0)
        axes.plot(profile.thresholds, profile.shares, label=name, **_line(look), markevery=(0.05, 0.12))
    axes.set(xlabel="score", ylabel="share of runs that score more", ylim=(-0.02, 1.02))
    _tidy(axes, "both")
    _legend(figure, axes)
    half = {name: float(np.interp(0.5, one.thresholds, one.shares)) for name, one in figures.profiles.items()}
    told = ", ".join(f"{name} {share:.0%}" for name, share in half.items())
    return picture_of(
        figure, "profiles", "Performance profiles", f"Share of runs that score more than 0.5: {told}; bands are 95 %."
    )


def curves_picture(figures: Figures) -> Picture | None:
    """The learning curves over all tasks together; None where there are none."""
    if figures.learning is None:
        return None
    learning, looked = figures.learning, looks([one.name for one in figures.learners])
    figure, axes = new_figure(3.6)
    for name, look in looked.items():  # the legend names the best first
        _banded(axes, learning.shares, learning.together[name], name, look)
    axes.set(xlabel="share of each task's budget of steps", ylabel=RANKED_BY)
    axes.set_xlim(0, 1.02)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    cut = _cut_below(axes, min(point.low for one in learning.together.values() for point in one))
    _tidy(axes, "both")
    _legend(figure, axes)
    ends = ", ".join(
        f"{name} from {one[0].value:.2f} to {one[-1].value:.2f}" for name, one in learning.together.items()
    )
    return picture_of(
        figure, "curves", f"Learning curves, all tasks together{cut}", f"{RANKED_BY.capitalize()}: {ends}."
    )


def task_pictures(figures: Figures) -> list[Picture]:
    """For each task its learning curves: the mean over seeds, and the band from the worst to the best seed."""
    if figures.learning is None:
        return []
    looked, found = looks([one.name for one in figures.learners]), []
    for task, curves in figures.learning.tasks.items():
        figure, axes = new_figure(2.9)
        for name, look in looked.items():
            by_step = curves.scores[name].T
            points = [Interval(float(at.mean()), float(at.min()), float(at.max())) for at in by_step]
            _banded(axes, curves.steps, points, name, look)
        axes.set(xlabel="steps of the learner", ylabel="score")
        axes.set_xlim(left=0)
        axes.ticklabel_format(axis="x", style="plain")
        axes.xaxis.set_major_formatter(_engineering())
        cut = _cut_below(axes, min(float(rows.min()) for rows in curves.scores.values()))
        _tidy(axes, "both")
        _legend(figure, axes)
        last = ", ".join(f"{name} {float(rows[:, -1].mean()):.2f}" for name, rows in curves.scores.items())
        found.append(
            picture_of(
                figure, f"curve-{file_name(task)}", f"{task}{cut}", f"Learning curves of {task}; at the end: {last}."
            )
        )
    return found


def _interval(axes: Any, place: int, interval: Interval, look: Look | None) -> None:
    """A learner's point with its interval, or the mark of a player that nobody trained."""
    if look is None:
        axes.plot([interval.value], [place], marker="|", markersize=9, color=GREY)
        return
    axes.plot([interval.low, interval.high], [place] * 2, color=look.colour, linewidth=5, alpha=0.35)
    axes.plot([interval.value], [place], marker=look.marker, color=look.colour, markersize=5)


def _banded(axes: Any, xs: Iterable[float], points: list[Interval], name: str, look: Look) -> None:
    values, low, high = (list(one) for one in zip(*points, strict=True))
    axes.fill_between(list(xs), low, high, color=look.colour, alpha=0.15, linewidth=0)
    axes.plot(list(xs), values, label=name, **_line(look))


def _cut_below(axes: Any, least: float) -> str:
    """Leaves out what is far below random play, so that it does not squeeze all else; what the title then adds."""
    if least >= LOWEST_SHOWN:
        return ""
    axes.set_ylim(bottom=LOWEST_SHOWN - 0.05)
    return f" (below {LOWEST_SHOWN:g} not shown)"


def _line(look: Look) -> dict[str, Any]:
    return {
        "color": look.colour,
        "marker": look.marker,
        "linestyle": look.line,
        "markersize": 4.5,
        "linewidth": 1.5,
    }


def _tidy(axes: Any, grid: str) -> None:
    axes.grid(axis=grid, alpha=0.3, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.xaxis.label.set_fontsize(9)
    axes.yaxis.label.set_fontsize(9)


def _legend(figure: Any, axes: Any) -> None:
    """Below the picture, where no curve runs."""
    columns = min(3, max(1, len(axes.lines)))
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns, frameon=False, fontsize=8
    )


def _engineering() -> Any:
    from matplotlib.ticker import EngFormatter

    return EngFormatter(sep="")


def _labelled(one: LearnerFigures) -> str:
    name = one.name if len(one.name) <= 18 else f"{one.name[:17]}…"
    return name if one.trained else f"{name} (untrained)"


def _told(intervals: Iterable[tuple[str, Interval]]) -> str:
    return "; ".join(f"{name} {one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for name, one in intervals)


def file_name(name: str) -> str:
    """A name that may stand in a file's name."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", name).strip("-.") or "unnamed"
