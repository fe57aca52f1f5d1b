"""Certificates as files: JSON of known entries, a game with its rules, and long parts compressed.

All checkers read with this; none of it proves anything.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nenette.exact.certificates.walk import CertificateError
from nenette.games import Game, make_game
from nenette.games.checks import shown
from nenette.untrusted import NotRegularError, TooLargeError, parse_json, read_bytes

__all__ = [
    "FORMAT",
    "SEVERAL",
    "check_claims",
    "compressed",
    "digits_of",
    "game_of",
    "load",
    "load_any",
    "readable",
    "text_of",
    "uncompressed",
]

FORMAT, SEVERAL = "nenette-certificate", "nenette-certificate-several"
"""What the files call themselves: those about games for one or two, and about games of several players."""
VERSION = 1
MAX_BYTES = 8 << 20
ENTRIES = {"format": str, "version": int, "game": str, "rules": dict, "rules_id": str, "states": int}
"""What every certificate has, and the types: "states" says how many can be met."""


def text_of(form: str, game: Game[Any], rules: Mapping[str, Any] | None = None, **entries: Any) -> str:
    """A file's text.

    Args:
        form: `FORMAT` or `SEVERAL`.
        game: what it is about.
        rules: the game's, as the file has them; None: all of them but where it is cut.
        entries: what else it says, in this order.
    """
    if rules is None:
        rules = {name: value for name, value in asdict(game.rules).items() if name != "max_turns"}
    head = {"format": form, "version": VERSION, "game": game.name, "rules": rules, "rules_id": game.rules_id}
    return json.dumps({**head, **entries}, indent=1) + "\n"


@contextmanager
def readable(file: Path, what: str = "certificate") -> Iterator[None]:
    """Adds to an error which file it is about.

    Raises:
        CertificateError: whatever fails within, of that type.
    """
    try:
        yield
    except CertificateError as error:
        raise CertificateError(f"{file} is no {what} that can be checked: {error}") from error


def check_claims(file: Path, proved: Mapping[str, Any], claimed: Mapping[str, Any]) -> None:
    """Raises a CertificateError unless a file claims just what has been proved."""
    if proved != claimed:
        wrong = sorted(key for key in {*proved, *claimed} if proved.get(key) != claimed.get(key))
        raise CertificateError(f"{file} claims what is not so: {', '.join(wrong)[:80]} is not what its play is worth")


def load_any(file: Path) -> dict[str, Any]:
    """What a file says, of either form.

    Raises:
        CertificateError: it is no JSON object that calls itself a certificate, or cannot be read.
        FileNotFoundError: there is no such file.
    """
    try:
        content = parse_json(read_bytes(file, MAX_BYTES))
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
    if not isinstance(content, dict) or content.get("format") not in (FORMAT, SEVERAL):
        raise CertificateError(f'it does not say "format": "{FORMAT}"')
    return content


def load(file: Path, form: str, entries: Mapping[str, type]) -> dict[str, Any]:
    """What a certificate's file says: `ENTRIES` and `entries`, each of its type, and nothing else.

    Raises:
        CertificateError: it says something else, or cannot be read.
        FileNotFoundError: there is no such file.
    """
    content, types = load_any(file), {**ENTRIES, **entries}
    if content["format"] != form:
        raise CertificateError(f'it does not say "format": "{form}"')
    if content.get("version") != VERSION or type(content["version"]) is not int:
        raise CertificateError(f"its version is {shown(content.get('version'))}, and {VERSION} is what can be read")
    for name in (*types, *content):
        if name not in content or name not in types:
            raise CertificateError(f"{shown(name)} is {'missing' if name in types else 'nothing that it may say'}")
        if type(content[name]) is not types[name]:
            raise CertificateError(f"{name} is {shown(content[name])}, which is no {types[name].__name__}")
    return content


def game_of(content: Mapping[str, Any], **rules: Any) -> Game[Any]:
    """The game with its rules that a certificate is about; `rules` are those that no file has.

    Raises:
        CertificateError: there is no such game, or the file's `rules_id` is of other rules.
    """
    try:
        game = make_game(content["game"], **{**rules, **content["rules"]})
    except (TypeError, ValueError) as error:
        raise CertificateError(f"its rules are those of no game here: {error}") from error
    if content["rules_id"] != game.rules_id:
        raise CertificateError(
            f"it is about rules {shown(content['rules_id'])}, and the rules that it names are {game.rules_id}"
        )
    return game


def compressed(data: bytes) -> str:
    """Data as a file has it: compressed, in base64."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


def uncompressed(text: str, what: str, most: int = MAX_BYTES) -> bytes:
    """The data, of at most `most` bytes; `what` it is, for the error's text.

    Raises:
        CertificateError: nothing was compressed to this text, or more than that.
    """
    try:
        inflate = zlib.decompressobj()
        data = inflate.decompress(base64.b64decode(text, validate=True), most)
        if inflate.unconsumed_tail or not inflate.eof or inflate.unused_data:
            raise ValueError("cut short, or too long")
    except (binascii.Error, zlib.error, ValueError) as error:
        raise CertificateError(f"its {what} cannot be unpacked") from error
    return data


def digits_of(text: str, what: str) -> str:
    """Text that was compressed.

    Raises:
        CertificateError: see `uncompressed`.
    """
    try:
        return uncompressed(text, what).decode("ascii")
    except UnicodeDecodeError as error:
        raise CertificateError(f"its {what} cannot be unpacked") from error
