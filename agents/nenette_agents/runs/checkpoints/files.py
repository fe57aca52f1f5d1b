"""One checkpoint as a folder of two files: `checkpoint.json` says what it is, `arrays.safetensors` holds the arrays.

Neither is trusted. Both are held against their SHA-256, so that a flipped bit is found; a reader makes no array larger
than the file that holds it; nothing in them is run.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nenette.untrusted import NotRegularError, TooDeepError, TooLargeError, parse_json, read_bytes
from nenette.writing import create
from nenette_agents.errors import CheckpointError, DamagedCheckpoint, shown
from nenette_agents.runs.checkpoints.arrays import Arrays, read_arrays, write_arrays

__all__ = ["ARRAYS_FILE", "JSON_FILE", "Checkpoint", "State", "read_checkpoint", "write_checkpoint"]

State = dict[str, Any]
"""What a part says of itself: arrays, and values that JSON has words for."""

JSON_FILE = "checkpoint.json"
ARRAYS_FILE = "arrays.safetensors"

_FORMAT = "nenette-checkpoint"
_VERSION = 1
_MAX_JSON = 1 << 27
_KINDS = {"step": int, "game": str, "rules_id": str, "config": dict, "versions": dict, "parts": dict, "arrays": str}
"""What the content has, and of which kind each is; `arrays` is the SHA-256 of the other file."""


@dataclass(frozen=True)
class Checkpoint:
    """A training at one moment.

    Attributes:
        step: decisions of the learner so far.
        game: what it learns.
        rules_id: of the rules by which that is played.
        config: all of the run's, as JSON values.
        versions: of Python, the packages and the opponents on which the result depends.
        states: of each part of the training.
    """

    step: int
    game: str
    rules_id: str
    config: dict[str, Any]
    versions: dict[str, str]
    states: dict[str, State]


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Writes it into `folder`, which is empty; when this returns it is on the disk.

    Raises:
        OSError: a file cannot be written; the error names it.
        CheckpointError: a part says something that neither file has a word for.
    """
    arrays: Arrays = {}
    parts: dict[str, dict[str, Any]] = {}
    for part, state in checkpoint.states.items():
        arrays.update({f"{part}/{key}": value for key, value in state.items() if isinstance(value, np.ndarray)})
        parts[part] = {key: value for key, value in state.items() if not isinstance(value, np.ndarray)}
    try:
        content = {
            "step": checkpoint.step,
            "game": checkpoint.game,
            "rules_id": checkpoint.rules_id,
            "config": checkpoint.config,
            "versions": checkpoint.versions,
            "parts": parts,
            "arrays": write_arrays(folder / ARRAYS_FILE, arrays),
        }
        canonical = _canonical(content)
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"a checkpoint cannot be written: {error}") from error
    about = f'{{"format": "{_FORMAT}", "version": {_VERSION}, "sha256": "{_sha256(canonical)}", "content": '
    with create(folder / JSON_FILE) as file:
        file.write(about.encode() + canonical + b"}\n")


def read_checkpoint(folder: Path) -> Checkpoint:
    """The checkpoint in `folder`.

    Raises:
        DamagedCheckpoint: it is incomplete or not as it was written.
        CheckpointError: it is of another format.
    """
    path = folder / JSON_FILE
    content = _content(path, _parsed(path))
    for key, kind in _KINDS.items():
        if type(content.get(key)) is not kind:
            raise DamagedCheckpoint(f"{path} is damaged: {key} is {shown(content.get(key))}, which it cannot be")
    states: dict[str, State] = {}
    for part, values in content["parts"].items():
        if not isinstance(values, dict):
            raise DamagedCheckpoint(f"{path} is damaged: part {shown(part)} is no object")
        states[part] = dict(values)
    for name, array in read_arrays(folder / ARRAYS_FILE, content["arrays"]).items():
        part, _, key = name.partition("/")
        if part not in states or key in states[part]:
            raise DamagedCheckpoint(f"{folder / ARRAYS_FILE} has an array {shown(name)} that is of no part")
        states[part][key] = array
    return Checkpoint(
        content["step"], content["game"], content["rules_id"], content["config"], content["versions"], states
    )


def _parsed(path: Path) -> dict[str, Any]:
    try:
        about = parse_json(read_bytes(path, _MAX_JSON))
    except TooLargeError:
        raise DamagedCheckpoint(f"{path} is too large for a checkpoint: more than {_MAX_JSON} bytes") from None
    except NotRegularError as error:
        raise DamagedCheckpoint(f"{path} {error}") from None
    except OSError as error:
        raise DamagedCheckpoint(f"{path} cannot be read: {error.strerror}") from error
    except TooDeepError as error:
        raise DamagedCheckpoint(f"{path} is damaged: it {error}") from None
    except ValueError as error:
        raise DamagedCheckpoint(f"{path} is damaged: it is no JSON ({error})") from None
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise DamagedCheckpoint(f'{path} is no checkpoint: "format" is not {_FORMAT!r}')
    if type(about.get("version")) is not int or about["version"] != _VERSION:
        given = shown(about.get("version"))
        raise CheckpointError(f"{path} is of format version {given}, and this nenette reads version {_VERSION}")
    return about


def _content(path: Path, about: Mapping[str, Any]) -> dict[str, Any]:
    content = about.get("content")
    if not isinstance(content, dict):
        raise DamagedCheckpoint(f"{path} is damaged: it has no content")
    try:
        same = _sha256(_canonical(content)) == about.get("sha256")
    except (ValueError, RecursionError):  # a number beyond all bounds, for instance
        same = False
    if not same:
        raise DamagedCheckpoint(f"{path} is damaged: its SHA-256 is not the one that it was written with")
    return content


def _canonical(content: Mapping[str, Any]) -> bytes:
    """Read and written again, this is the same text: JSON's numbers are written as Python's are."""
    return json.dumps(content, allow_nan=False).encode()


def _sha256(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
