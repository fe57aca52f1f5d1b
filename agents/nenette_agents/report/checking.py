"""Whether a leaderboard's figures still follow from the code: all that can be worked out anew without training."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nenette.matches.ladder import TOLERANCE
from nenette.untrusted import NotReadableError, read_bytes
from nenette_agents.benchmark.measures import anchors_of, baselines_of
from nenette_agents.benchmark.suite import Suite, load_suite
from nenette_agents.config.files import shipped_suites
from nenette_agents.errors import ConfigError, RunError
from nenette_agents.report.board import Board, read_board
from nenette_agents.report.figures import figures_of, statistics_json
from nenette_agents.report.leaderboard import files_of, markdown
from nenette_agents.runs.folders import read_json

LARGEST_PAGE = 10_000_000
"""Bytes; a leaderboard's page has some thousands."""
__all__ = ["NOT_CHECKED", "Check", "check_leaderboard"]

NOT_CHECKED = "not checked: that the trainings end at these raw figures, which takes the command above the leaderboard"


@dataclass(frozen=True)
class Check:
    """Something that was worked out anew.

    Attributes:
        what: in words.
        differences: what does not agree, one sentence each; none: all does.
    """

    what: str
    differences: tuple[str, ...]


def check_leaderboard(page: Path, working_on: Callable[[str], None] = lambda what: None) -> list[Check]:
    """Works out what a leaderboard says, as far as that takes no training.

    Args:
        page: the leaderboard's page or its JSON file.
        working_on: is called with what is being done.

    Raises:
        RunError: the files are not those of a leaderboard.
        OSError: they cannot be read.
    """
    page = page.with_suffix(".md") if page.suffix == ".json" else page
    kept, _ = files_of(page)
    board = read_board(kept)
    statistics = read_json(kept).get("statistics")
    anchors, baselines = list[str](), list[str]()
    for name in board.tasks:
        working_on(f"anchors of {name}")
        task = board.suite.tasks[name]
        found = anchors_of(task)
        anchors += _differences(f"anchors of {name}", board.anchors[name].model_dump(), found.model_dump())
        working_on(f"baselines of {name}")
        said = {one.name: one.model_dump() for one in board.baselines if one.task == name}
        scored = {one.name: one.model_dump() for one in baselines_of(name, task, board.suite.baselines, found)}
        baselines += _differences(f"baselines of {name}", said, scored)
    working_on("statistics")
    figures = figures_of(board)
    rendered = markdown(board, figures, page.name).encode() == _page(page)
    return [
        Check("the suite is the package's of that name", tuple(_suite(board))),
        Check("what scores 0 and 1 in each task", tuple(anchors)),
        Check("the untrained players' scores", tuple(baselines)),
        Check("every run's score follows from its raw figure", tuple(_scores(board))),
        Check("statistics of all seeds", tuple(_differences("statistics", statistics, statistics_json(figures)))),
        Check("the page is that of the JSON file", () if rendered else (f"{page} says something else",)),
    ]


def _page(page: Path) -> bytes:
    try:
        return read_bytes(page, LARGEST_PAGE)
    except NotReadableError as error:
        raise RunError(f"{page} cannot be read: {error}") from error


def _suite(board: Board) -> Iterator[str]:
    try:
        known = _shipped(board.suite.name)
    except (ConfigError, RunError) as error:
        yield str(error)
        return
    # Whoever took part besides is no difference.
    own = {name: entry for name, entry in board.suite.learners.items() if name in known.learners}
    suite = board.suite.model_copy(update={"learners": own})
    yield from _differences("suite", suite.model_dump(mode="json"), known.model_dump(mode="json"))


def _shipped(name: str) -> Suite:
    """The package's suite of a name.

    Raises:
        ConfigError: there is none, or it is wrong.
    """
    known = shipped_suites()
    if name not in known:
        raise ConfigError(f"no suite of the name {name} comes with the package")
    return load_suite(known[name])


def _scores(board: Board) -> Iterator[str]:
    for run in board.runs:
        if run.raw is None or run.score is None:
            continue
        where = f"{run.learner} on {run.task}, seed {run.seed}"
        yield from _differences(where, run.score, board.anchors[run.task].score(run.raw))
        if run.curve:
            yield from _differences(f"{where}, the last of its curve", run.curve[-1][1], run.score)


def _differences(where: str, said: Any, found: Any) -> Iterator[str]:
    """Where two JSON values differ; figures by more than rounding."""
    if isinstance(said, dict) and isinstance(found, dict):
        for name in dict.fromkeys([*said, *found]):
            if name not in said or name not in found:
                yield f"{where}.{name}: {'is not there any more' if name in said else 'is new'}"
            else:
                yield from _differences(f"{where}.{name}", said[name], found[name])
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        for place, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from _differences(f"{where}[{place}]", one, other)
    elif isinstance(said, int | float) and isinstance(found, int | float):
        if not math.isclose(said, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield f"{where}: {said} is said, and {found} was found"
    elif said != found:
        yield f"{where}: {_short(said)} is said, and {_short(found)} was found"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
