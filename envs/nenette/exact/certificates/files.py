"""Certificates: files from which anybody can convince themselves that a game's solution is right.

A certificate holds the optimal play and the exact figures that are claimed. `check` believes none of it. It walks
through the game with the rules alone (`certificate_walk`), works out in exact arithmetic what the play is worth and
that no other is worth more in any state that can be met (`certificate_proof`, which says why that is a proof), derives
the figures from that (`certificate_claims`), and for demi-iles proves that the play loses nothing in the endless game
either (`certificate_endless`). It imports nothing of the solver, and no floating-point number decides anything.

The play is written as one digit for each state in which there is a choice, in the order in which a breadth-first walk
from the start meets them, compressed (zlib, base64): some kilobytes for 421's hundred thousand states, against the tens
of megabytes that all exact values would take and which the check computes anew in seconds.
"""

import base64
import binascii
import json
import re
import zlib
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from nenette.exact.certificates.claims import Claims, subject, written
from nenette.exact.certificates.endless import Bounds, prove_safe
from nenette.exact.certificates.proof import prove_optimal
from nenette.exact.certificates.walk import CertificateError, Walk, walk
from nenette.games import Game, make_game
from nenette.untrusted import NotRegularError, TooLargeError, parse_json, read_bytes

FORMAT, VERSION = "nenette-certificate", 1
MAX_BYTES = 8 << 20
_FRACTION = re.compile(r"(-?\d{1,1000})/(\d{1,1000})", re.ASCII)
_BOUND = re.compile(r"(\d{1,7}) (moves|waits)", re.ASCII)
_SIDES = ("moves", "waits")
_TYPES = {
    "format": str,
    "version": int,
    "game": str,
    "rules": dict,
    "rules_id": str,
    "epsilon": str,
    "states": int,
    "play": str,
    "endless": dict,
    "exact": dict,
}


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
        unique: whether it has been proved that no other play is optimal. The file does not claim it: the proof tells.
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
        rules = {name: value for name, value in asdict(self.game.rules).items() if name != "max_turns"}
        play = base64.b64encode(zlib.compress(self.play.encode(), 9)).decode()
        head = {"format": FORMAT, "version": VERSION, "game": self.game.name, "rules": rules}
        body = {"rules_id": self.game.rules_id, "epsilon": self.epsilon, "states": self.states, "play": play}
        return json.dumps({**head, **body, "endless": self.endless, "exact": self.exact}, indent=1) + "\n"


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
    if proved != certificate.exact:
        wrong = sorted(k for k in {*proved, *certificate.exact} if proved.get(k) != certificate.exact.get(k))
        raise CertificateError(f"{file} claims what is not so: {', '.join(wrong)} is not what its play is worth")
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
            f"it is about hands that tremble with probability {_short(certificate.epsilon)}, "
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
    """As the file has them."""
    return {f"{state} {_SIDES[side]}": written(bound) for (state, side), bound in sorted(bounds.items())}


def _bounds(walk: Walk, told: dict[str, str]) -> Bounds:
    bounds: Bounds = {}
    for key, text in told.items():
        pair, bound = _BOUND.fullmatch(key), _FRACTION.fullmatch(text) if isinstance(text, str) else None
        if pair is None or bound is None or int(bound[2]) == 0 or int(pair[1]) >= len(walk):
            raise CertificateError(f"{_short(key)}: {_short(text)} is no bound of a state")
        bounds[int(pair[1]), _SIDES.index(pair[2])] = Fraction(int(bound[1]), int(bound[2]))
    return bounds


def read(file: Path) -> Certificate:
    """Reads a certificate without proving anything.

    Raises:
        CertificateError: it is no certificate of a game and of rules that are known here.
        OSError: there is no such file.
    """
    try:
        return _parse(file)
    except CertificateError as error:
        raise CertificateError(f"{file} is no certificate that can be checked: {error}") from error


def game_named(file: Path) -> str | None:
    """The game that a certificate says it is about, which need not be one of those here; None where it names none.

    Raises:
        CertificateError: it cannot be read.
        OSError: there is no such file.
    """
    try:
        game = _load(file).get("game")
    except CertificateError as error:
        raise CertificateError(f"{file} is no certificate that can be checked: {error}") from error
    return game if isinstance(game, str) else None


def _load(file: Path) -> dict[str, Any]:
    try:
        told = parse_json(read_bytes(file, MAX_BYTES))
    except TooLargeError as error:
        raise CertificateError(f"it is larger than {MAX_BYTES >> 20} MiB") from error
    except NotRegularError as error:
        raise CertificateError(f"it {error}") from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise CertificateError(f"it cannot be read: {error.strerror}") from error
    except ValueError as error:  # broken, of numbers too long to be read, or nested too deep
        raise CertificateError("it is not JSON, or not all of it is there") from error
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise CertificateError(f'it does not say "format": "{FORMAT}"')
    return told


def load(file: Path, types: dict[str, type]) -> dict[str, Any]:
    """What a certificate's file says: all of `types`, each of its type, and nothing else.

    Raises:
        CertificateError: it says something else, or cannot be read.
        OSError: there is no such file.
    """
    told = _load(file)
    if told.get("version") != VERSION or type(told["version"]) is not int:
        raise CertificateError(f"its version is {_short(told.get('version'))}, and {VERSION} is what can be read")
    for name in (*types, *told):
        if name not in told or name not in types:
            raise CertificateError(f"{_short(name)} is {'missing' if name in types else 'nothing that it may say'}")
        if type(told[name]) is not types[name]:
            raise CertificateError(f"{name} is {_short(told[name])}, which is no {types[name].__name__}")
    return told


def _parse(file: Path) -> Certificate:
    told = load(file, _TYPES)
    subject(told["game"])
    try:
        game = make_game(told["game"], **told["rules"])
    except (TypeError, ValueError) as error:
        raise CertificateError(f"its rules are none: {error}") from error
    if told["rules_id"] != game.rules_id:
        raise CertificateError(
            f"it is about rules {_short(told['rules_id'])}, and the rules that it names are {game.rules_id}"
        )
    play = _decompressed(told["play"])
    return Certificate(game, told["epsilon"], told["states"], play, told["endless"], told["exact"])


def _decompressed(text: str) -> str:
    try:
        return inflated(text, MAX_BYTES).decode("ascii")
    except UnicodeDecodeError as error:
        raise CertificateError("its play cannot be unpacked") from error


def inflated(text: str, most: int) -> bytes:
    """What was compressed and written in base64, at most `most` bytes.

    Raises:
        CertificateError: it is no such text, or more than that.
    """
    try:
        inflate = zlib.decompressobj()
        data = inflate.decompress(base64.b64decode(text, validate=True), most)
        if inflate.unconsumed_tail or not inflate.eof or inflate.unused_data:
            raise ValueError("cut short, or too long")
    except (binascii.Error, zlib.error, ValueError) as error:
        raise CertificateError("its play cannot be unpacked") from error
    return data


def _short(value: object) -> str:
    text = value if isinstance(value, str) else type(value).__name__ if isinstance(value, list | dict) else repr(value)
    return repr(text[:40]) if isinstance(value, str) else text[:40]
