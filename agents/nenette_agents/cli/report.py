"""`nenette report`: what a benchmark found, as a page, pictures and a leaderboard; and whether a leaderboard holds."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from nenette.writing import replace_file
from nenette_agents.cli.options import Json
from nenette_agents.errors import missing_extra
from nenette_agents.terminal.progress import AtWork

__all__ = ["report"]


def report(
    folder: Annotated[
        Path | None, typer.Argument(metavar="BENCHMARK", help="The benchmark's folder.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where page and pictures go.  [default: BENCHMARK/report]", show_default=False
        ),
    ] = None,
    games: Annotated[
        bool,
        typer.Option(
            help="Whether to show each game: everybody against everybody, maps of policies, where agents lose most."
        ),
    ] = True,
    leaderboard: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the leaderboard, too: this page in Markdown, and beside it its JSON and its picture.",
            show_default=False,
        ),
    ] = None,
    readme: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Put the leaderboard's top between the marks leaderboard:begin and leaderboard:end of this page.",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Check this leaderboard instead, without training.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write what a benchmark found as a page that needs no network, or check a leaderboard."""
    if check is not None:
        if folder is not None or output is not None or leaderboard is not None or readme is not None:
            raise ValueError("--check FILE stands alone: the leaderboard says which benchmark it is of")
        _check(check, as_json)
        return
    if folder is None:
        raise ValueError("name a benchmark's folder, such as runs/smoke, or a leaderboard to check: --check FILE")
    if readme is not None and leaderboard is None:
        raise ValueError("--readme shows the top of a leaderboard: say with --leaderboard FILE where that is")
    with AtWork(f"report {folder}") as work:
        try:
            if leaderboard is not None:
                from nenette_agents.report.leaderboard import files_of

                files_of(leaderboard)
            said = _write(folder, output or folder / "report", games, leaderboard, readme, work)
        except ModuleNotFoundError as error:
            raise missing_extra("a report", "train", error) from error
    if as_json:
        print(json.dumps(said))
        return
    for name in (said["page"], *said["leaderboard"]):
        print(f"{name} is written.")


def _write(
    folder: Path, output: Path, games: bool, leaderboard: Path | None, readme: Path | None, work: AtWork
) -> dict[str, Any]:
    from nenette_agents.benchmark.results import load_results
    from nenette_agents.report.agents import played_games
    from nenette_agents.report.at_the_table import report_on_game
    from nenette_agents.report.board import board_of
    from nenette_agents.report.figures import figures_of, statistics_json
    from nenette_agents.report.leaderboard import write_leaderboard, write_top
    from nenette_agents.report.page import build, pictures_of

    results = load_results(folder)
    board = board_of(results)
    work.now("statistics")
    figures = figures_of(board)
    work.now("pictures")
    pictures = pictures_of(figures)
    told = [report_on_game(one, work.now) for one in played_games(results)] if games else []
    page = output / "index.html"
    output.mkdir(parents=True, exist_ok=True)
    drawn = [*pictures.leaderboard, *pictures.curves, *(one for each in told for one in each.pictures)]
    for picture in drawn:
        replace_file(output / f"{picture.name}.svg", picture.svg)
        replace_file(output / f"{picture.name}.png", picture.png)
    replace_file(page, build(board, figures, pictures, told, board.command))
    written = []
    if leaderboard is not None:
        written = write_leaderboard(board, figures, leaderboard)
        if readme is not None:
            write_top(board, figures, readme, leaderboard)
            written.append(readme)
    return {
        "page": str(page),
        "pictures": [str(output / f"{picture.name}.{ending}") for picture in drawn for ending in ("svg", "png")],
        "leaderboard": [str(one) for one in written],
        "suite": board.suite.name,
        "statistics": statistics_json(figures),
    }


def _check(file: Path, as_json: bool) -> None:
    """Ends with exit code 1 where something does not agree."""
    with AtWork(f"report --check {file}") as work:
        try:
            from nenette_agents.report.checking import NOT_CHECKED, check_leaderboard

            checks = check_leaderboard(file, working_on=work.now)
        except ModuleNotFoundError as error:
            raise missing_extra("checking a leaderboard", "train", error) from error
    agrees = not any(one.differences for one in checks)
    if as_json:
        entries = [{"what": one.what, "differences": list(one.differences)} for one in checks]
        print(json.dumps({"leaderboard": str(file), "agrees": agrees, "checks": entries, "not_checked": NOT_CHECKED}))
    else:
        for one in checks:
            print(f"{'differs' if one.differences else 'agrees '}  {one.what}")
            for difference in one.differences[:10]:
                print(f"         {difference}")
            if len(one.differences) > 10:
                print(f"         and {len(one.differences) - 10} more")
        print(NOT_CHECKED)
    if not agrees:
        raise typer.Exit(1)
