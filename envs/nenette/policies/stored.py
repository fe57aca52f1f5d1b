"""What policies of every kind have in common as files: a JSON file that says what it is, and a safetensors file.

Neither is trusted: sizes are bounded before anything is read or made, nothing in them is run, and whatever is wrong
with them ends in one `PolicyFileError` that says what.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from nenette.games import GAMES, Game, make_game
from nenette.games.checks import shown
from nenette.untrusted import NotReadableError, TooDeepError, TooLargeError, parse_json, read_bytes
from nenette.writing import replace_file

__all__ = [
    "JSON_FILE",
    "LARGEST_FILE",
    "TENSORS_FILE",
    "Expect",
    "PolicyFileError",
    "Shapes",
    "check_common",
    "common_entries",
    "expecting",
    "format_of",
    "game_of_file",
    "policy_folder",
    "read_about",
    "read_tensors",
    "write_policy_files",
]

JSON_FILE = "policy.json"
TENSORS_FILE = "policy.safetensors"

_MAX_JSON = 1 << 20
LARGEST_FILE = 1 << 28
"""Bytes of a policy's file, at most."""
_MAX_RULE = 1000  # rules decide how large a game's observations are; a file must not ask for enormous ones
_MAX_NAME = 100
_HEADER_LENGTH = 8
_BYTES = {"F32": 4, "I64": 8, "U8": 1}

Shapes = Mapping[str, tuple[str, tuple[int, ...]]]
"""What a file of tensors holds: the dtype of each, as safetensors calls it, and its shape."""
Expect = Callable[[str, bool, str], None]
"""Called with an entry's key, whether it is as it should be, and what is expected."""


class PolicyFileError(ValueError):
    """A policy file cannot be read or written; the message is one sentence that says why."""


def common_entries(file_format: str, version: int, name: str, game: Game[Any]) -> dict[str, Any]:
    """What the JSON of every kind of policy begins with."""
    return {
        "format": file_format,
        "version": version,
        "name": name,
        "game": game.name,
        "rules": asdict(game.rules),
        "rules_id": game.rules_id,
    }


def write_policy_files(
    folder: Path,
    entries: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    card: Mapping[str, Any],
    check: Callable[[Path, Mapping[str, Any]], None],
) -> None:
    """Writes a policy's two files, if `check` has nothing against the entries.

    Raises:
        PolicyFileError, OSError: as from `save_policy`.
    """
    from safetensors.numpy import save

    name, tensors = entries["name"], save(dict(arrays))
    about = {**entries, "tensors_sha256": hashlib.sha256(tensors).hexdigest(), "card": dict(card)}
    try:
        text = json.dumps(about, indent=2, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise PolicyFileError(f"the card of policy {name!r} cannot be written as JSON: {error}") from error
    check(folder / JSON_FILE, about)
    if len(text) > _MAX_JSON or len(tensors) > LARGEST_FILE:
        raise PolicyFileError(
            f"policy {name!r} takes {len(text)} bytes of JSON and {len(tensors)} of weights, "
            f"and no more than {_MAX_JSON} and {LARGEST_FILE} can be read"
        )
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / TENSORS_FILE, tensors)
    replace_file(folder / JSON_FILE, (text + "\n").encode())


def policy_folder(path: Path) -> Path:
    """The folder of a policy that is named by it or by one of its files.

    Raises:
        PolicyFileError: there is none.
    """
    try:
        if path.is_dir():
            if not (path / JSON_FILE).exists() and not (path / TENSORS_FILE).exists():
                raise PolicyFileError(f"{path} holds no policy: there is no {JSON_FILE} in it")
            return path
        if not path.exists():
            raise PolicyFileError(f"there is no policy at {path}: no such file or folder")
    except (OSError, ValueError) as error:
        if isinstance(error, PolicyFileError):
            raise
        raise PolicyFileError(f"{str(path)!r} cannot be opened: {error}") from error
    if path.name not in (JSON_FILE, TENSORS_FILE):
        raise PolicyFileError(f"{path} is not a policy: a folder, a {JSON_FILE} or a {TENSORS_FILE} is expected")
    return path.parent


def _read_bytes(path: Path, most: int) -> bytes:
    try:
        return read_bytes(path, most)
    except TooLargeError:
        raise PolicyFileError(f"{path} is too large for a policy: more than {most} bytes") from None
    except NotReadableError as error:
        raise PolicyFileError(f"{path} {error}") from None
    except FileNotFoundError:
        raise PolicyFileError(f"{path} is missing: a policy is a {JSON_FILE} and a {TENSORS_FILE}") from None
    except OSError as error:
        raise PolicyFileError(f"{path} cannot be read: {error.strerror}") from error


