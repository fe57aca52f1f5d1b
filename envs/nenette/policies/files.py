"""Network policies as files: `policy.json` says what it is, `policy.safetensors` holds the weights.

Neither is trusted: sizes are bounded before anything is read or made, nothing in them is run, and whatever is wrong
with them ends in one `PolicyFileError` that says what.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from nenette.games import GAMES, Game, make_game
from nenette.games.checks import shown
from nenette.policies.network import ACTIVATIONS, HEADS, Layer, NetworkPolicy
from nenette.untrusted import NotReadableError, TooDeepError, TooLargeError, parse_json, read_bytes
from nenette.writing import replace_file

__all__ = ["JSON_FILE", "LARGEST_FILE", "TENSORS_FILE", "PolicyFileError", "read_policy", "save_policy"]

JSON_FILE = "policy.json"
TENSORS_FILE = "policy.safetensors"

_FORMAT = "nenette-policy"
_VERSION = 1
_MAX_JSON = 1 << 20
LARGEST_FILE = 1 << 28
"""Bytes of a policy's file, at most."""
_MAX_LAYERS = 32
_MAX_WIDTH = 16_384
_MAX_RULE = 1000  # rules decide how large a game's observations are; a file must not ask for enormous ones
_MAX_NAME = 100
_HEADER_LENGTH = 8


class PolicyFileError(ValueError):
    """A policy file cannot be read or written; the message is one sentence that says why."""


