"""Drawing policy maps, readable in black and white: lightness says what is done, a cross where the optimum differs."""

from typing import Any

import numpy as np

from nenette_agents.diagnosis.maps import PolicyMap

__all__ = ["draw_policy_map"]

_SHADES = ("#f4f1de", "#a9b8c9", "#4a6d8c", "#14213d")
"""Each darker than the one before, so that they differ without colour."""


def draw_policy_map(
    axes: Any, shown: PolicyMap, optimum: PolicyMap | None = None, *, legend: bool = True, cross_size: float = 4.0
) -> None:
    """Draws a map into matplotlib's `axes`; cells in which `optimum` does something else are crossed.

    Args:
        axes: where to.
        shown: the policy's map.
        optimum: that of optimal play of the same game; None crosses nothing.
        legend: whether to say below what the shades mean.
        cross_size: of the crosses, in points.

    Raises:
        ValueError: the two maps are of different planes.
    """
    from matplotlib.colors import BoundaryNorm, ListedColormap

    if optimum is not None and optimum.choices.shape != shown.choices.shape:
        raise ValueError(
            f"a map of {optimum.game} {optimum.choices.shape} was given to compare with one of {shown.game} "
            f"{shown.choices.shape}: maps of the same game are compared"
        )
    n_labels = len(shown.labels)
    shades = _SHADES[:n_labels]
    cells = np.ma.masked_less(shown.choices, 0)
    colours = ListedColormap(shades).with_extremes(bad="none")
    axes.pcolormesh(
        cells,
        cmap=colours,
        norm=BoundaryNorm(np.arange(n_labels + 1) - 0.5, n_labels),
        edgecolors="white",
        linewidth=0.4,
    )
    if optimum is not None:
        differs, dark = shown.differs_from(optimum), shown.choices >= 2
        for colour, where in (("black", differs & ~dark), ("white", differs & dark)):
            rows, columns = np.nonzero(where)
            axes.plot(columns + 0.5, rows + 0.5, "x", color=colour, markersize=cross_size, markeredgewidth=1)
    wide = len(shown.columns) > 30
    step = 5 if 12 < len(shown.columns) <= 30 else 1
    axes.set_xticks(np.arange(0, len(shown.columns), step) + 0.5, shown.columns[::step], fontsize=5 if wide else 7)
    if wide:
        axes.tick_params(axis="x", rotation=90)
    axes.set_yticks(np.arange(0, len(shown.rows), step) + 0.5, shown.rows[::step], fontsize=7)
    axes.set(xlabel=shown.column_label, ylabel=shown.row_label)
    if not wide:
        axes.set_aspect("equal")
    axes.set_title(f"{shown.policy}: {shown.title}", loc="left", fontsize=9)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if legend:
        _add_legend(axes, shown, shades, crossed=optimum is not None)


def _add_legend(axes: Any, shown: PolicyMap, shades: tuple[str, ...], *, crossed: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(facecolor=shade, edgecolor="black", linewidth=0.5, label=label)
        for shade, label in zip(shades, shown.labels, strict=True)
    ]
    if crossed:
        handles.append(
            Line2D([], [], marker="x", color="black", linestyle="", markersize=5, label="the optimum differs")
        )
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0, -0.12),
        ncols=len(handles),
        frameon=False,
        fontsize=7,
        handlelength=1,
        columnspacing=1,
    )
