"""Named arrays as one safetensors file, written and read without a second copy of all of them."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from nenette.tensor_header import LENGTH, header_length, parse_header
from nenette.untrusted import NotReadableError, open_regular
from nenette.writing import create
from nenette_agents.errors import DamagedCheckpoint, shown

__all__ = ["Arrays", "read_arrays", "write_arrays"]

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
