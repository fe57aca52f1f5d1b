"""Certificates: files from which anybody can convince themselves that a game's solution is right.

A certificate holds the optimal play and the exact figures that are claimed. `check` believes none of it. It walks
through the game with the rules alone (`walk`), works out in exact arithmetic what the play is worth and
that no other is worth more in any state that can be met (`proof`, which says why that is a proof), derives
the figures from that (`claims`), and for demi-iles proves that the play loses nothing in the endless game
either (`endless`). It imports nothing of the solver, and no floating-point number decides anything.

The play is written as one digit for each state in which there is a choice, in the order in which a breadth-first walk
from the start meets them, compressed (zlib, base64): some kilobytes for 421's hundred thousand states, against the tens
of megabytes that all exact values would take and which the check computes anew in seconds.
"""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from nenette.exact.certificates.claims import Claims, subject, written
from nenette.exact.certificates.endless import Bounds, prove_safe
from nenette.exact.certificates.proof import prove_optimal
from nenette.exact.certificates.reading import (
    FORMAT,
    check_claims,
    compressed,
    digits_of,
    game_of,
    load,
    load_any,
    readable,
    text_of,
)
from nenette.exact.certificates.walk import CertificateError, Walk, walk
from nenette.games import Game
from nenette.games.checks import shown

_FRACTION = re.compile(r"(-?\d{1,1000})/(\d{1,1000})", re.ASCII)
_BOUND = re.compile(r"(\d{1,7}) (moves|waits)", re.ASCII)
_SIDES = ("moves", "waits")
_ENTRIES = {"epsilon": str, "play": str, "endless": dict, "exact": dict}


@dataclass(frozen=True)
class Certificate:
    """What a certificate file says.

    Attributes:
        game: the game with its rules.
        epsilon: the probability that a hand trembles.
        states: how many states can be met.
        play: digits, one a state with a choice.
        endless: for games that may never end, bounds on what an opponent gets: "STATE moves" or "STATE waits" to "p/q".
        exact: the figures that are claimed.
        unique: whether it has been proved that no other play is optimal. The file does not claim it; the proof finds
            out.
    """

    game: Game[Any]
    epsilon: str
    states: int
    play: str
    endless: dict[str, str]
    exact: Claims
    unique: bool = False

    def text(self) -> str:
        """The file's text."""
        return text_of(
            FORMAT,
            self.game,
            epsilon=self.epsilon,
            states=self.states,
            play=compressed(self.play.encode()),
            endless=self.endless,
            exact=self.exact,
        )


def check(file: Path) -> Certificate:
    """Reads a certificate and proves all that it claims.

    Raises:
        CertificateError: it cannot be read, or something that it claims is not so.
        OSError: there is no such file.
    """
    certificate = read(file)
    try:
        proved, unique = prove(certificate)
    except CertificateError as error:
        raise CertificateError(f"{file} proves nothing: {error}") from error
    check_claims(file, proved, certificate.exact)
    return replace(certificate, unique=unique)


def prove(certificate: Certificate, states: Walk | None = None) -> tuple[Claims, bool]:
    """What follows from a certificate's game and play, whatever it claims: figures, and whether no other is optimal.

    Args:
        certificate: what is to be proved.
        states: the game's core, if it has been walked through already.

    Raises:
        CertificateError: the play is not optimal, or the certificate is not about what its game is about.
    """
    about = subject(certificate.game.name)
    if certificate.epsilon != written(about.epsilon):
        raise CertificateError(
            f"it is about hands that tremble with probability {shown(certificate.epsilon)}, "
            f"not {written(about.epsilon)}"
        )
    if certificate.endless and not about.endless:
        raise CertificateError("it bounds what is got in an endless game, and this one always ends")
    states = states or walk(about.core(certificate.game))
    if len(states) != certificate.states:
        raise CertificateError(f"it speaks of {certificate.states} states, and {len(states)} can be met")
    play = decode(states, certificate.play)
    bounds = _bounds(states, certificate.endless)
    values = prove_optimal(states, play, about.epsilon)
    if about.endless:
        prove_safe(states, play, bounds)
    return about.claims(certificate.game, states, values), values.strict


def encode(walk: Walk, play: list[int]) -> str:
    """One digit for each decision: the action that is taken."""
    return "".join(str(walk.rows[state][play[state]].action) for state in walk.decisions)


def decode(walk: Walk, digits: str) -> list[int]:
    """For each state which of its rows is played; the opposite of `encode`."""
    if len(digits) != len(walk.decisions):
        raise CertificateError(f"its play has {len(digits)} actions for {len(walk.decisions)} decisions")
    play = [0] * len(walk)
    for state, digit in zip(walk.decisions, digits, strict=True):
        legal = [str(row.action) for row in walk.rows[state]]
        if digit not in legal:
            raise CertificateError(f"its play takes action {digit!r} with the fields {walk.fields[state]}: illegal")
        play[state] = legal.index(digit)
    return play


def encode_bounds(bounds: Bounds) -> dict[str, str]:
    """The bounds as a certificate's file has them."""
    return {f"{state} {_SIDES[side]}": written(bound) for (state, side), bound in sorted(bounds.items())}


def _bounds(walk: Walk, entries: dict[str, str]) -> Bounds:
    bounds: Bounds = {}
    for key, text in entries.items():
        pair, bound = _BOUND.fullmatch(key), _FRACTION.fullmatch(text) if isinstance(text, str) else None
        if pair is None or bound is None or int(bound[2]) == 0 or int(pair[1]) >= len(walk):
            raise CertificateError(f"{shown(key)}: {shown(text)} is no bound of a state")
        bounds[int(pair[1]), _SIDES.index(pair[2])] = Fraction(int(bound[1]), int(bound[2]))
    return bounds


def read(file: Path) -> Certificate:
    """Reads a certificate without proving anything.

    Raises:
        CertificateError: it is no certificate of a game and of rules that are known here.
        OSError: there is no such file.
    """
    with readable(file):
        return _parse(file)


def game_named(file: Path) -> str | None:
    """The game that a certificate says it is about, which need not be one of those here; None where it names none.

    Raises:
        CertificateError: it cannot be read.
        OSError: there is no such file.
    """
    with readable(file):
        game = load_any(file).get("game")
    return game if isinstance(game, str) else None


def _parse(file: Path) -> Certificate:
    content = load(file, FORMAT, _ENTRIES)
    subject(content["game"])
    game, play = game_of(content), digits_of(content["play"], "play")
    return Certificate(game, content["epsilon"], content["states"], play, content["endless"], content["exact"])
