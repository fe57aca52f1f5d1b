"""Options that several commands have, and what a shell offers after Tab; nothing is imported until a shell asks."""

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["Json", "Rules", "Runs", "agents", "configs", "games", "suites"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]
Rules = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one rule; may be repeated.")
]
Runs = Annotated[Path, typer.Option("--runs", metavar="DIR", help="The folder in which runs lie.")]


def games(incomplete: str) -> list[str]:
    """Games that begin with `incomplete`."""
    from nenette.games import GAMES

    return [name for name in GAMES if name.startswith(incomplete)]


def configs(incomplete: str) -> list[str]:
    """Configs of the package that begin with `incomplete`, and YAML files and folders of the working folder."""
    from nenette_agents.config.files import shipped_configs

    shipped = [name for name in shipped_configs() if name.startswith(incomplete)]
    return [*shipped, *_paths(incomplete, suffix=".yaml")]


def suites(incomplete: str) -> list[str]:
    """Benchmarks of the package that begin with `incomplete`, and YAML files and folders of the working folder."""
    from nenette_agents.config.files import shipped_suites

    shipped = [name for name in shipped_suites() if name.startswith(incomplete)]
    return [*shipped, *_paths(incomplete, suffix=".yaml")]


def agents(ctx: Any, incomplete: str) -> list[str]:
    """Opponents and runs: of the game, where the command line gives it, or else of all, as GAME/NAME, too.

    An option that still lacks its value hides from the shell's question what was said before it.
    """
    from nenette.games import GAMES
    from nenette.policies.ladders import TABLES
    from nenette.policies.shipped import ladder_names

    given = ctx.params.get("game")
    game = (given[0] if given else None) if isinstance(given, list | tuple) else given
    ladders = {one: ladder_names(one) for one in ([game] if isinstance(game, str) and game in GAMES else GAMES)}
    names = list(dict.fromkeys(name for ladder in ladders.values() for name in ladder))
    if game not in GAMES:
        ladders |= {table: ladder_names(table) for table in TABLES}
        names += [f"{one}/{name}" for one, ladder in ladders.items() for name in ladder]
    runs = Path(ctx.params.get("runs") or "runs")
    names += sorted(found.parent.name for found in runs.glob("*/*/*/run.json"))
    return [*(name for name in names if name.startswith(incomplete)), *_paths(incomplete)]


def _paths(incomplete: str, suffix: str | None = None) -> list[str]:
    """Folders that begin with `incomplete`, and files with the suffix, as they would be typed."""
    if not incomplete:
        return []
    head, slash, tail = incomplete.rpartition("/")
    folder = Path(head + slash) if slash else Path()
    if not folder.is_dir():
        return []
    return [
        f"{head}{slash}{one.name}{'/' if one.is_dir() else ''}"
        for one in sorted(folder.iterdir())
        if one.name.startswith(tail) and (one.is_dir() or (suffix is not None and one.suffix == suffix))
    ]