def _parse(path: Path, text: bytes, what: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except TooDeepError:
        raise PolicyFileError(f"{path} is not a policy: its {what} is nested too deep") from None
    except ValueError as error:
        raise PolicyFileError(f"{path} is truncated or not a policy: its {what} is no JSON ({error})") from None
    if not isinstance(value, dict):
        raise PolicyFileError(f"{path} is not a policy: its {what} is no JSON object")
    return value


def format_of(path: Path) -> Any:
    """What a policy's JSON gives as its format; anything, or None.

    Raises:
        PolicyFileError: it cannot be read.
    """
    return _parse(path, _read_bytes(path, _MAX_JSON), "text").get("format")


def read_about(path: Path, file_format: str, version: int) -> dict[str, Any]:
    """What a policy's JSON says, if it is of that format and version.

    Raises:
        PolicyFileError: it is not, or cannot be read.
    """
    about = _parse(path, _read_bytes(path, _MAX_JSON), "text")
    if about.get("format") != file_format:
        given = shown(about["format"]) if "format" in about else "missing"
        raise PolicyFileError(f'{path} is not a policy: "format" is {given}, and {file_format!r} is expected')
    if type(about.get("version")) is not int or about["version"] != version:
        given = shown(about.get("version"))
        raise PolicyFileError(f"{path} is of format version {given}, and this nenette reads version {version}")
    return about


def expecting(path: Path, about: Mapping[str, Any]) -> Expect:
    """A function that raises PolicyFileError where an entry of `about` is not as expected."""

    def expect(key: str, holds: bool, expected: str) -> None:
        if not holds:
            given = f"is {shown(about[key])}" if key in about else "is missing"
            raise PolicyFileError(
                f'{path} is not a policy that can be read: "{key}" {given}, and {expected} is expected'
            )

    return expect


def check_common(about: Mapping[str, Any], expect: Expect) -> None:
    """Looks at the entries that every kind of policy has."""
    name = about.get("name")
    named = isinstance(name, str) and 0 < len(name) <= _MAX_NAME and name.isprintable()
    expect("name", named, f"a text of 1 to {_MAX_NAME} printable characters")
    expect("game", about.get("game") in GAMES, f"one of {', '.join(GAMES)}")
    expect("rules", isinstance(about.get("rules"), dict), "an object of rules")
    expect("rules_id", isinstance(about.get("rules_id"), str), "a text")
    expect("tensors_sha256", isinstance(about.get("tensors_sha256"), str), "a text")
    expect("card", isinstance(about.get("card"), dict), "an object")


def game_of_file(path: Path, about: Mapping[str, Any], wanted: Game[Any] | str | None) -> Game[Any]:
    """The game that the policy plays: the one that is wanted, if the policy is about it.

    Raises:
        PolicyFileError: it is about another.
    """
    name = wanted.name if isinstance(wanted, Game) else wanted
    if name is not None and name != about["game"]:
        raise PolicyFileError(f"{path} is a policy of {about['game']}, and one of {name} is expected")
    if isinstance(wanted, Game):
        if wanted.rules_id != about["rules_id"]:
            raise PolicyFileError(f"{path} was made for other rules of {wanted.name}: {_differences(about, wanted)}")
        return wanted
    rules = about["rules"]
    for rule, value in rules.items():
        if rule != "max_turns" and type(value) is int and value > _MAX_RULE:
            raise PolicyFileError(f"{path} has the rule {shown(rule)} = {shown(value)}, and {_MAX_RULE} is the most")
    try:
        game = make_game(about["game"], **rules)
    except (ValueError, TypeError) as error:
        raise PolicyFileError(f"{path} has rules that {about['game']} does not know: {error}") from error
    if game.rules_id != about["rules_id"]:
        raise PolicyFileError(f"{path} was made for another version of {game.name}: its rules_id is another")
    return game


def _differences(about: Mapping[str, Any], game: Game[Any]) -> str:
    """How the rules of a file differ from a game's, in words."""
    ours = asdict(game.rules)
    theirs = {**asdict(type(game.rules)()), **about["rules"]}  # a field that the file does not know is at its default
    differ = [rule for rule in ours if rule != "max_turns" and theirs.get(rule) != ours[rule]]
    if not differ:
        return "its rules_id is that of another version"
    return " and ".join(f"{rule} is {shown(theirs.get(rule))} there and {ours[rule]!r} here" for rule in differ)


def read_tensors(path: Path, shapes: Shapes, sha256: str) -> dict[str, NDArray[Any]]:
    """Just these tensors, from a file with that hash.

    Raises:
        PolicyFileError: the file holds something else, or is damaged.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    room = (
        _HEADER_LENGTH + _MAX_JSON + _bytes_of(shapes)
    )  # so that the file of a small network is not read if it is huge
    content = _read_bytes(path, min(room, LARGEST_FILE))
    _check_header(path, content, shapes)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise PolicyFileError(f"{path} is damaged, or not the file that its {JSON_FILE} was written with")
    try:
        tensors: dict[str, NDArray[Any]] = load(content)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise PolicyFileError(f"{path} is no safetensors file: {error}") from error
    return tensors


def _bytes_of(shapes: Shapes) -> int:
    return sum(_BYTES[dtype] * prod(shape) for dtype, shape in shapes.values())


def _check_header(path: Path, content: bytes, shapes: Shapes) -> None:
    """Raises PolicyFileError unless the file announces just these tensors and is as long as they take."""
    length = int.from_bytes(content[:_HEADER_LENGTH], "little")
    if len(content) < _HEADER_LENGTH + length or length > _MAX_JSON:
        raise PolicyFileError(f"{path} is truncated or no safetensors file: its header does not fit in it")
    header = _parse(path, content[_HEADER_LENGTH : _HEADER_LENGTH + length], "header")
    header.pop("__metadata__", None)
    if set(header) != set(shapes):
        missing, foreign = sorted(set(shapes) - set(header)), sorted(set(header) - set(shapes))
        what = f"{missing[0]} is missing" if missing else f"{shown(foreign[0])} is not one of them"
        raise PolicyFileError(f"{path} does not hold the tensors that its {JSON_FILE} names: {what}")
    for name, (dtype, shape) in shapes.items():
        about = header[name] if isinstance(header[name], dict) else {}
        if about.get("dtype") != dtype or about.get("shape") != list(shape):
            given = f"{shown(about.get('dtype'))} {shown(about.get('shape'))}"
            raise PolicyFileError(f"{path} has {name} as {given}, and {dtype!r} {list(shape)} is expected")
    expected = _HEADER_LENGTH + length + _bytes_of(shapes)
    if len(content) != expected:
        raise PolicyFileError(f"{path} is truncated or damaged: {len(content)} bytes, and {expected} are expected")
