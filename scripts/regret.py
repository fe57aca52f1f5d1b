"""Where does an agent of a two-player game give value away? By each value of a field of its observation, exactly.

    python scripts/regret.py RUN --game 421 --by "the other leads" [--by FIELD ...] [--against optimal] [--json]

A decision's regret is the value of the best action less that of the one taken, under optimal play from then on. Added
up over a game against the solver's play it is what the agent loses to it, so the parts say where to look.
"""

import json
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from nenette.exact import answer_key
from nenette.games import make_game
from nenette.games.checks import check_choice
from nenette.policies import load_opponent
from nenette_agents.cli.scripts import run_script


def regret_by(name: str, game_name: str, fields: list[str], against: str) -> dict[str, Any]:
    """For each field, its values with what is given away there in a game and how many decisions are met.

    Raises:
        ValueError: there is no such game, player or field, or the game is not for two.
    """
    check_choice("a game with an opponent", game_name, ("demi-iles", "421"))
    game = make_game(game_name)
    for field in fields:
        check_choice(f"a field of {game_name}", field, game.codec.names)
    key = answer_key(game)
    player, opponent = (key.tabulate(load_opponent(one, game).action_probabilities) for one in (name, against))
    columns = [key.model.fields[:, list(game.codec.names).index(field)] for field in fields]
    values = [np.unique(column) for column in columns]
    parts = [column == value for column, there in zip(columns, values, strict=True) for value in there]
    (lost, decisions), *rest = key.given_away(player, opponent, [np.ones(key.model.n_states, dtype=np.bool_), *parts])
    pairs = iter(rest)
    by = {
        field: [
            {"value": int(value), "lost": part[0], "decisions": part[1]}
            for value, part in ((value, next(pairs)) for value in there)
            if part[1] > 0
        ]
        for field, there in zip(fields, values, strict=True)
    }
    return {"agent": name, "game": game_name, "against": against, "lost": lost, "decisions": decisions, "by": by}


def main(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A policy's name, or a run's folder.")],
    game: Annotated[str, typer.Option(help="demi-iles or 421.")] = "421",
    by: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="A field; may be repeated. Default: all.")
    ] = None,
    against: Annotated[str, typer.Option(metavar="NAME", help="Whom it plays against.")] = "optimal",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Tell where an agent gives value away.

    Example: python scripts/regret.py 421/ppo-strong --game 421 --by "the other leads"
    """
    check_choice("a game with an opponent", game, ("demi-iles", "421"))
    report = regret_by(name, game, by or list(make_game(game).codec.names), against)
    if as_json:
        print(json.dumps(report))
        return
    table = Table(title=f"{name} against {against}: {report['lost']:.4f} in {report['decisions']:.1f} decisions a game")
    for heading in ("field", "value", "given away", "decisions", "a decision"):
        table.add_column(heading, justify="left" if heading == "field" else "right")
    for field, lines in report["by"].items():
        for line in lines:
            lost, met = line["lost"], line["decisions"]
            table.add_row(field, str(line["value"]), f"{lost:.4f}", f"{met:.2f}", f"{lost / met:.5f}")
    Console().print(table)


if __name__ == "__main__":
    run_script(lambda: typer.run(main))
