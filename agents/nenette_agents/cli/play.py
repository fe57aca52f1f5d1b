"""`nenette play`, `watch` and `page`: their options; what they do is imported when it is called for."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from nenette.writing import replace_file
from nenette_agents.cli import options
from nenette_agents.cli.options import Json, Rules, Runs
from nenette_agents.errors import ConfigError
from nenette_agents.terminal.progress import AtWork

__all__ = ["page", "play", "watch"]

Seed = Annotated[
    int | None, typer.Option(min=0, help="Of all dice: it repeats a game.", show_default="a new one each time")
]
Plain = Annotated[bool, typer.Option("--plain", help="Plain sentences, for a screen reader: no drawing, no colour.")]
Language = Annotated[
    str | None, typer.Option("--lang", metavar="en|fr", help="English or French.", show_default="the locale's")
]
Save = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where the game is saved.", show_default="your data folder")
]
ReviewIt = Annotated[
    bool, typer.Option("--review", help="Go through the game afterwards: which moves cost most, how much was luck.")
]
ReviewJson = Annotated[
    bool, typer.Option("--json", help="With --review: print one JSON object on stdout, all else on stderr.")
]


def play(
    game: Annotated[
        str | None,
        typer.Argument(
            help="The game's name: 421, demi-iles or demi-iles-solo.",
            show_default=False,
            autocompletion=options.games,
        ),
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays the others: an opponent's name or a run; one for all, or one each.",
            show_default="optimal; a rule of thumb where nobody knows it for so many",
            autocompletion=options.agents,
        ),
    ] = None,
    players: Annotated[int | None, typer.Option(help="How many play, you included.", show_default="2")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Your seat, from 0.", show_default="drawn")] = None,
    seed: Seed = None,
    settings: Rules = None,
    hints: Annotated[bool, typer.Option("--hints", help="Show the exact winning chance of every choice.")] = False,
    review: ReviewIt = False,
    replay: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Show a saved game, or the 'last' one, in place of a new one.", show_default=False
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Throw without waiting for Enter where there is no choice.")
    ] = False,
    plain: Plain = False,
    lang: Language = None,
    save: Save = None,
    runs: Runs = Path("runs"),
    as_json: ReviewJson = False,
) -> None:
    """Play against agents in the terminal, and go through the game afterwards."""
    from nenette_agents.play import running

    screen = running.screen_for(lang, plain, review, as_json)
    if replay is None:
        running.play(
            game,
            opponent,
            players,
            seat,
            settings or [],
            seed,
            save,
            runs,
            screen,
            hints=hints,
            reviewed=review,
            quick=quick,
            as_json=as_json,
        )
        return
    asked = {
        "GAME": game,
        "--opponent": opponent,
        "--players": players,
        "--seat": seat,
        "--seed": seed,
        "--set": settings,
        "--save": save,
        "--hints": hints or None,
    }
    extra = [name for name, value in asked.items() if value is not None]
    if extra:
        raise ConfigError(f"{extra[0]}: a game that is shown again is as it was saved")
    running.replay(replay, screen, reviewed=review, as_json=as_json)


def watch(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT...",
            help="Who plays, by seat: opponents' names or runs.",
            show_default=False,
            autocompletion=options.agents,
        ),
    ],
    game: Annotated[str, typer.Option(help="The game's name.", show_default=False, autocompletion=options.games)],
    seed: Seed = None,
    settings: Rules = None,
    pause: Annotated[
        float | None,
        typer.Option(min=0, max=60, metavar="SECONDS", help="After each move.", show_default="1 on a terminal, else 0"),
    ] = None,
    review: ReviewIt = False,
    plain: Plain = False,
    lang: Language = None,
    save: Save = None,
    runs: Runs = Path("runs"),
    as_json: ReviewJson = False,
) -> None:
    """Watch agents play a game, with the exact winning chances after each move."""
    from nenette_agents.play import running

    screen = running.screen_for(lang, plain, review, as_json)
    running.watch(agents, game, settings or [], seed, pause, save, runs, screen, reviewed=review, as_json=as_json)


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
    as_json: Json = False,
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
