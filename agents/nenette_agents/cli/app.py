"""The command line, `nenette`. Importing it is quick: what trains is imported by the command that trains."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from nenette_agents.cli import completion
from nenette_agents.cli.benchmark import benchmark
from nenette_agents.cli.certify import certify
from nenette_agents.cli.config import config
from nenette_agents.cli.diagnose import diagnose
from nenette_agents.cli.doctor import doctor
from nenette_agents.cli.import_sb3 import import_sb3
from nenette_agents.cli.opponents import opponents
from nenette_agents.cli.page import page
from nenette_agents.cli.play import play, watch
from nenette_agents.cli.report import report
from nenette_agents.cli.runs import runs
from nenette_agents.cli.table import table
from nenette_agents.cli.train import train
from nenette_agents.errors import sentence_of
from nenette_agents.terminal.progress import AtWork
from nenette_agents.terminal.screen import output

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    """Turns what people's mistakes raise into one sentence and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (ValueError, OSError) as error:
            print(f"nenette: {sentence_of(error)}", file=sys.stderr)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as error:
            print("nenette: interrupted", file=sys.stderr)
            raise typer.Exit(130) from error


app = typer.Typer(
    cls=_Commands,
    help="Two French dice games, solved exactly: train agents and score them against the truth.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one value; may be repeated.")
]
Runs = Annotated[Path, typer.Option("--runs", metavar="DIR", help="The folder in which runs lie.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"nenette {version('nenette')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


app.command(
    epilog="Example: nenette train 421-ppo --seeds 0-4 --jobs 2 --set total_timesteps=5e5; after a kill, or for more "
    "steps: nenette train --resume 421-ppo-seed3 --set total_timesteps=1e6"
)(train)


@app.command(
    epilog="Example: nenette evaluate runs/421/ppo/421-ppo-seed0 --against optimal, "
    "or: nenette evaluate blocker --game demi-iles --set players=3 --against greedy --against equilibrium"
)
def evaluate(
    agent: Annotated[
        str,
        typer.Argument(
            help="A run, by folder or by name, or an opponent, NAME or GAME/NAME.",
            show_default=False,
            autocompletion=completion.agents,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help="The game, where AGENT does not say it; module:object for one of your own.",
            show_default=False,
            autocompletion=completion.games,
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="Whom it plays, named likewise; with three players or more one for all other seats, or each of them.",
            show_default="optimal; random where more than two play",
            autocompletion=completion.agents,
        ),
    ] = None,
    settings: Set = None,
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


@app.command(epilog="Example: nenette solve 421 --set manches_to_lose=1 --json")
def solve(
    game: Annotated[
        str,
        typer.Argument(
            help="The game's name, demi-iles-solo, demi-iles or 421; module:object of one of your own.",
            autocompletion=completion.games,
        ),
    ],
    settings: Set = None,
    as_json: Json = False,
) -> None:
    """Solve a game to the optimum; the solution is kept for the next time."""
    with AtWork(f"solve {game}"):
        from nenette.exact import solve as solve_game
        from nenette_agents.config.games import game_with_rules

        report = solve_game(game_with_rules(game, settings or [])).report()
    if as_json:
        print(json.dumps(report))
        return
    from nenette_agents.terminal import tables

    output().print(tables.facts_table(report, title=f"{game}, solved"))


app.command(epilog="Example: nenette benchmark smoke --jobs 2, or: nenette benchmark nenette-v1 --seeds 10 --jobs 2")(
    benchmark
)
app.command(epilog="Example: nenette runs 421-ppo-seed0 421-ppo-seed1 --plot curves.png")(runs)
app.command(epilog="Example: nenette opponents --verify --game 421")(opponents)
app.command(epilog="Example: nenette play 421 --hints, and afterwards: nenette play --replay last --review")(play)
app.command(epilog="Example: nenette watch ppo-strong optimal --game 421")(watch)
app.command(epilog="Example: nenette page --output table.html")(page)
app.command(epilog="Example: nenette table --game demi-iles")(table)
app.command(
    epilog="Example: nenette diagnose 421-ppo-seed3 --capacity, or: nenette diagnose 421/ppo-medium --picture why.png"
)(diagnose)
app.command(epilog="Example: nenette report runs/smoke, and: nenette report --check docs/leaderboard.md")(report)
app.command(epilog="Example: nenette certify 421 --output 421.json && nenette certify --check 421.json")(certify)
app.command(epilog="Example: nenette config ppo, and nenette config --schema > config.schema.json")(config)
app.command(epilog="Example: nenette doctor --json")(doctor)
app.command("import-sb3", epilog="Example: nenette import-sb3 mine.zip --game 421 --i-trust-this-file")(import_sb3)


def main(arguments: list[str] | None = None) -> None:
    """What the command `nenette` runs; `arguments` in place of the process's own."""
    app(arguments, prog_name="nenette")
