"""`nenette evaluate` and `nenette table`: agents scored exactly, one against another, and all against all."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nenette.policies.players import SAMPLED
from nenette_agents.cli import options
from nenette_agents.cli.options import Json, Rules, Runs
from nenette_agents.terminal.progress import AtWork
from nenette_agents.terminal.tables import Column, WideTable, output, with_rules

if TYPE_CHECKING:
    from rich.console import Group

    from nenette.matches.cross_table import CrossTable

__all__ = ["evaluate", "table"]


def evaluate(
    agent: Annotated[
        str,
        typer.Argument(
            help="A run, by folder or by name, or an opponent, NAME or GAME/NAME.",
            show_default=False,
            autocompletion=options.agents,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help="The game, where AGENT does not say it; module:object for one of your own.",
            show_default=False,
            autocompletion=options.games,
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="Whom it plays, named likewise; with three players or more one for all other seats, or each of them.",
            show_default="optimal; random where more than two play",
            autocompletion=options.agents,
        ),
    ] = None,
    settings: Rules = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Play so many games, even where the score could be exact.",
            min=2,
            show_default="10000, where it cannot be",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the games played.", min=0)] = 0,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Score an agent against an opponent: exactly, where the game can be solved."""
    with AtWork(f"evaluate {agent}") as work:
        from nenette_agents.benchmark import evaluation

        report = evaluation.evaluate(
            agent, game=game, against=against or [], rules=settings or [], games=games, seed=seed, runs=runs, work=work
        )
    if as_json:
        print(json.dumps(report))
        return
    from nenette_agents.terminal import tables

    output().print(tables.score_table(report))


def table(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Opponents, NAME or GAME/NAME, best-response:NAME, and runs, by folder or by name.",
            show_default="all opponents of the game",
            autocompletion=options.agents,
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            help="The game, where the first NAME does not say it.",
            show_default=False,
            autocompletion=options.games,
        ),
    ] = None,
    settings: Rules = None,
    runs: Runs = Path("runs"),
    as_json: Json = False,
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
        Text(
            f"{with_rules(result.game, result.rules)}{', ' if cut else ''}{cut}: value of each row against each column",
            style="bold",
        ),
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
