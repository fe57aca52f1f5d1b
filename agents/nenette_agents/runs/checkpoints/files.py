"""One checkpoint as a folder of two files: `checkpoint.json` says what it is, `arrays.safetensors` holds the arrays.

Neither is trusted. Both are held against their SHA-256, so that a flipped bit is found; a reader makes no array larger
than the file that holds it; nothing in them is run. The arrays are written and read without a second copy of them all.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from nenette.tensor_header import LENGTH, header_length, parse_header
from nenette.untrusted import (
    NotReadableError,
    NotRegularError,
    TooDeepError,
    TooLargeError,
    open_regular,
    parse_json,
    read_bytes,
)
from nenette.writing import create
from nenette_agents.errors import CheckpointError, DamagedCheckpoint, shown
from nenette_agents.states import State

__all__ = [
    "ARRAYS_FILE",
    "JSON_FILE",
    "Arrays",
    "Checkpoint",
    "read_arrays",
    "read_checkpoint",
    "write_arrays",
    "write_checkpoint",
]

Arrays = dict[str, NDArray[Any]]

_NAMES = {
    "bool": "BOOL",
    **{f"int{bits}": f"I{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"U{bits}" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"F{bits}" for bits in (16, 32, 64)},
}
"""What safetensors calls the dtypes."""
_DTYPES = {word: np.dtype(name).newbyteorder("<").str for name, word in _NAMES.items()}
_MAX_BYTES = 1 << 36
"""More than any replay buffer that fits into memory."""


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Writes the arrays to a new file, down to the disk; its SHA-256.

    safetensors' own writer copies all arrays in its older versions (0.8 does not). It computes no hash, does not wait
    for the disk, and reports a full disk in words of its own.

    Raises:
        OSError: the file cannot be written; the error names it.
        ValueError: safetensors has no word for a dtype.
    """
    # The widest elements first, so that each array lies where its dtype wants it.
    ordered = dict(sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])))
    header: dict[str, Any] = {}
    begins = 0
    for name, array in ordered.items():
        if array.dtype.name not in _NAMES:
            raise ValueError(f"{name} is of type {array.dtype}, and safetensors has no word for it")
        ends = begins + array.nbytes
        header[name] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [begins, ends],
        }
        begins = ends
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    digest = hashlib.sha256()
    with create(path) as file:
        for piece in (len(text).to_bytes(8, "little"), text, *map(_bytes, ordered.values())):
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def _bytes(array: NDArray[Any]) -> Any:
    little = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    return little.reshape(-1).view(np.uint8).data


def read_arrays(path: Path, sha256: str) -> Arrays:
    """The arrays in the file, which has this SHA-256; all numbers in them are finite.

    Raises:
        DamagedCheckpoint: it is missing, or another file, or no safetensors file, or a number is not finite.
    """
    try:
        with open_regular(path, _MAX_BYTES) as (file, size):
            arrays, digest = _read(file, size)
    except OSError as error:
        raise DamagedCheckpoint(f"{path} cannot be read: {error.strerror}") from error
    except NotReadableError as error:
        raise DamagedCheckpoint(f"{path} {error}") from None
    except (ValueError, MemoryError) as error:
        raise DamagedCheckpoint(f"{path} is no safetensors file: {error}") from None
    if digest != sha256:
        raise DamagedCheckpoint(f"{path} is damaged: its SHA-256 is not the one that it was written with")
    for name, array in arrays.items():
        check_finite(name, array, path)
    return arrays


def _read(file: BinaryIO, size: int) -> tuple[Arrays, str]:
    """The arrays and the SHA-256 of the file: each byte is read once, and into its place."""
    beginning = file.read(LENGTH)
    text = file.read(header_length(beginning, size))
    tensors, _ = parse_header(text, size - LENGTH - len(text), _DTYPES)
    digest = hashlib.sha256(beginning + text)
    arrays: Arrays = {}
    for name, tensor in tensors.items():
        content = np.empty(tensor.end - tensor.begin, dtype=np.uint8)
        if file.readinto(content.data) != content.size:  # type: ignore[attr-defined]
            raise NotReadableError("shrinks while it is read")
        digest.update(content.data)
        array = content.view(tensor.dtype).reshape(tensor.shape)
        if tensor.dtype == np.bool_ and (content > 1).any():
            raise ValueError(f"{shown(name)} has a truth value that is neither 0 nor 1")
        arrays[name] = array.astype(tensor.dtype.newbyteorder("="), copy=False)
    return arrays, digest.hexdigest()


def check_finite(name: str, array: NDArray[Any], path: Path) -> None:
    """Raises DamagedCheckpoint if one of the array's numbers is not finite."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise DamagedCheckpoint(f"{path} has a number in {name[:80]} that is not finite")


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
