"""`nenette opponents` and `nenette import-sb3`: the ladder of each game, its cards, and policies from elsewhere."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from nenette_agents.cli import options
from nenette_agents.cli.options import Json, Rules
from nenette_agents.errors import RunError, missing_extra
from nenette_agents.terminal.tables import output

__all__ = ["import_sb3", "opponents"]


def opponents(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Opponents, NAME or GAME/NAME, whose cards to print.", show_default="all"),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Only this game's.", show_default=False, autocompletion=options.games)
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
    as_json: Json = False,
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
    from nenette.games.checks import check_choice
    from nenette.policies.ladders import TABLES
    from nenette.policies.shipped import ladder_names
    from nenette_agents.opponents.manifest import choose

    ladders = [*GAMES, *TABLES]
    if game is not None:
        check_choice("a game", game, ladders)
    known = {one: ladder_names(one, folder) for one in ([game] if game is not None else ladders)}
    for entry in entries:
        if entry.game in known and entry.name not in known[entry.game]:
            known[entry.game].append(entry.name)
    return choose(names, game, known)


def _print(chosen: dict[str, list[str]], folder: Path, *, as_json: bool, full: bool) -> None:
    from nenette_agents.opponents.cards import cards_of, full_card, ladder_table

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
    from nenette_agents.opponents.cards import verify
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


def import_sb3(
    file: Annotated[Path, typer.Argument(help="What stable-baselines3's `save` wrote.", show_default=False)],
    game: Annotated[str, typer.Option(help="The game that it was trained to play.", show_default=False)],
    trusted: Annotated[
        bool,
        typer.Option(
            "--i-trust-this-file",
            help="To read it is to run whatever program is hidden in it: say that you know who made it.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The folder to write.", show_default="FILE-policy"),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What tables call it.", show_default="FILE without .zip")] = None,
    greedy: Annotated[
        bool, typer.Option("--greedy", help="Always take the likeliest action, as DQN does anyway.")
    ] = False,
    vecnormalize: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What VecNormalize's `save` wrote, if that scaled the observations: a pickle, trusted as FILE is.",
            show_default=False,
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain-observations", help="Nothing scaled the observations, where the zip does not say."),
    ] = False,
    settings: Rules = None,
    as_json: Json = False,
) -> None:
    """Turn the zip of a PPO, MaskablePPO or DQN trained on our environments into a policy folder.

    A zip of MaskedDQN or TurnMaskedPPO holds no program, and needs no trust.
    """
    from nenette.policies import save_policy
    from nenette.policies.files import JSON_FILE
    from nenette_agents.config.named import game_with_rules

    played = game_with_rules(game, settings or [])
    # Not FILE without .zip alone: PPO.load("mine") would find the folder, and not look for mine.zip.
    folder = out or file.with_name(f"{file.stem}-policy")
    if folder == file or (folder / JSON_FILE).exists():
        raise RunError(f"{folder} is there already: name another folder with --out")
    try:
        from nenette_agents import sb3_import
    except ModuleNotFoundError as error:
        raise missing_extra("importing", "train", error) from error
    asked: dict[str, Any] = {"name": name or file.stem, "greedy": greedy, "statistics": vecnormalize, "plain": plain}
    policy = sb3_import.read_own(file, played, **asked)
    if policy is None and not trusted:
        raise RunError(
            f"{file} was not read: a zip of stable-baselines3 holds pickles, and to read one is to run whatever "
            "program is in it; if you know who made it, say --i-trust-this-file"
        )
    policy = policy or sb3_import.read_trusted(file, played, **asked)
    save_policy(folder, policy, policy.card)
    report = {
        "policy": str(folder),
        "name": policy.name,
        "game": played.name,
        "rules_id": played.rules_id,
        "layers": policy.sizes,
        "activation": policy.activation,
        "head": policy.head,
        "imported": policy.card["imported"],
    }
    if as_json:
        print(json.dumps(report))
        return
    print(f"{folder} holds {policy.name}, which plays {played.name}: nenette evaluate {folder}")
