"""The certificate of the solo game: bounds on its value, and the play from which they follow.

A file of some 300 kB holds the play and what is claimed: an interval no wider than 1e-9 that the fewest expected turns
lie in (and the turns of this very play, too), and these turns exactly for the 21 states in which only 21 is left. The
check first computes the play's turns in floating point, set by set. From these it proves the bounds in integers;
`nenette.exact.solo.bounds` says why they hold in spite of rounding. It imports nothing of the solver.
`nenette.exact.solo.certifying` makes certificates from the solver's solution.

The play is written at 2 bits a state, all states of score 0 first, then those of score 1, and so on, each by ascending
set: neighbours in that order mostly play alike, so it compresses to less than a tenth.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact.certificates.reading import FORMAT, compressed, game_of, load, readable, text_of, uncompressed
from nenette.exact.certificates.walk import CertificateError
from nenette.exact.solo.bounds import N_STATES, SHAPE, Bounds, enclose, full_set, is_state, turns_of
from nenette.games.checks import shown
from nenette.games.demi_iles import DemiIlesSolo, DemiIlesSoloRules

__all__ = ["GRID", "SoloCertificate", "check_solo", "prove_bounds"]

WIDEST = Fraction(1, 10**9)
GRID = 10**10
"""What is claimed is rounded outward to multiples of 1 / GRID."""
_ENTRIES = {"play": str, "exact": dict}


@dataclass(frozen=True, eq=False)
class SoloCertificate:
    """What a certificate of the solo game says.

    Attributes:
        actions: uint8, (2²⁰, 22): the play, by set and score as in `nenette.exact.solo.bounds`.
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
        """The claimed bounds as the file has them: fractions "p/q"."""
        return {
            "turns": [_written(self.lower), _written(self.upper)],
            "only_21_left": {str(score): _written(turns) for score, turns in enumerate(self.full_set)},
        }

    def text(self) -> str:
        """The file's text."""
        game = DemiIlesSolo(DemiIlesSoloRules(max_turns=None))
        play = compressed(_packed(self.actions))
        return text_of(FORMAT, game, {}, states=N_STATES, play=play, exact=self.claims)


def _packed(actions: NDArray[np.uint8]) -> bytes:
    """Four states a byte, the first in the lowest bits; the end of the game stands last, with 0."""
    in_order = np.append(actions.T[_states()], np.uint8(0)).reshape(-1, 4)
    packed: bytes = (in_order << np.array([0, 2, 4, 6], dtype=np.uint8)).sum(axis=1, dtype=np.uint8).tobytes()
    return packed


def _unpacked(play: bytes) -> NDArray[np.uint8]:
    """The opposite of `_packed`."""
    fours = np.frombuffer(play, dtype=np.uint8)[:, None]
    in_order = (fours >> np.array([0, 2, 4, 6], dtype=np.uint8) & 3).ravel()
    actions = np.zeros(SHAPE[::-1], dtype=np.uint8)
    actions[_states()] = in_order[:N_STATES]
    return np.ascontiguousarray(actions.T)


def _states() -> NDArray[np.bool_]:
    """bool, (22, 2²⁰): where there are states, by score and set."""
    return np.ascontiguousarray(is_state(np.arange(SHAPE[0])).T)


def prove_bounds(actions: NDArray[np.uint8]) -> Bounds:
    """Bounds on the fewest expected turns, from a play of the shape (2²⁰, 22).

    Raises:
        CertificateError: the play is not good enough for bounds of `WIDEST`.
    """
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
    with readable(file, "certificate of the solo game"):
        actions, claims = _read(file)
    try:
        lower, upper = _interval(claims)
        certificate = SoloCertificate(actions, lower, upper, full_set(actions))
        if certificate.claims != claims:
            raise CertificateError("it claims what is not so of the states in which only 21 is left")
        bounds = prove_bounds(actions)
        if not (lower <= bounds.lower and bounds.upper <= upper and upper - lower <= WIDEST):
            raise CertificateError("the fewest turns do not lie where it says")
    except CertificateError as error:
        raise CertificateError(f"{file} proves nothing: {error}") from error
    return certificate


def _read(file: Path) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    content = load(file, FORMAT, _ENTRIES)
    if content["game"] != DemiIlesSolo.name:
        raise CertificateError(f"its game is {shown(content['game'])}, not {DemiIlesSolo.name!r}")
    if "max_turns" in content["rules"]:
        raise CertificateError("its rules say where the game is cut, and it is about the game that never is")
    game_of(content, max_turns=None)
    if content["states"] != N_STATES:
        raise CertificateError(f"it speaks of {content['states']} states, and there are {N_STATES}")
    play = uncompressed(content["play"], "play", (N_STATES + 1) // 4 + 1)  # one more, so that what is longer is noticed
    if len(play) != (N_STATES + 1) // 4:
        raise CertificateError(f"its play is not of {N_STATES} states")
    return _unpacked(play), content["exact"]


def _interval(claims: dict[str, Any]) -> tuple[Fraction, Fraction]:
    turns = claims.get("turns")
    if not isinstance(turns, list) or len(turns) != 2 or not all(isinstance(text, str) for text in turns):
        raise CertificateError("its bounds are not two fractions")
    return _fraction(turns[0]), _fraction(turns[1])


def _fraction(text: str) -> Fraction:
    if not re.fullmatch(r"\d{1,40}/0*[1-9]\d{0,40}", text, re.ASCII):
        raise CertificateError("its bounds are not fractions")
    return Fraction(text)


def _written(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"
