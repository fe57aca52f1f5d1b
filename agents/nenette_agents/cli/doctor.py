"""`nenette doctor`: what is installed, what is kept where, and what is missing."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.markup import escape

from nenette_agents.cli.options import Json, Runs
from nenette_agents.terminal.tables import Column, WideTable, output

if TYPE_CHECKING:
    from nenette_agents.installation import Extra, FolderReport

__all__ = ["doctor"]


def doctor(
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Tell versions, what is kept on disk, and what is missing and how to get it; exit code 1 if something is wrong."""
    from nenette_agents.installation import examine

    found = examine(runs)
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        console = output()
        print(f"nenette {found.nenette}, Python {found.python}, {found.platform}")
        print(f"Packages: {_versions(found.packages)}")
        print("Trained opponents: " + ", ".join(f"{game} {count}" for game, count in found.opponents.items()))
        console.print(_extras(found.extras))
        console.print(_folders(found.folders))
        for problem in found.problems:
            print(f"Wrong: {problem}")
        if not found.problems:
            print("All that playing, solving and scoring needs is there.")
    if found.problems:
        raise typer.Exit(1)


def _versions(packages: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in packages.items())


def _extras(extras: "list[Extra]") -> WideTable:
    columns = [
        Column("extra", figures=False, key=True),
        Column("missing", figures=False),
        Column("in a clone", figures=False),
    ]
    rows = [
        (one.name, ", ".join(one.missing) or "nothing", escape(one.install) if one.missing else "") for one in extras
    ]
    return WideTable(columns, rows)


def _folders(folders: "list[FolderReport]") -> WideTable:
    columns = [
        Column("on disk", figures=False, key=True),
        Column("files"),
        Column("MB"),
        Column("folder", figures=False),
    ]
    rows = [
        (
            one.what,
            f"{one.files:,}",
            f"{one.size / 1e6:,.1f}",
            escape(one.folder) + ("" if one.writable else " (read-only)"),
        )
        for one in folders
    ]
    return WideTable(columns, rows)
