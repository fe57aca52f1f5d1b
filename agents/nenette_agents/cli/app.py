"""The command line, `nenette`. Importing it is quick: what trains is imported by the command that trains."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from nenette_agents.cli.benchmark import benchmark
from nenette_agents.cli.config import config
from nenette_agents.cli.diagnose import diagnose
from nenette_agents.cli.doctor import doctor
from nenette_agents.cli.evaluate import evaluate, table
from nenette_agents.cli.opponents import import_sb3, opponents
from nenette_agents.cli.play import page, play, watch
from nenette_agents.cli.report import report
from nenette_agents.cli.runs import runs
from nenette_agents.cli.solve import certify, solve
from nenette_agents.cli.train import train
from nenette_agents.errors import sentence_of

__all__ = ["app", "main", "run_script"]


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


app.command(
    epilog="Example: nenette evaluate runs/421/ppo/421-ppo-seed0 --against optimal, "
    "or: nenette evaluate blocker --game demi-iles --set players=3 --against greedy --against equilibrium"
)(evaluate)
app.command(epilog="Example: nenette solve 421 --set manches_to_lose=1 --json")(solve)
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


def run_script(main: Callable[[], Any]) -> None:
    """Calls `main`; what people's mistakes raise becomes one sentence and exit code 2, and Ctrl-C exit code 130."""
    try:
        main()
    except (ValueError, OSError) as error:
        print(f"{Path(sys.argv[0]).stem}: {sentence_of(error)}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
