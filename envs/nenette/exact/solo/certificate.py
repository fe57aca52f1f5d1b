"""The certificate of the solo game: bounds on its value, and the play that they are got from.

A file of some 300 kB holds the play and what is claimed: an interval no wider than 1e-9 that the fewest expected turns
lie in (and the turns of this very play, too), and these turns exactly for the 21 states in which only 21 is left. The
check works out what the play is worth set by set, which need not be believed, and proves the bounds from that in
integers: see `nenette.exact.solo.bounds` for why they hold in spite of rounding. It does not use the solver.

The play is written at 2 bits a state, all states of score 0 first, then those of score 1, and so on, each by ascending
set: neighbours in that order mostly play alike, so it compresses to less than a tenth.
"""

import base64
import binascii
import json
import re
import zlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact.certificates.walk import CertificateError
from nenette.exact.model import Ints
from nenette.exact.solo.bounds import Bounds, enclose, full_set, turns_of
from nenette.exact.solo.states import N_SETS, N_STATES, index, pack, unpack
from nenette.games.demi_iles import SCORES, TARGET, DemiIlesSolo, DemiIlesSoloRules
from nenette.untrusted import NotReadableError, parse_json, read_bytes

__all__ = ["SoloCertificate", "certify_solo", "check_solo"]

FORMAT, VERSION = "nenette-certificate", 1
WIDEST = Fraction(1, 10**9)
_GRID = 10**10  # what is claimed is rounded outward to multiples of 1 / _GRID
_MOST_BYTES = 8 << 20


@dataclass(frozen=True, eq=False)
class SoloCertificate:
    """What a certificate of the solo game says.

    Attributes:
        actions: uint8, (N_STATES,): the play, in the order of `nenette.exact.solo.states`.
        lower: the fewest expected turns from the start are at least this.
        upper: they are at most this, and so are those of the play.
        full_set: the fewest expected turns from each score 0..20 when only 21 is left.
    """

    actions: NDArray[np.uint8]
    lower: Fraction
    upper: Fraction
    full_set: list[Fraction]

    @property
    def claims(self) -> dict[str, Any]:
        """As the file has them: fractions "p/q"."""
        return {
            "turns": [_written(self.lower), _written(self.upper)],
            "only_21_left": {str(score): _written(turns) for score, turns in enumerate(self.full_set)},
        }

    def text(self) -> str:
        """The file's text."""
        game = _endless()
        play = zlib.compress(pack(self.actions[_order()]).tobytes(), 9)
        head = {"format": FORMAT, "version": VERSION, "game": game.name, "rules": {}, "rules_id": game.rules_id}
        body = {"states": N_STATES - 1, "play": base64.b64encode(play).decode(), "exact": self.claims}
        return json.dumps({**head, **body}, indent=1) + "\n"


def _endless() -> DemiIlesSolo:
    return DemiIlesSolo(DemiIlesSoloRules(max_turns=None))


def _order() -> Ints:
    """int64, (N_STATES,): the states' places by score and then by set, the end of the game included."""
    sets = np.arange(N_SETS)
    by_score = []
    for score in SCORES:
        inside = sets if score in (0, TARGET) else sets[(sets >> (score - 1)) & 1 > 0]
        by_score.append(index(np.full(len(inside), score), inside))
    return np.concatenate(by_score)


def certify_solo(game: DemiIlesSolo, *, keep: bool = True) -> SoloCertificate:
    """A certificate of the kept solution, proved.

    Args:
        game: its `max_turns` makes no difference.
        keep: as in `nenette.exact.solve`.

    Raises:
        CertificateError: the solution cannot be proved to be right.
    """
    from nenette.exact.solo.solving import solve_solo  # which a check does without

    optimum = solve_solo(game, keep=keep)
    actions = unpack(optimum.packed, np.arange(N_STATES)).astype(np.uint8)
    enclose(optimum.turns, actions)  # the kept turns themselves are good
    lower, upper = _prove(actions)
    half = Fraction(1, 2)  # another machine rounds differently, by much less than that
    claimed = (Fraction(round(lower * _GRID - half) - 1, _GRID), Fraction(round(upper * _GRID + half) + 1, _GRID))
    return SoloCertificate(actions, *claimed, full_set(actions))


def _prove(actions: NDArray[np.uint8]) -> Bounds:
    bounds = enclose(turns_of(actions), actions)
    if bounds.upper - bounds.lower > WIDEST:
        raise CertificateError(
            f"its play is proved to be optimal within {float(bounds.upper - bounds.lower):.3g} turns only"
        )
    return bounds


def check_solo(file: Path) -> SoloCertificate:
    """Reads a certificate of the solo game and proves all that it claims.

    Raises:
        CertificateError: it cannot be read, or something that it claims is not so.
        OSError: there is no such file.
    """
    try:
        actions, claims = _read(file)
    except (CertificateError, ValueError, TypeError, binascii.Error, zlib.error, RecursionError) as error:
        raise CertificateError(f"{file} is no certificate of the solo game that can be checked: {error}") from error
    try:
        lower, upper = (_fraction(text) for text in claims["turns"])
        certificate = SoloCertificate(actions, lower, upper, full_set(actions))
        if certificate.claims != claims:
            raise CertificateError("it claims what is not so of the states in which only 21 is left")
        bounds = _prove(actions)
        if not (lower <= bounds.lower and bounds.upper <= upper and upper - lower <= WIDEST):
            raise CertificateError("the fewest turns do not lie where it says")
    except (ValueError, KeyError, TypeError) as error:
        raise CertificateError(f"{file} proves nothing: {error}") from error
    return certificate


def _read(file: Path) -> tuple[NDArray[np.uint8], Any]:
    try:
        told = parse_json(read_bytes(file, _MOST_BYTES))
    except NotReadableError as error:
        raise CertificateError(f"it {error}") from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise CertificateError(f"it cannot be read: {error.strerror}") from error
    if not isinstance(told, dict):
        raise CertificateError("it is no JSON object")
    for name in ("format", "version", "game", "rules_id", "play", "exact"):
        if name not in told:
            raise CertificateError(f"{name} is missing")
    game = _endless()
    for name, value in {"format": FORMAT, "version": VERSION, "game": game.name, "rules_id": game.rules_id}.items():
        if told[name] != value:
            raise CertificateError(f"its {name} is {str(told[name])[:40]!r}, and {value!r} is what can be checked")
    inflate = zlib.decompressobj()
    play = inflate.decompress(base64.b64decode(told["play"], validate=True), N_STATES // 4 + 1)
    if len(play) != N_STATES // 4 or not inflate.eof:
        raise CertificateError(f"its play is not of {N_STATES - 1} states")
    actions = np.empty(N_STATES, dtype=np.uint8)
    actions[_order()] = unpack(np.frombuffer(play, dtype=np.uint8), np.arange(N_STATES))
    return actions, told["exact"]


def _fraction(text: str) -> Fraction:
    if not re.fullmatch(r"\d{1,40}/0*[1-9]\d{0,40}", text, re.ASCII):
        raise CertificateError("its bounds are no fractions")
    return Fraction(text)


def _written(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"
