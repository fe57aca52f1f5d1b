"""`nenette import-sb3`: a zip of stable-baselines3 becomes a policy that plays without it."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from nenette_agents.errors import RunError, missing_extra

__all__ = ["import_sb3"]


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
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one rule; may be repeated.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")
    ] = False,
) -> None:
    """Turn the zip of a PPO, MaskablePPO or DQN trained on our environments into a policy folder.

    A zip of MaskedDQN or TurnMaskedPPO holds no program, and needs no trust.
    """
    from nenette.policies import save_policy
    from nenette.policies.files import JSON_FILE
    from nenette_agents.config.games import game_with_rules

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
