"""What the report tells of each game: who beats whom, what everybody does, and where it costs most. All exact."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nenette.exact import Unsolvable
from nenette.matches.cross_table import CrossTable, cross_table
from nenette_agents.diagnosis.map_pictures import draw_policy_map
from nenette_agents.diagnosis.maps import PolicyMap, policy_map
from nenette_agents.diagnosis.regrets import Regrets, regrets_of
from nenette_agents.report.agents import PlayedGame, Shown
from nenette_agents.report.pictures import Picture, file_name, picture_of
from nenette_agents.report.style import new_figure

__all__ = ["GameReport", "Losses", "report_on_game"]

WORST = 3
"""How many states are told of each agent."""


@dataclass(frozen=True)
class Losses:
    """Where an agent loses most.

    Attributes:
        name: the agent's.
        regrets: what it gives away in a game against optimal play.
        states: the states in which most of it is, as `nenette_agents.diagnosis.regrets` tells them.
    """

    name: str
    regrets: Regrets
    states: tuple[Any, ...]


@dataclass(frozen=True)
class GameReport:
    """A game's part of the report.

    Attributes:
        played: the game and who plays it.
        table: everybody against everybody; None in the solo game, or where fewer than two play.
        pictures: the table as a picture, and a map of every agent's policy beside the optimum's.
        losses: of every trained agent in a game for two.
        notes: what is not shown, and why.
    """

    played: PlayedGame
    table: CrossTable | None
    pictures: tuple[Picture, ...]
    losses: tuple[Losses, ...]
    notes: tuple[str, ...]


def report_on_game(played: PlayedGame, working_on: Callable[[str], None] = lambda what: None) -> GameReport:
    """All that is told of a game; what this game has no tools for is said in the notes."""
    notes, pictures = list(played.notes), list[Picture]()
    table, losses = None, list[Losses]()
    if played.game.players == 2 and len(played.shown) > 1:
        working_on(f"{played.title}: everybody against everybody")
        try:
            table = cross_table(played.shown, played.game)
            pictures.append(_table_picture(played, table))
        except Unsolvable as error:
            notes.append(f"There is no table of all against all: {error}.")
    working_on(f"{played.title}: maps")
    try:
        optimum = policy_map("optimal", played.game)
        trained = [one for one in played.shown if one.trained]
        pictures += [_map_picture(played, one, policy_map(one, played.game), optimum) for one in trained]
    except ValueError as error:
        notes.append(f"There are no maps: {error}.")
    if played.game.players == 2:
        try:
            for one in (one for one in played.shown if one.trained):
                working_on(f"{played.title}: where {one.name} loses most")
                regrets = regrets_of(one, played.game)
                losses.append(Losses(one.name, regrets, regrets.worst(WORST)))
        except ValueError as error:
            notes.append(f"Where agents lose most is not known: {error}.")
    else:
        notes.append("Where an agent of the solo game loses most takes a minute each: nenette diagnose RUN tells it.")
    return GameReport(played, table, tuple(pictures), tuple(losses), tuple(notes))


def _table_picture(played: PlayedGame, table: CrossTable) -> Picture:
    """Values of rows against columns: pale is even, dark is one-sided, and the sign says for whom."""
    order = sorted(range(len(table.policies)), key=lambda i: -table.mean_values[i])
    values = np.array(table.values)[np.ix_(order, order)]
    names = [_cut(table.policies[i]) for i in order]
    n = len(names)
    figure, axes = new_figure(1.0 + 0.36 * n)
    shown = np.ma.array(np.abs(values), mask=np.eye(n, dtype=bool))
    axes.imshow(shown, cmap="cividis_r", vmin=0, vmax=1, aspect="auto")
    for row in range(n):
        for column in range(n):
            if row != column:
                colour = "white" if abs(values[row, column]) > 0.5 else "black"
                axes.text(
                    column, row, signed(values[row, column], 2), ha="center", va="center", color=colour, fontsize=7
                )
    axes.set_xticks(range(n), names, rotation=60, ha="right", rotation_mode="anchor", fontsize=8)
    axes.set_yticks(range(n), names, fontsize=8)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    means = ", ".join(f"{table.policies[i]} {signed(table.mean_values[i], 3)}" for i in order)
    title = f"{played.title}: value of each row against each column"
    return picture_of(figure, f"table-{file_name(played.title)}", title, f"Mean value against all others: {means}.")


def _map_picture(played: PlayedGame, one: Shown, shown: PolicyMap, optimum: PolicyMap) -> Picture:
    """A policy's map beside the optimum's, upright where it is wide, so that it can be read on a phone."""
    upright = len(shown.columns) > 2 * len(shown.rows)
    both = [_turned(shown), _turned(optimum)] if upright else [shown, optimum]
    figure, (left, right) = new_figure(7.2 if upright else 3.1, ncols=2, sharey=True)
    draw_policy_map(left, both[0], both[1], cross_size=3.0)
    draw_policy_map(right, both[1], legend=False)
    legend = left.get_legend()
    handles, labels = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
    legend.remove()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    for axes, title in ((left, _cut(one.name)), (right, "the optimum")):
        axes.set_title(title, loc="left", fontsize=9)
        axes.xaxis.label.set_fontsize(8)
        axes.yaxis.label.set_fontsize(8)
        if upright:
            axes.set_aspect("auto")
    if upright:
        left.invert_yaxis()  # of both, which share it: the best throw above
    right.set_ylabel("")
    there = shown.choices >= 0
    same = int((there & ~shown.differs_from(optimum)).sum())
    alt = (
        f"What {one.name} does in {int(there.sum())} states of {played.title}, beside what the optimum does: "
        f"they agree in {same}, and crosses mark the others."
    )
    name = f"map-{file_name(played.title)}-{file_name(one.name)}"
    return picture_of(figure, name, f"{played.title}: {one.name}, {shown.title}", alt)


def _turned(shown: PolicyMap) -> PolicyMap:
    """The same with rows for columns."""
    return replace(
        shown,
        row_label=shown.column_label,
        column_label=shown.row_label,
        rows=shown.columns,
        columns=shown.rows,
        choices=shown.choices.T,
        probabilities=shown.probabilities.T,
        words=shown.words.T,
    )


def signed(value: float, digits: int) -> str:
    """A value with its sign, and no -0."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def _cut(name: str) -> str:
    return name if len(name) <= 16 else f"{name[:15]}…"
