"""The report as one HTML file that needs nothing else: no network, no scripts, no fonts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from nenette_agents.report.at_the_table import GameReport, signed
from nenette_agents.report.board import Board
from nenette_agents.report.figures import FEWEST_FOR_HALVES, Figures
from nenette_agents.report.pictures import (
    Picture,
    aggregates_picture,
    curves_picture,
    profiles_picture,
    ranking_picture,
    task_pictures,
)
from nenette_agents.statistics import AGGREGATES

__all__ = [
    "Pictures",
    "build",
    "counted",
    "facts_of",
    "halves_sentence",
    "made_sentence",
    "pictures_of",
    "pupil_sentence",
    "versions_of",
]


@dataclass(frozen=True)
class Pictures:
    """The pictures of the figures.

    Attributes:
        leaderboard: the ranking, the other aggregates and the performance profiles.
        curves: the learning curves, of all tasks together and of each.
    """

    leaderboard: list[Picture]
    curves: list[Picture]


def pictures_of(figures: Figures) -> Pictures:
    """All that can be drawn."""
    first = [ranking_picture(figures), profiles_picture(figures), aggregates_picture(figures)]
    together = curves_picture(figures)
    return Pictures(
        [one for one in first if one is not None],
        [*([together] if together else []), *task_pictures(figures)],
    )


def build(board: Board, figures: Figures, pictures: Pictures, games: Sequence[GameReport], command: str) -> bytes:
    """The page, UTF-8; every text is escaped.

    Args:
        board: what was run.
        figures: what came of it.
        pictures: those of the figures.
        games: what is told of each game.
        command: what made the page.
    """
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=PackageLoader("nenette_agents.report", ""),
        trim_blocks=True,
    )
    environment.filters |= {"number": number, "signed": signed}
    contents = [("leaderboard", "Leaderboard"), ("tasks", "Task by task")]
    contents += [("curves", "Learning curves")] if pictures.curves else []
    contents += [("pairs", "Two by two")] if figures.comparisons else []
    contents += [(f"game-{place}", one.played.title) for place, one in enumerate(games, 1)]
    page = environment.get_template("page.html").render(
        board=board,
        figures=figures,
        pictures=pictures,
        aggregates=list(AGGREGATES),
        columns=_columns(figures),
        places=places(figures),
        contents=[*contents, ("time", "How it came about")],
        games=[_with_order(one) for one in games],
        made=made_sentence(board, figures),
        halves=halves_sentence(figures),
        pupils=pupil_sentence(board.pupils) if board.pupils else "",
        zero="the player random",
        facts=facts_of(board, figures, command),
    )
    return page.encode()


def number(value: float, digits: int) -> str:
    """A number with so many decimals, and no -0."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def places(figures: Figures) -> dict[str, str]:
    """The place of each learner; untrained players have none, and those without a complete seed neither."""
    found = {one.name: "" for one in figures.ranking}
    return found | {one.name: str(place) for place, one in enumerate(figures.learners, 1)}


def made_sentence(board: Board, figures: Figures) -> str:
    """What was run: how many of what."""
    finished = sum(run.score is not None for run in board.runs)
    seeds = {len(one.seeds) for one in figures.ranking if one.trained}
    many = counted(max(seeds), "complete seed") if len(seeds) == 1 else f"{min(seeds)} to {max(seeds)} complete seeds"
    return (
        f"{counted(len(board.learners), 'algorithm')} in {counted(len(board.tasks), 'task')} with {many} each: "
        f"{counted(finished, 'finished run')}, {counted(len(figures.failed), 'failed one')}. {board.date}."
    )


def counted(many: int, what: str) -> str:
    """So many of something: "1 seed", "2 seeds"."""
    return f"{many:,} {what}{'' if many == 1 else 's'}"


def pupil_sentence(pupils: list[str]) -> str:
    """What those are that are taught by the solver."""
    taught = "is" if len(pupils) == 1 else "are"
    return (
        f"{' and '.join(pupils)} {taught} taught by the solver, as its pupil: what is best against the opponent, "
        "and in self-play the optimum's actions. Such a network can hold that; all others learn from play alone."
    )


def halves_sentence(figures: Figures) -> str:
    """Whether two halves of the seeds rank alike."""
    if figures.halves is None:
        return f"Whether two halves of the seeds rank alike is told from {FEWEST_FOR_HALVES} seeds on."
    return (
        f"Rank agreement between two halves of the seeds, Kendall's tau: {figures.halves:.2f} "
        "(1: both rank all algorithms alike)."
    )


def versions_of(board: Board) -> str:
    """With which versions the benchmark was made, and on which instruction set."""
    return ", ".join(f"{name} {version}" for name, version in board.made_with.versions.items())


def facts_of(board: Board, figures: Figures, command: str) -> list[tuple[str, str]]:
    """Under what circumstances the figures came about: name and value of each."""
    made, share = board.made_with, figures.evaluation_share
    seconds = figures.training_seconds + figures.evaluation_seconds
    return [
        ("command", command),
        ("by the clock", f"{made.seconds:,.0f} s in all"),
        ("processor time", f"{seconds:,.0f} s in all" + ("" if share is None else f", {share:.1%} of it for scoring")),
        (
            "processor",
            f"{made.processor}, {counted(made.cores, 'core')}; runs at a time: {made.jobs or 'as a cluster has room'}",
        ),
        ("threads", f"{made.threads} a run"),
        ("versions", versions_of(board)),
        ("date", board.date),
    ]


def _columns(figures: Figures) -> list[str]:
    """All who were scored on a task: the ranked first, as they are ranked."""
    ranked = [one.name for one in figures.ranking if one.name in figures.scores]
    return ranked + [name for name in figures.scores if name not in ranked]


def _with_order(one: GameReport) -> dict[str, Any]:
    """A game's part with the order of its table's rows: the best by mean value first."""
    means = one.table.mean_values if one.table else []
    order = sorted(range(len(means)), key=lambda i: -means[i])
    fields = ("played", "table", "pictures", "losses", "notes")
    return {"order": order} | {name: getattr(one, name) for name in fields}
