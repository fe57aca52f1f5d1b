"""The leaderboard of the documentation: a page in Markdown, the JSON that it rests on, and one picture."""

import json
from os.path import relpath
from pathlib import Path
from typing import Any

from nenette.writing import replace_file
from nenette_agents.benchmark.demo import put_between
from nenette_agents.errors import RunError
from nenette_agents.report.board import Board
from nenette_agents.report.figures import RANKED_BY, Figures, LearnerFigures, statistics_json
from nenette_agents.report.page import (
    counted,
    facts_of,
    halves_sentence,
    made_sentence,
    number,
    places,
    pupil_sentence,
    versions_of,
)
from nenette_agents.report.pictures import ranking_picture
from nenette_agents.statistics import AGGREGATES, Interval

__all__ = ["files_of", "markdown", "markdown_top", "write_leaderboard", "write_top"]

TOP = 4
"""So many algorithms are shown where only the top is."""
_INTRODUCTION = """Scores are exact: no game was played for them. In every task the player `random` scores 0 and the
best possible play 1; who plays worse than at random is below 0. All chance lies in the training seed, and ranges in
brackets are 95 % bootstrap intervals over seeds. Algorithms are ranked by the interquartile mean, the mean of the
middle half of all their scores. Processors round differently, and after many updates a difference in the last digit has
become another network: expect such a spread from one processor to the next, too, as there is between seeds. The player
`optimal` scores less than 1 where the opponent is weak: there a best response gets more than perfect play does. The
area under the curve is the mean score over the training, from the first to the last step at which all were scored."""


def files_of(page: Path) -> tuple[Path, Path]:
    """Where the JSON and the picture of a leaderboard's page lie: beside it, under its name.

    Raises:
        RunError: the page's name does not end with .md.
    """
    if page.suffix != ".md":
        raise RunError(f"a leaderboard is a page in Markdown, such as docs/leaderboard.md, and {page} was given")
    return page.with_suffix(".json"), page.with_suffix(".png")


def write_leaderboard(board: Board, figures: Figures, page: Path) -> list[Path]:
    """Writes page, JSON and picture, and gives their paths.

    Raises:
        RunError: nobody is ranked yet, or the page's name does not end with .md.
        OSError: they cannot be written.
    """
    kept, drawn = files_of(page)
    picture = ranking_picture(figures)
    if picture is None or not figures.learners:
        raise RunError("nobody can be ranked: no algorithm has a seed of which all tasks are finished")
    content = {**board.model_dump(mode="json"), "statistics": statistics_json(figures)}
    replace_file(kept, (json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode())
    replace_file(drawn, picture.png)
    replace_file(page, markdown(board, figures, page.name).encode())
    return [page, kept, drawn]


def write_top(board: Board, figures: Figures, readme: Path, page: Path) -> None:
    """Puts the top of the leaderboard between the marks `leaderboard:begin` and `leaderboard:end` of `readme`.

    Raises:
        RunError: `readme` does not have both marks, in that order.
        OSError: it cannot be read or written.
    """
    address = Path(relpath(page.resolve(), readme.resolve().parent)).as_posix()
    put_between(readme, markdown_top(board, figures, address), "leaderboard")


def markdown(board: Board, figures: Figures, name: str) -> str:
    """The page.

    Args:
        board: what was run.
        figures: what came of it.
        name: the page's file name, "leaderboard.md".
    """
    stem = name.removesuffix(".md")
    facts = [
        f"- {title}: {f'`{value}`' if title == 'command' else _plain(value)}" for title, value in _facts(board, figures)
    ]
    parts = [
        f"# Leaderboard of {_plain(board.suite.name)}",
        f"{_plain(made_sentence(board, figures))} Made by `{_command_of_page(board, name)}`.",
        "\n".join(facts),
        _INTRODUCTION,
        _ranking(figures.ranking, figures),
        f"![{_plain(_alt(figures))}]({stem}.png)",
        "## Task by task",
        "The mean score over seeds; in brackets the worst and the best seed.",
        _tasks(board, figures),
        "## Two by two",
        "How probably a run of the first scores more than one of the second on the same task; by how much, with the "
        "seeds that both have; and how many seeds of each it takes to tell their means apart (at a level of 5 % with a "
        "power of 80 %, by formula from the spread that was seen).",
        _comparisons(figures),
        _plain(halves_sentence(figures)),
        "## What can be checked",
        f"`nenette report --check {name}` works out anew, from the code: what scores 0 and 1 in each task, the "
        "untrained players' scores, every run's score from its raw figure, and, from the scores of all seeds in "
        f"[{stem}.json]({stem}.json), all statistics and this page; and it compares the suite with the one that comes "
        "with the package. "
        "What it does not check is that the trainings end at these raw figures: that takes the command above.",
    ]
    if pupils := board.pupils:
        parts.insert(4, _plain(pupil_sentence(pupils)))
    if figures.failed:
        failed = "\n".join(f"- {_plain(one)}" for one in figures.failed)
        parts.insert(4, f"Not finished:\n\n{failed}")
    return "\n\n".join(parts) + "\n"


def markdown_top(board: Board, figures: Figures, page: str) -> str:
    """The best algorithms in a table, and the picture; `page` is the leaderboard's address."""
    best = figures.learners[:TOP]
    first = f"the first {len(best)} of {counted(len(board.learners), 'algorithm')}"
    shown = first if len(best) < len(board.learners) else counted(len(best), "algorithm")
    picture = page.removesuffix(".md") + ".png"
    many = len({run.seed for run in board.runs})
    return "\n".join(
        [
            _ranking(best, figures),
            "",
            f"![{_plain(_alt(figures))}]({picture})",
            "",
            f"{_plain(board.suite.name)}: {shown}, "
            f"{counted(len(board.tasks), 'task')}, {counted(many, 'seed')}; "
            "exact scores of the games as they are played, cuts included, 0 for random play and 1 for the best "
            "possible, with 95 % intervals over seeds. "
            f"[The whole leaderboard]({page}), with its command and time; {_plain(versions_of(board))}."
            + (f" {_plain(pupil_sentence(board.pupils))}" if board.pupils else ""),
            "",
        ]
    )


def _facts(board: Board, figures: Figures) -> list[tuple[str, str]]:
    return facts_of(board, figures, board.command)


def _command_of_page(board: Board, name: str) -> str:
    return f"nenette report runs/{board.suite.name} --leaderboard {name}"


def _table(header: list[str], rows: list[list[str]], left: int) -> str:
    """A table whose first `left` columns are of words."""
    rule = ["---" if place < left else "---:" for place in range(len(header))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))


