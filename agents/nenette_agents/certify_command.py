"""`nenette certify`: proves a game's solution, and checks what was proved elsewhere."""

import json
import time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from nenette.exact.certificate import Certificate

__all__ = ["certify"]


def certify(
    game: Annotated[
        str | None, typer.Argument(help="The game to certify: demi-iles or 421.", show_default=False)
    ] = None,
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
        from nenette.exact.certificate import check as check_certificate

        report = _report(check_certificate(check), check, began)
    elif game is None:
        raise ValueError("name a game to certify, such as 421, or a file to check: --check FILE")
    else:
        from nenette.exact.certificate_maker import certify as make_certificate
        from nenette_agents.evaluation import game_with_rules

        file = output or Path(f"{game}.certificate.json")
        certificate = make_certificate(game_with_rules(game, settings or []))
        _write(file, certificate.text())
        report = _report(certificate, file, began)
    print(json.dumps(report) if as_json else _sentences(report, checked=check is not None))


def _write(file: Path, text: str) -> None:
    """All of it or nothing."""
    aside = file.with_name(file.name + ".part")
    aside.write_text(text)
    aside.replace(file)


def _report(certificate: "Certificate", file: Path, began: float) -> dict[str, Any]:
    return {
        "game": certificate.game.name,
        "rules_id": certificate.game.rules_id,
        "certificate": str(file),
        "bytes": file.stat().st_size,
        "proved": True,
        "states": certificate.states,
        "decisions": len(certificate.play),
        "exact": certificate.exact,
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


def _decimal(fraction: str) -> str:
    if len(fraction) <= 40:
        return fraction
    numerator, denominator = fraction.split("/")
    value = Decimal(numerator) / Decimal(denominator)
    return f"{value:.17g}, a fraction of {len(numerator)} over {len(denominator)} digits"
