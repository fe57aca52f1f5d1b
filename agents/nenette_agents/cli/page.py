"""`nenette page`: its options, and its report."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from nenette.writing import replace_file
from nenette_agents.terminal.progress import AtWork

__all__ = ["page"]


def page(
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="The file to write.")] = Path("nenette.html"),
    game: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME",
            help="Only this game: demi-iles, 421 or demi-iles-solo; may be repeated.",
            show_default="all three",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")
    ] = False,
) -> None:
    """Write a page on which one plays against the opponents and looks at optimal play; it needs no network."""
    began = time.perf_counter()
    from nenette.games.checks import check_choice
    from nenette_agents.page.building import GAMES, build

    games = list(dict.fromkeys(game or GAMES))
    for name in games:
        check_choice("--game", name, GAMES)
    if games == ["demi-iles-solo"]:
        raise ValueError("--game demi-iles-solo alone leaves nobody to play against: add --game demi-iles or 421")
    if output.is_dir():
        raise ValueError(f"--output: {output} is a folder, and a file is to be written")
    if not output.parent.is_dir():
        raise ValueError(f"--output: there is no folder {output.parent}")
    with AtWork("page") as work:
        content = build(games, work.now)
    replace_file(output, content)
    if as_json:
        seconds = round(time.perf_counter() - began, 3)
        print(json.dumps({"page": str(output), "bytes": len(content), "games": games, "seconds": seconds}))
        return
    print(f"{output} is written: {len(content):,} bytes. Open it in a browser.")
