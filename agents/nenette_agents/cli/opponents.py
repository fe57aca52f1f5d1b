"""`nenette opponents`: the ladder of each game, its cards, their check, and the making of them."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from nenette_agents.cli import completion
from nenette_agents.terminal.screen import output

__all__ = ["opponents"]


def opponents(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Opponents, NAME or GAME/NAME, whose cards to print.", show_default="all"),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Only this game's.", show_default=False, autocompletion=completion.games)
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Work out every figure on their cards anew, and compare.")
    ] = False,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="Train and score them anew; a run of the same config is used, or goes on.",
        ),
    ] = False,
    rescore: Annotated[
        bool,
        typer.Option("--rescore", help="Work out every figure on their cards anew, and write it there; train nobody."),
    ] = False,
    manifest: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Says how the trained ones are made.", show_default="in the package"),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where opponents lie.", show_default="in the package"),
    ] = None,
    runs: Annotated[
        Path, typer.Option("--runs", metavar="DIR", help="The folder in which the runs of a rebuild lie.")
    ] = Path("runs/opponents"),
    at_a_time: Annotated[int, typer.Option(min=1, max=64, help="How many trainings of a rebuild run in parallel.")] = 2,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")
    ] = False,
) -> None:
    """List the opponents that can be named, from weak to perfect; print, check or rebuild them."""
    from rich.console import Console

    from nenette.policies.shipped import OPPONENTS
    from nenette_agents.opponents.manifest import MANIFEST

    manifest = manifest or MANIFEST
    if verify + rebuild + rescore > 1:
        raise ValueError("--verify, --rebuild and --rescore are asked for one after the other")
    folder = folder or OPPONENTS
    console = Console(stderr=True)
    if verify:
        _verify(names or [], game, manifest, folder, console, as_json)
        return
    if rescore:
        from nenette_agents.opponents.building import rescore as score_again

        chosen = score_again(names or [], game=game, folder=folder, console=console)
        _print(chosen, folder, as_json=as_json, full=False)
        return
    if rebuild:
        from nenette_agents.opponents.building import rebuild as build

        chosen = build(
            names or [],
            game=game,
            manifest=manifest,
            folder=folder,
            runs=runs,
            at_a_time=at_a_time,
            console=console,
        )
        _print(chosen, folder, as_json=as_json, full=False)
        return
    _print(_chosen(names or [], game, folder, []), folder, as_json=as_json, full=bool(names))


def _chosen(names: list[str], game: str | None, folder: Path, entries: list[Any]) -> dict[str, list[str]]:
    """Which are meant, of those that are in the folder or in the manifest."""
    from nenette.games import GAMES
    from nenette.policies.ladders import TABLES
    from nenette.policies.shipped import ladder_names
    from nenette_agents.opponents.manifest import choose

    known = {one: ladder_names(one, folder) for one in ([game] if game is not None else [*GAMES, *TABLES])}
    for entry in entries:
        if entry.game in known and entry.name not in known[entry.game]:
            known[entry.game].append(entry.name)
    return choose(names, game, known)


def _print(chosen: dict[str, list[str]], folder: Path, *, as_json: bool, full: bool) -> None:
    from nenette_agents.opponents.listing import cards_of, full_card, ladder_table

    cards = cards_of(chosen, folder)
    if as_json:
        print(json.dumps(cards))
        return
    console = output()
    for one, known in cards.items():
        if not full:
            console.print(ladder_table(one, known))
            continue
        for card in known:
            console.print(full_card(one, card))


def _verify(names: list[str], game: str | None, manifest: Path, folder: Path, console: Any, as_json: bool) -> None:
    from nenette.matches.ladder import TOLERANCE
    from nenette_agents.opponents.checking import verify
    from nenette_agents.opponents.manifest import read_manifest

    entries = read_manifest(manifest)
    found = verify(_chosen(names, game, folder, entries), folder=folder, entries=entries, console=console)
    if as_json:
        print(json.dumps(found.report()))
    else:
        for line in found.wrong:
            print(line)
        verdict = "all as their cards say" if not found.wrong else f"{len(found.wrong)} things are wrong"
        many = f"{len(found.opponents)} opponents with {found.figures} figures"
        print(f"{many}: {verdict} (figures agree if they are within {TOLERANCE:g} of the larger one, or of 1)")
    if found.wrong:
        raise typer.Exit(1)
