"""Runs listed, compared and drawn."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nenette.policies.players import WORDS
from nenette_agents.errors import RunError
from nenette_agents.runs.folders import Run, differences, find_run, read_json

__all__ = ["FIGURES", "config_differences", "draw_curve", "draw_curves", "facts_of", "run_folders"]

FIGURES = ("value", "exploitability", "regret", "turns")
"""What is listed of the last line of a run's metrics."""
_NOTED = ("game", "algorithm", "seed", "status", "started", "finished")


def run_folders(root: Path, names: Sequence[str] = ()) -> list[Path]:
    """The folders of these runs, or of all runs under `root`, those that were started last at the end.

    Raises:
        RunError: a run that is named is not there.
    """
    if names:
        return [find_run(name, root) for name in names]
    folders = [found.parent for found in root.glob("*/*/*/run.json")]
    return sorted(folders, key=lambda folder: (facts_of(folder).get("started") or "", folder))


def facts_of(folder: Path) -> dict[str, Any]:
    """What is listed of a run, as JSON values; "damaged" says in one sentence what cannot be read."""
    facts: dict[str, Any] = {"run": str(folder), "name": folder.name}
    try:
        noted = read_json(folder / "run.json")
        lines = Run(folder, noted).metrics()
    except RunError as error:
        return {**facts, "status": "damaged", "damaged": str(error)}
    last = lines[-1] if lines else {}
    config = noted.get("config")
    facts.update({name: noted.get(name) for name in _NOTED})
    facts["init"] = (noted.get("init") or {}).get("policy")
    facts["steps"] = last.get("step", 0)
    facts["total_timesteps"] = config.get("total_timesteps") if isinstance(config, Mapping) else None
    facts["seconds"] = last.get("seconds")
    facts["against"] = last.get("against")
    facts["exact"] = last.get("exact")
    facts.update({name: last.get(name) for name in FIGURES})
    facts["endless"] = {name: last["endless"].get(name) for name in FIGURES} if last.get("endless") else None
    return facts


def config_differences(folders: Sequence[Path]) -> dict[str, list[Any]]:
    """The keys in which the configs of these runs differ, and what each says there.

    Raises:
        RunError: a run's facts cannot be read.
    """
    configs = [read_json(folder / "run.json").get("config") or {} for folder in folders]
    keys = {key: None for one in configs for key, _, _ in differences(configs[0], one)}
    return {key: [_at(config, key) for config in configs] for key in keys}


def _at(config: Any, key: str) -> Any:
    for part in key.split("."):
        config = config.get(part) if isinstance(config, Mapping) else None
    return config


_BLUE, _RED, _GREY = "#1f5fa8", "#c1442e", "#7a7a7a"
_ENDLESS: dict[str, Any] = {"linestyle": ":", "markerfacecolor": "white"}


def draw_curve(metrics: Sequence[dict[str, Any]], path: Path, title: str, fewest_turns: float | None = None) -> None:
    """Draws the lines of a `metrics.jsonl` into the PNG at `path`; with no lines nothing is drawn.

    Two-player games: the value against the evaluation's opponent and the exploitability, with the optimum of both, 0;
    with more players NashConv in its place. Where the game is truncated, dotted, those of the endless game, too. The
    solo game: the mean return, and that of perfect play, where its `fewest_turns` are known.
    """
    if not metrics:
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(7.2, 4.2), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    steps = [line["step"] for line in metrics]
    last = metrics[-1]
    against = last.get("against")
    exactly = "exact" if last["exact"] else "sampled"
    label = f"value against {against} ({exactly})" if against else f"return ({exactly})"
    values = [line["value"] for line in metrics]
    axes.plot(steps, values, color=_BLUE, marker="o", markersize=3.5, linewidth=1.8, label=label)
    widths = [line.get("half_width") for line in metrics]
    if all(width is not None for width in widths):
        low = [value - width for value, width in zip(values, widths, strict=True)]
        high = [value + width for value, width in zip(values, widths, strict=True)]
        axes.fill_between(steps, low, high, color=_BLUE, alpha=0.15, linewidth=0)
    gap, called = ("nash_conv", "NashConv") if "nash_conv" in last else ("exploitability", "exploitability")
    if last.get(gap) is not None:
        axes.plot(steps, _figures(metrics, gap), label=called, **_line(_RED))
    if last.get("endless"):
        endless = [line.get("endless") or {} for line in metrics]
        curves = (
            ("value", _BLUE, f"value against {against}, endless game"),
            (gap, _RED, f"{called}, endless game"),
        )
        for name, color, words in curves:
            axes.plot(steps, _figures(endless, name), label=words, **{**_line(color), **_ENDLESS})
    if against:
        optimum = "perfect play" if against == "optimal" else f"{called} of perfect play"
        axes.axhline(0, color=_GREY, linestyle="--", linewidth=1.2, label=optimum, zorder=1)
    if fewest_turns is not None:
        label = f"perfect play, no game cut: {fewest_turns:.2f} turns"
        axes.axhline(-fewest_turns, color=_GREY, linestyle="--", linewidth=1.2, label=label, zorder=1)
    cut = f", games cut after {last['max_turns']} turns" if last.get("max_turns") else ""
    way = f"; it plays {WORDS[last['plays']]}" if last.get("plays") in WORDS else ""
    axes.set_title(f"{title}{cut}{way}", fontsize=9, loc="left")
    axes.set_xlabel("decisions of the learner")
    axes.set_ylabel("win +1, draw 0, loss −1" if against else "return: −1 a turn")
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlim(left=0)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)  # below, where no curve runs
    figure.savefig(path, metadata={"Software": None})


def draw_curves(metrics: Mapping[str, Sequence[dict[str, Any]]], path: Path) -> None:
    """Draws several runs, each by its name with the lines of its `metrics.jsonl`, into one picture at `path`.

    The exploitability, where all of them have one, and else the value.

    Raises:
        RunError: there is no line to be drawn.
        OSError: the picture cannot be written.
    """
    known = {name: lines for name, lines in metrics.items() if lines}
    if not known:
        raise RunError("there is no curve to be drawn: none of these runs has been scored")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    what = "exploitability"
    if any(lines[-1].get(what) is None for lines in known.values()):
        what = "value"
    for name, lines in known.items():
        axes.plot([line["step"] for line in lines], _figures(lines, what), marker="o", markersize=3, label=name)
    if what == "exploitability":
        axes.set_ylim(bottom=0)
    axes.set_xlabel("decisions of the learner")
    axes.set_ylabel(what)
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    figure.savefig(path, format="png", metadata={"Software": None})


def _figures(lines: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """A figure of each line, not a number where a line does not have it."""
    return [math.nan if line.get(name) is None else float(line[name]) for line in lines]


def _line(color: str) -> dict[str, Any]:
    return {"color": color, "marker": "s", "markersize": 3.5, "linewidth": 1.8}
