"""`nenette play` and `nenette watch`: their options; what they do is imported when it is wanted."""

from pathlib import Path
from typing import Annotated

import typer

from nenette_agents.cli import completion
from nenette_agents.errors import ConfigError

__all__ = ["play", "watch"]

Seed = Annotated[
    int | None, typer.Option(min=0, help="Of all dice: it repeats a game.", show_default="a new one each time")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one rule; may be repeated.")
]
Plain = Annotated[bool, typer.Option("--plain", help="Plain sentences, for a screen reader: no drawing, no colour.")]
Language = Annotated[
    str | None, typer.Option("--lang", metavar="en|fr", help="English or French.", show_default="the locale's")
]
Save = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where the game is saved.", show_default="your data folder")
]
Runs = Annotated[Path, typer.Option("--runs", metavar="DIR", help="The folder in which runs lie.")]
ReviewIt = Annotated[
    bool, typer.Option("--review", help="Go through the game afterwards: which moves cost most, how much was luck.")
]
Json = Annotated[
    bool, typer.Option("--json", help="With --review: print one JSON object on stdout, all else on stderr.")
]


def play(
    game: Annotated[
        str | None,
        typer.Argument(
            help="The game's name: 421, demi-iles or demi-iles-solo.",
            show_default=False,
            autocompletion=completion.games,
        ),
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays the others: an opponent's name or a run; one for all, or one each.",
            show_default="optimal; a rule of thumb where nobody knows it for so many",
            autocompletion=completion.agents,
        ),
    ] = None,
    players: Annotated[int | None, typer.Option(help="How many play, you included.", show_default="2")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Your seat, from 0.", show_default="drawn")] = None,
    seed: Seed = None,
    settings: Settings = None,
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
    as_json: Json = False,
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
            autocompletion=completion.agents,
        ),
    ],
    game: Annotated[str, typer.Option(help="The game's name.", show_default=False, autocompletion=completion.games)],
    seed: Seed = None,
    settings: Settings = None,
    pause: Annotated[
        float | None,
        typer.Option(min=0, max=60, metavar="SECONDS", help="After each move.", show_default="1 on a terminal, else 0"),
    ] = None,
    review: ReviewIt = False,
    plain: Plain = False,
    lang: Language = None,
    save: Save = None,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Watch agents play a game, with the exact winning chances after each move."""
    from nenette_agents.play import running

    screen = running.screen_for(lang, plain, review, as_json)
    running.watch(agents, game, settings or [], seed, pause, save, runs, screen, reviewed=review, as_json=as_json)
