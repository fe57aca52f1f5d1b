"""`nenette certify`: proves a game's solution, and checks what was proved elsewhere."""

import json
import time
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from nenette.writing import replace_file
from nenette_agents.at_work import AtWork

__all__ = ["certify"]


def certify(
    game: Annotated[str | None, typer.Argument(help="The game to certify.", show_default=False)] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The certificate to write.  [default: GAME.certificate.json]", show_default=False),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check this certificate instead.", show_default=False)
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one rule; may be repeated.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")
    ] = False,
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
    """What is told of a certificate, whichever kind of game it is about."""

    game: str
    rules_id: str
    states: int
    decisions: int
    exact: dict[str, Any]
    text: str


def _certify(name: str, settings: list[str]) -> _Proved:
    from nenette.games.demi_iles import DemiIlesSolo
    from nenette_agents.evaluation import game_with_rules

    game = game_with_rules(name, settings)
    if isinstance(game, DemiIlesSolo):
        from nenette.exact.solo.certificate import certify_solo

        return _of_solo(certify_solo(game))
    from nenette.exact.certificates.maker import certify as certify_for_two

    return _of_two(certify_for_two(game))


def _check(file: Path) -> _Proved:
    from nenette.exact.certificates.files import check as check_for_two
    from nenette.exact.certificates.files import game_named
    from nenette.games.demi_iles import DemiIlesSolo

    if game_named(file) == DemiIlesSolo.name:
        from nenette.exact.solo.certificate import check_solo

        return _of_solo(check_solo(file))
    return _of_two(check_for_two(file))


def _of_two(certificate: Any) -> _Proved:
    game, decisions = certificate.game, len(certificate.play)
    return _Proved(game.name, game.rules_id, certificate.states, decisions, certificate.exact, certificate.text())


def _of_solo(certificate: Any) -> _Proved:
    from nenette.games.demi_iles import DemiIlesSolo

    game, states = DemiIlesSolo(), len(certificate.actions) - 1  # the last is the end
    return _Proved(game.name, game.rules_id, states, states, certificate.claims, certificate.text())


def _write(file: Path, text: str) -> None:
    """All of it or nothing."""
    replace_file(file, text.encode())


def _report(proved: _Proved, file: Path, began: float) -> dict[str, Any]:
    return {
        "game": proved.game,
        "rules_id": proved.rules_id,
        "certificate": str(file),
        "bytes": file.stat().st_size,
        "proved": True,
        "states": proved.states,
        "decisions": proved.decisions,
        "exact": proved.exact,
        "seconds": round(time.perf_counter() - began, 3),
    }


def _sentences(report: dict[str, Any], *, checked: bool) -> str:
    """For people, who get long fractions as decimals."""
    figures = {}
    for name, figure in report["exact"].items():
        parts = {f"{name} at {key}": one for key, one in figure.items()} if isinstance(figure, dict) else {name: figure}
        figures.update(parts)
    lines = [
        f"{report['certificate']} {'is right' if checked else 'is written'}: {report['game']} is proved in all "
        f"{report['states']} states, {report['decisions']} of them decisions, in {report['seconds']:.1f} s.",
        *(f"  {name} = {_decimal(figure)}" for name, figure in figures.items()),
    ]
    return "\n".join(lines)


def _decimal(fraction: str | list[str]) -> str:
    if isinstance(fraction, list):
        return " to ".join(map(_decimal, fraction))
    numerator, denominator = fraction.split("/")
    value = Decimal(numerator) / Decimal(denominator)
    if len(fraction) <= 50:
        return f"{value:.15g} = {fraction}"
    return f"{value:.17g}, a fraction of {len(numerator)} over {len(denominator)} digits"
