"""Named arrays as one safetensors file, written and read without a second copy of all of them."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette_agents.errors import DamagedCheckpoint

__all__ = ["Arrays", "read_arrays", "write_arrays"]

Arrays = dict[str, NDArray[Any]]

_NAMES = {
    "bool": "BOOL",
    **{f"int{bits}": f"I{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"U{bits}" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"F{bits}" for bits in (16, 32, 64)},
}
"""What safetensors calls the dtypes."""


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Writes the arrays to a new file, down to the disk; its SHA-256.

    The library's own writer would build the whole file in memory first, and tells of a full disk in words of its own.

    Raises:
        OSError: the file cannot be written.
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
    with open(path, "xb") as file:
        for piece in (len(text).to_bytes(8, "little"), text, *map(_bytes, ordered.values())):
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _bytes(array: NDArray[Any]) -> Any:
    little = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    return little.reshape(-1).view(np.uint8).data


def read_arrays(path: Path, sha256: str) -> Arrays:
    """The arrays in the file, which has this SHA-256; all numbers in them are finite.

    Raises:
        DamagedCheckpoint: it is missing, or another file, or no safetensors file, or a number is not finite.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with open(path, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise DamagedCheckpoint(f"{path} is damaged: its SHA-256 is not the one that it was written with")
        with safe_open(path, framework="numpy") as opened:
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  it is no dict
    except OSError as error:
        raise DamagedCheckpoint(f"{path} cannot be read: {error.strerror}") from error
    except (SafetensorError, ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, DamagedCheckpoint):
            raise
        raise DamagedCheckpoint(f"{path} is no safetensors file: {error}") from error
    for name, array in arrays.items():
        check_finite(name, array, path)
    return arrays


def check_finite(name: str, array: NDArray[Any], path: Path) -> None:
    """Raises DamagedCheckpoint if one of the array's numbers is none."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise DamagedCheckpoint(f"{path} has a number in {name} that is not finite")