def _ranking(shown: list[LearnerFigures], figures: Figures) -> str:
    place = places(figures)
    rows = []
    for one in shown:
        cells = [_interval(one, one.aggregates.get(name)) for name in AGGREGATES] + [_interval(one, one.area)]
        spent = "–" if one.seconds is None else f"{number(one.seconds, 1)} s"
        name = _plain(one.name) if one.trained else f"*{_plain(one.name)}* (untrained)"
        rows.append([place[one.name] or "–", name, *cells, str(len(one.seeds) or "–"), spent])
    return _table(["#", "algorithm", *AGGREGATES, "area under the curve", "seeds", "processor time of a run"], rows, 2)


def _interval(one: LearnerFigures, interval: Interval | None) -> str:
    return "–" if interval is None else _range(interval, len(one.seeds), 3)


def _tasks(board: Board, figures: Figures) -> str:
    names = [one.name for one in figures.ranking]
    names += [name for name in figures.scores if name not in names]
    rows = []
    for task in board.tasks:
        cells = [_spread(figures.scores.get(name, {}).get(task, [])) for name in names]
        rows.append([_plain(task), *cells])
    return _table(["task", *map(_plain, names)], rows, 1)


def _spread(scores: list[float]) -> str:
    if not scores:
        return "–"
    middle = number(sum(scores) / len(scores), 3)
    return middle if len(scores) == 1 else f"{middle} [{number(min(scores), 3)}, {number(max(scores), 3)}]"


def _comparisons(figures: Figures) -> str:
    rows = [
        [
            _plain(one.first),
            _plain(one.second),
            _range(one.probability, one.seeds, 2),
            "–" if one.difference is None else _range(one.difference, one.seeds, 3),
            "–" if one.seeds_needed is None else f"{one.seeds_needed:,}",
        ]
        for one in figures.comparisons
    ]
    header = ["first", "second", "probability of improvement", "paired difference", "seeds needed"]
    return _table(header, rows, 2)


def _range(interval: Interval, seeds: int, digits: int) -> str:
    """The figure with its interval, of which one seed knows nothing."""
    if seeds < 2:
        return number(interval.value, digits)
    return f"{number(interval.value, digits)} [{number(interval.low, digits)}, {number(interval.high, digits)}]"


def _alt(figures: Figures) -> str:
    told = ", ".join(f"{one.name} {number(one.aggregates[RANKED_BY].value, 3)}" for one in figures.learners)
    return f"{RANKED_BY} over all tasks: {told}"


def _plain(text: Any) -> str:
    """Text as Markdown shows it as it stands, on one line and in one cell."""
    line = " ".join(str(text).split())
    for sign in "\\`*_[]<>|":
        line = line.replace(sign, f"&#{ord(sign)};" if sign in "<>|" else f"\\{sign}")
    return line