def save_policy(folder: str | os.PathLike[str], policy: NetworkPolicy, card: Mapping[str, Any]) -> None:
    """Writes `policy` into `folder`, made if it is missing; each file is written aside and then put in place.

    Args:
        folder: where `policy.json` and `policy.safetensors` go.
        policy: what to write.
        card: JSON values about the policy, such as how it was trained; stored as they are.

    Raises:
        PolicyFileError: `card` holds something that JSON cannot express, or the policy is larger than what can be read.
        OSError: a file cannot be written; the error names it.
    """
    from safetensors.numpy import save

    tensors = save(_named_tensors(policy))
    about = {
        "format": _FORMAT,
        "version": _VERSION,
        "name": policy.name,
        "game": policy.game.name,
        "rules": asdict(policy.game.rules),
        "rules_id": policy.game.rules_id,
        "activation": policy.activation,
        "head": policy.head,
        "crossed": policy.crossed,
        "layers": policy.sizes,
        "tensors_sha256": hashlib.sha256(tensors).hexdigest(),
        "card": dict(card),
    }
    try:
        text = json.dumps(about, indent=2, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise PolicyFileError(f"the card of policy {policy.name!r} cannot be written as JSON: {error}") from error
    _check_about(Path(folder) / JSON_FILE, about)
    if len(text) > _MAX_JSON or len(tensors) > LARGEST_FILE:
        raise PolicyFileError(
            f"policy {policy.name!r} takes {len(text)} bytes of JSON and {len(tensors)} of weights, "
            f"and no more than {_MAX_JSON} and {LARGEST_FILE} can be read"
        )
    Path(folder).mkdir(parents=True, exist_ok=True)
    replace_file(Path(folder) / TENSORS_FILE, tensors)
    replace_file(Path(folder) / JSON_FILE, (text + "\n").encode())


def read_policy(path: str | os.PathLike[str], game: Game[Any] | str | None = None) -> NetworkPolicy:
    """The policy in a folder, which may be named by either of its files.

    Args:
        path: a folder with `policy.json` and `policy.safetensors`, or one of the two.
        game: the game it is to play, or its name; None takes the game and the rules that the file names.

    Returns:
        The policy, its `card` as it was saved.

    Raises:
        PolicyFileError: it is missing, truncated, foreign, damaged or about another game.
    """
    folder = _folder(Path(path))
    about = _read_about(folder / JSON_FILE)
    played = _game(folder / JSON_FILE, about, game)
    layers = _read_layers(folder / TENSORS_FILE, about)
    try:
        policy = NetworkPolicy(
            played,
            layers,
            activation=about["activation"],
            head=about["head"],
            crossed=about.get("crossed"),
            name=str(about["name"]),
        )
    except ValueError as error:
        raise PolicyFileError(f"{folder / TENSORS_FILE} does not fit {played.name}: {error}") from error
    policy.card = about["card"]
    return policy


def _named_tensors(policy: NetworkPolicy) -> dict[str, Any]:
    named = {}
    for k, (weight, bias) in enumerate(policy.layers):
        named[f"layers.{k}.weight"] = np.ascontiguousarray(weight)
        named[f"layers.{k}.bias"] = np.ascontiguousarray(bias)
    return named


def _folder(path: Path) -> Path:
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


def _read_about(path: Path) -> dict[str, Any]:
    about = _parse(path, _read_bytes(path, _MAX_JSON), "text")
    if about.get("format") != _FORMAT:
        given = shown(about["format"]) if "format" in about else "missing"
        raise PolicyFileError(f'{path} is not a policy: "format" is {given}, and {_FORMAT!r} is expected')
    if type(about.get("version")) is not int or about["version"] != _VERSION:
        given = shown(about.get("version"))
        raise PolicyFileError(f"{path} is of format version {given}, and this nenette reads version {_VERSION}")
    _check_about(path, about)
    return about


def _check_about(path: Path, about: Mapping[str, Any]) -> None:
    """Raises PolicyFileError unless every entry is of its kind and within bounds."""

    def expect(key: str, holds: bool, expected: str) -> None:
        if not holds:
            given = f"is {shown(about[key])}" if key in about else "is missing"
            raise PolicyFileError(
                f'{path} is not a policy that can be read: "{key}" {given}, and {expected} is expected'
            )

    name, sizes, rules = about.get("name"), about.get("layers"), about.get("rules")
    named = isinstance(name, str) and 0 < len(name) <= _MAX_NAME and name.isprintable()
    expect("name", named, f"a text of 1 to {_MAX_NAME} printable characters")
    expect("game", about.get("game") in GAMES, f"one of {', '.join(GAMES)}")
    expect("rules", isinstance(rules, dict), "an object of rules")
    expect("rules_id", isinstance(about.get("rules_id"), str), "a text")
    expect("activation", about.get("activation") in tuple(ACTIVATIONS), f"one of {', '.join(ACTIVATIONS)}")
    expect("head", about.get("head") in tuple(HEADS), f"one of {', '.join(HEADS)}")
    crossed = about.get("crossed")  # missing in files of earlier versions
    expect("crossed", crossed is None or isinstance(crossed, str), "a field's name or null")
    widths = isinstance(sizes, list) and all(type(size) is int and 0 < size <= _MAX_WIDTH for size in sizes)
    many = isinstance(sizes, list) and 2 <= len(sizes) <= _MAX_LAYERS + 1
    expect("layers", widths and many, f"a list of 2 to {_MAX_LAYERS + 1} sizes from 1 to {_MAX_WIDTH}")
    expect("tensors_sha256", isinstance(about.get("tensors_sha256"), str), "a text")
    expect("card", isinstance(about.get("card"), dict), "an object")


def _game(path: Path, about: Mapping[str, Any], wanted: Game[Any] | str | None) -> Game[Any]:
    """The game that the policy plays: the one that is wanted, if the policy is about it."""
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


def _read_layers(path: Path, about: Mapping[str, Any]) -> list[Layer]:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    sizes = about["layers"]
    shapes: dict[str, tuple[int, ...]] = {}
    for k, (inputs, outputs) in enumerate(pairwise(sizes)):
        shapes[f"layers.{k}.weight"] = (outputs, inputs)
        shapes[f"layers.{k}.bias"] = (outputs,)
    room = (
        _HEADER_LENGTH + _MAX_JSON + _bytes_of(shapes)
    )  # so that the file of a small network is not read if it is huge
    content = _read_bytes(path, min(room, LARGEST_FILE))
    _check_header(path, content, shapes)
    if hashlib.sha256(content).hexdigest() != about["tensors_sha256"]:
        raise PolicyFileError(f"{path} is damaged, or not the file that its {JSON_FILE} was written with")
    try:
        tensors = load(content)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise PolicyFileError(f"{path} is no safetensors file: {error}") from error
    return [(tensors[f"layers.{k}.weight"], tensors[f"layers.{k}.bias"]) for k in range(len(sizes) - 1)]


def _bytes_of(shapes: Mapping[str, tuple[int, ...]]) -> int:
    return sum(4 * prod(shape) for shape in shapes.values())


def _check_header(path: Path, content: bytes, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raises PolicyFileError unless the file announces just these float32 tensors and is as long as they take."""
    length = int.from_bytes(content[:_HEADER_LENGTH], "little")
    if len(content) < _HEADER_LENGTH + length or length > _MAX_JSON:
        raise PolicyFileError(f"{path} is truncated or no safetensors file: its header does not fit in it")
    header = _parse(path, content[_HEADER_LENGTH : _HEADER_LENGTH + length], "header")
    header.pop("__metadata__", None)
    if set(header) != set(shapes):
        missing, foreign = sorted(set(shapes) - set(header)), sorted(set(header) - set(shapes))
        what = f"{missing[0]} is missing" if missing else f"{shown(foreign[0])} is not one of its layers"
        raise PolicyFileError(f"{path} does not hold the layers that its {JSON_FILE} names: {what}")
    for name, shape in shapes.items():
        about = header[name] if isinstance(header[name], dict) else {}
        if about.get("dtype") != "F32" or about.get("shape") != list(shape):
            given = f"{shown(about.get('dtype'))} {shown(about.get('shape'))}"
            raise PolicyFileError(f"{path} has {name} as {given}, and 'F32' {list(shape)} is expected")
    expected = _HEADER_LENGTH + length + _bytes_of(shapes)
    if len(content) != expected:
        raise PolicyFileError(f"{path} is truncated or damaged: {len(content)} bytes, and {expected} are expected")
