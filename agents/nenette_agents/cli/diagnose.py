"""`nenette diagnose`: why an agent is as good as it is."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nenette_agents.cli import options
from nenette_agents.cli.options import Json, Rules, Runs
from nenette_agents.errors import missing_extra
from nenette_agents.terminal.progress import AtWork
from nenette_agents.terminal.tables import output

if TYPE_CHECKING:
    from nenette_agents.diagnosis.diagnosis import Diagnosis

__all__ = ["diagnose"]

PICTURE = "diagnosis.png"


def diagnose(
    agent: Annotated[
        str,
        typer.Argument(
            help="A run, by folder or by name, a benchmark's run, or an opponent, NAME or GAME/NAME.",
            show_default=False,
            autocompletion=options.agents,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(help="The game, where AGENT does not say it.", show_default=False, autocompletion=options.games),
    ] = None,
    against: Annotated[
        str, typer.Option(help="Whom it plays, named likewise.", autocompletion=options.agents)
    ] = "optimal",
    settings: Rules = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Tell the regret by this field of the observation, too; may be repeated."),
    ] = None,
    capacity: Annotated[
        bool, typer.Option("--capacity", help="Fit its network to the optimum: a minute or more.")
    ] = False,
    capacity_steps: Annotated[
        int | None, typer.Option(min=1, help="Steps of that fit.", show_default="4000, alone 1500")
    ] = None,
    decisive: Annotated[
        bool,
        typer.Option("--decisive", help="Look for the moves of demi-iles that decide everything: half a minute."),
    ] = False,
    discount: Annotated[
        list[float] | None,
        typer.Option(
            min=0, max=0.99, help="Of --decisive; may be repeated.", show_default="the training's, or several"
        ),
    ] = None,
    tremble: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Of --decisive: the share of moves that are slips.",
            show_default="the training's, or 0.05",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where the picture goes, a PNG.", show_default=f"{PICTURE} in a run's folder"
        ),
    ] = None,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Tell why an agent is as good as it is: where it loses, what its critic knows, what its training met."""
    with AtWork(f"diagnose {agent}") as work:
        try:
            from nenette_agents.diagnosis.diagnosis import diagnose as make_diagnosis
        except ModuleNotFoundError as error:
            raise missing_extra("a diagnosis", "train", error) from error
        found = make_diagnosis(
            agent,
            game=game,
            against=against,
            rules=settings or [],
            runs=runs,
            by=by,
            with_capacity=capacity or capacity_steps is not None,
            capacity_steps=capacity_steps,
            with_decisive=decisive or bool(discount) or tremble is not None,
            discounts=discount,
            tremble=tremble,
            now=work.now,
        )
        file = picture or (None if found.subject.folder is None else found.subject.folder / PICTURE)
        if file is not None:
            work.now("drawing")
            _draw(found, file)
    if as_json:
        print(json.dumps({**found.report(), "picture": None if file is None else str(file)}))
        return
    from nenette_agents.diagnosis.page import page

    output().print(page(found), soft_wrap=False)
    if file is not None:
        print(f"\nThe picture is in {file}")


def _draw(found: "Diagnosis", file: Path) -> None:
    from nenette_agents.diagnosis.picture import draw

    try:
        draw(found, file)
    except ModuleNotFoundError as error:
        raise missing_extra("drawing", "train", error) from error
