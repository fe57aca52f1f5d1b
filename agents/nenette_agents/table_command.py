"""`nenette table`: everybody against everybody, exactly, with ratings."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nenette.policies.players import SAMPLED

if TYPE_CHECKING:
    from rich.console import Group

    from nenette.matches.cross_table import CrossTable

__all__ = ["table"]


def table(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Opponents' names, best-response:NAME, and runs.",
            show_default="all opponents of the game",
        ),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="The game, where the first NAME is not a run.", show_default=False)
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one rule; may be repeated.")
    ] = None,
    runs: Annotated[Path, typer.Option("--runs", metavar="DIR", help="The folder in which runs lie.")] = Path("runs"),
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")
    ] = False,
) -> None:
    """Score all pairs of agents exactly, and rate the agents by Elo and by Nash averaging."""
    from nenette_agents.evaluation import cross_table

    result = cross_table(names or [], game=game, rules=settings or [], runs=runs)
    if as_json:
        print(json.dumps(result.report()))
        return
    from rich.console import Console

    console = Console()
    for one in (result, result.endless):
        if one is not None:
            console.print(_shown(one, endless=one is not result))


def _shown(result: "CrossTable", *, endless: bool) -> "Group":
    """The best by Elo first, then the other players, who are not rated; columns are numbered as the rows are."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    order = sorted(range(len(result.policies)), key=lambda i: -result.elo[i])
    grid = Table()
    grid.add_column("", no_wrap=True, min_width=len(str(len(order))))
    grid.add_column("", no_wrap=True)
    for heading in ("Elo", "Nash", *(f"{place}" for place in range(1, len(order) + 1))):
        grid.add_column(heading, justify="right", no_wrap=True)
    for place, i in enumerate(order, start=1):
        values = ("" if i == j else _signed(result.values[i][j]) for j in order)
        ratings = f"{result.elo[i]:.0f}", _signed(result.nash_averages[i])
        grid.add_row(str(place), _named(result.policies[i], result.plays[i]), *ratings, *values)
    for other in result.other_players:
        grid.add_row("", _named(other.policy, other.plays), "", "", *(_signed(other.values[j]) for j in order))
    played = ", ".join(f"{result.policies[i]} {result.nash[i]:.0%}" for i in order if result.nash[i] > 5e-3)
    cut = "the endless game" if endless else f"games cut after {result.max_turns} turns" if result.max_turns else ""
    return Group(
        Text(f"{result.game}{', ' if cut else ''}{cut}: value of each row against each column", style="bold"),
        grid,
        Text(
            f"exact; both seats count equally. Nash: value against the equilibrium of choosing an agent ({played}). "
            "(sampled) draws actions by their probabilities; all others always take the likeliest"
        ),
    )


def _named(policy: str, plays: str) -> str:
    return f"{policy} ({SAMPLED})" if plays == SAMPLED else policy


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # no -0
