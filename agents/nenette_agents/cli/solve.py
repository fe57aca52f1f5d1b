"""`nenette solve` and `nenette certify`: a game's solution, and its proof, made and checked."""

import json
import time
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from nenette.writing import replace_file
from nenette_agents.cli import options
from nenette_agents.cli.options import Json, Rules
from nenette_agents.terminal.progress import AtWork
from nenette_agents.terminal.tables import output

__all__ = ["certify", "solve"]


def solve(
    game: Annotated[
        str,
        typer.Argument(
            help="The game's name, demi-iles-solo, demi-iles or 421; module:object of one of your own.",
            autocompletion=options.games,
        ),
    ],
    settings: Rules = None,
    as_json: Json = False,
) -> None:
    """Solve a game to the optimum; the solution is kept for the next time."""
    with AtWork(f"solve {game}"):
        from nenette.exact import solve as solve_game
        from nenette_agents.config.named import game_with_rules

        report = solve_game(game_with_rules(game, settings or [])).report()
    if as_json:
        print(json.dumps(report))
        return
    from nenette_agents.terminal import tables

    output().print(tables.facts_table(report, title=f"{game}, solved"))


def certify(
    game: Annotated[
        str | None,
        typer.Argument(help="The game to certify.", show_default=False, autocompletion=options.games),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The certificate to write.  [default: GAME.certificate.json]", show_default=False),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check this certificate instead.", show_default=False)
    ] = None,
    settings: Rules = None,
    as_json: Json = False,
) -> None:
    """Prove a game's solution in exact arithmetic, or check such a proof without the solver."""
    began = time.perf_counter()
    if check is not None:
        if game is not None or output is not None or settings:
            raise ValueError("--check FILE stands alone: the file says which game and which rules it is about")
        with AtWork(f"certify --check {check}"):
            report = _report(_check(check), check, began)
    elif game is None:
        raise ValueError("name a game to certify, such as 421, or a file to check: --check FILE")
    else:
        file = output or Path(f"{game}.certificate.json")
        with AtWork(f"certify {game}"):
            proved = _certify(game, settings or [])
        _write(file, proved.text)
        report = _report(proved, file, began)
    print(json.dumps(report) if as_json else _sentences(report, checked=check is not None))


class _Proved(NamedTuple):
    """What is reported of a certificate, whichever kind of game it is about.

    Attributes:
        game: by the rules that are proved.
        states: how many there are.
        decisions: in how many of them there is a choice.
        exact: the figures that are proved.
        text: the certificate's.
        unique: whether it is proved that no other play is optimal; None if that was not looked at.
    """

    game: Any
    states: int
    decisions: int
    exact: dict[str, Any]
    text: str
    unique: bool | None

    @property
    def rules(self) -> dict[str, Any]:
        """All rules except `max_turns`, which makes no difference."""
        return {name: value for name, value in asdict(self.game.rules).items() if name != "max_turns"}

    @property
    def other_rules(self) -> dict[str, Any]:
        """Those that are not the default ones."""
        usual = asdict(type(self.game.rules)())
        return {name: value for name, value in self.rules.items() if value != usual[name]}


def _certify(name: str, settings: list[str]) -> _Proved:
    from nenette.games.demi_iles import DemiIlesSolo
    from nenette_agents.config.named import game_with_rules

    game = game_with_rules(name, settings)
    if isinstance(game, DemiIlesSolo):
        from nenette.exact.solo.certifying import certify_solo

        return _of_solo(certify_solo(game))
    if game.players > 2:
        from nenette.exact.certificates.several_maker import certify_several

        return _of_several(certify_several(game))
    from nenette.exact.certificates.maker import certify as certify_for_two

    return _of_two(certify_for_two(game))


def _check(file: Path) -> _Proved:
    from nenette.exact.certificates.files import check as check_for_two
    from nenette.exact.certificates.files import game_named
    from nenette.exact.certificates.several import check as check_several
    from nenette.exact.certificates.several import is_about_several
    from nenette.games.demi_iles import DemiIlesSolo

    if is_about_several(file):
        return _of_several(check_several(file))
    if game_named(file) == DemiIlesSolo.name:
        from nenette.exact.solo.certificate import check_solo

        return _of_solo(check_solo(file))
    return _of_two(check_for_two(file))


def _of_two(certificate: Any) -> _Proved:
    decisions, text = len(certificate.play), certificate.text()
    return _Proved(certificate.game, certificate.states, decisions, certificate.exact, text, certificate.unique)


def _of_several(certificate: Any) -> _Proved:
    # There are other equilibria: no action of this one is tied with another, and that is all.
    return _Proved(
        certificate.game, certificate.states, certificate.states, certificate.exact, certificate.text(), None
    )


def _of_solo(certificate: Any) -> _Proved:
    from nenette.exact.solo.bounds import N_STATES
    from nenette.games.demi_iles import DemiIlesSolo

    # Ties are not looked at there, so nothing is said of whether the play is unique.
    return _Proved(DemiIlesSolo(), N_STATES, N_STATES, certificate.claims, certificate.text(), None)


def _write(file: Path, text: str) -> None:
    """All of it or nothing."""
    replace_file(file, text.encode())


def _report(proved: _Proved, file: Path, began: float) -> dict[str, Any]:
    return {
        "game": proved.game.name,
        "rules": proved.rules,
        "other_rules": proved.other_rules,
        "rules_id": proved.game.rules_id,
        "certificate": str(file),
        "bytes": file.stat().st_size,
        "proved": True,
        "states": proved.states,
        "decisions": proved.decisions,
        "unique": proved.unique,
        "exact": proved.exact,
        "seconds": round(time.perf_counter() - began, 3),
    }


def _sentences(report: dict[str, Any], *, checked: bool) -> str:
    """For people, who get long fractions as decimals."""
    figures = {}
    for name, figure in report["exact"].items():
        parts = {f"{name} at {key}": one for key, one in figure.items()} if isinstance(figure, dict) else {name: figure}
        figures.update(parts)
    what = f"{report['certificate']} {'is right' if checked else 'is written'}"
    lines = [
        f"{what}: {report['game']} {_by(report)} is proved in all "
        f"{report['states']} states, {report['decisions']} of them decisions, in {report['seconds']:.1f} s.",
        *(["  The optimal play is unique: in every state any other action is worth less."] if report["unique"] else []),
        *(f"  {name} = {_decimal(figure)}" for name, figure in figures.items()),
    ]
    return "\n".join(lines)


def _by(report: dict[str, Any]) -> str:
    others = [f"{name}={value}" for name, value in report["other_rules"].items()]
    return f"with {', '.join(others)} (by default otherwise)" if others else "by the default rules"


def _decimal(fraction: str | list[str]) -> str:
    if isinstance(fraction, list):
        return " to ".join(map(_decimal, fraction))
    numerator, denominator = fraction.split("/")
    value = Decimal(numerator) / Decimal(denominator)
    if len(fraction) <= 50:
        return f"{value:.15g} = {fraction}"
    return f"{value:.17g}, a fraction of {len(numerator)} over {len(denominator)} digits"
