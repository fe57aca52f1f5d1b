"""`nenette table`: everybody against everybody, exactly, with ratings."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nenette.policies.players import SAMPLED
from nenette_agents.cli import completion
from nenette_agents.terminal.progress import AtWork
from nenette_agents.terminal.screen import Column, WideTable, output

if TYPE_CHECKING:
    from rich.console import Group

    from nenette.matches.cross_table import CrossTable

__all__ = ["table"]


def table(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Opponents, NAME or GAME/NAME, best-response:NAME, and runs, by folder or by name.",
            show_default="all opponents of the game",
            autocompletion=completion.agents,
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            help="The game, where the first NAME does not say it.",
            show_default=False,
            autocompletion=completion.games,
        ),
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
    with AtWork(f"table {game or ' '.join(names or [])}") as work:
        from nenette_agents.benchmark.evaluation import cross_table

        result = cross_table(names or [], game=game, rules=settings or [], runs=runs, work=work)
    if as_json:
        print(json.dumps(result.report()))
        return
    console = output()
    for one in (result, result.endless):
        if one is not None:
            console.print(_shown(one, endless=one is not result))


def _shown(result: "CrossTable", *, endless: bool) -> "Group":
    """The best by Elo first, then the other players, who are not rated; columns are numbered as the rows are."""
    from rich.console import Group
    from rich.text import Text

    order = sorted(range(len(result.policies)), key=lambda i: -result.elo[i])
    places = [str(place) for place in range(1, len(order) + 1)]
    keys = [Column("", key=True), Column("", figures=False, key=True)]
    rows = [
        [place, _named(result.policies[i], result.plays[i]), f"{result.elo[i]:.0f}", _signed(result.nash_averages[i])]
        + ["" if i == j else _signed(result.values[i][j]) for j in order]
        for place, i in zip(places, order, strict=True)
    ]
    for other in result.other_players:
        rows.append(["", _named(other.policy, other.plays), "", "", *(_signed(other.values[j]) for j in order)])
    played = ", ".join(f"{result.policies[i]} {result.nash[i]:.0%}" for i in order if result.nash[i] > 5e-3)
    cut = "the endless game" if endless else f"games cut after {result.max_turns} turns" if result.max_turns else ""
    how = "both seats count equally"
    if result.players > 2:
        how = "each row sits alone among players of its column, and all seats count equally"
    return Group(
        Text(f"{result.game}{', ' if cut else ''}{cut}: value of each row against each column", style="bold"),
        WideTable([*keys, Column("Elo"), Column("Nash"), *map(Column, places)], rows),
        Text(
            f"exact; {how}. Nash: value against the equilibrium of choosing an agent ({played}). "
            "(sampled) draws actions by their probabilities; all others always take the likeliest"
        ),
    )


def _named(policy: str, plays: str) -> str:
    return f"{policy} ({SAMPLED})" if plays == SAMPLED else policy


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # no -0
