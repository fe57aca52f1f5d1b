"""Solutions cached in a folder of the user, so that each is computed once on a machine.

A file is named after the game, its rules and the code that made it; it is written aside and renamed, carries a
checksum, and is checked whenever it is read. What cannot be read is computed again.
"""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path
from safetensors.numpy import save

from nenette.games import Game, spec_of
from nenette.tensor_header import LENGTH, Tensor, header_length, parse_header
from nenette.untrusted import open_regular, parse_json, read_bytes

log = logging.getLogger("nenette")

Arrays = dict[str, NDArray[Any]]


NOWHERE = Path(os.devnull) / "nenette"
"""No folder, and none can be made there."""


def folder() -> Path:
    """The folder of cached solutions: `NENETTE_CACHE` if that is set, else the user's cache folder, else `NOWHERE`."""
    given = os.environ.get("NENETTE_CACHE")
    if given:
        return Path(given)
    try:
        found = user_cache_path("nenette", appauthor=False)
    except RuntimeError:  # the user has no home
        return NOWHERE
    return found if found.is_absolute() else NOWHERE  # older versions return "~/.cache" then, as it stands


@cache
def _code_id(modules: tuple[str, ...]) -> str:
    """A hash of the files that a solution depends on: of these modules, or of all if none is named."""
    digest = hashlib.sha256()
    for package in ("nenette.games", "nenette.exact"):
        for name, file in _sources(resources.files(package), package):
            if not modules or name in modules:
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _sources(folder: Traversable, package: str) -> Iterator[tuple[str, Traversable]]:
    """All modules below a package, in a fixed order."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = f"{package}.{entry.name.removesuffix('.py')}"
        if entry.is_dir():
            yield from _sources(entry, name)
        elif entry.name.endswith(".py"):
            yield name, entry


def can_cache(game: Game[Any]) -> bool:
    """Whether solutions of `game` can be cached: all of its rules are in the code that is part of the files' names.

    A class of somebody else may play by other rules tomorrow, under the same name.
    """
    spec = spec_of(game)
    return spec is not None and type(game) is spec.game and type(game).__module__.startswith("nenette.games.")


def path(game: Game[Any], what: str, modules: tuple[str, ...] = ()) -> Path:
    """The file for `what` about `game`.

    Args:
        game: the game, with its rules.
        what: a word.
        modules: those of `nenette.games` and `nenette.exact` that the result depends on; all of them if none is named.
    """
    return folder() / f"{game.name}-{game.rules_id}-{what}-{_code_id(modules)}.safetensors"


def read(file: Path, *, mapped: bool = False) -> tuple[Arrays, dict[str, Any]] | None:
    """The arrays and facts in `file`; None where there is no such file, or it is damaged (which is logged).

    All of the file is held against its checksum each time, which takes some 10 ms for 100 MB in the system's memory.

    Args:
        file: as `path` names it.
        mapped: leave the arrays in the file, to be paged in as they are looked at, and not to be written to.
    """
    try:
        arrays, metadata = _arrays(file, mapped=mapped)
        facts = metadata.get("facts", "")
        if metadata.get("checksum") != _checksum(arrays, facts):
            raise ValueError("the checksum does not match")
        return arrays, _object(parse_json(facts.encode()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, OSError) as error:
        log.warning("the cached solution %s is damaged (%s): it is computed again", file, error)
        return None


_DTYPES = {"F64": "<f8", "I64": "<i8", "U8": "|u1", "I8": "|i1"}
_MOST_BYTES = 1 << 30


def _arrays(file: Path, *, mapped: bool) -> tuple[Arrays, dict[str, str]]:
    content = _content(file, mapped=mapped)
    body = LENGTH + header_length(content[:LENGTH].tobytes(), len(content))
    tensors, metadata = parse_header(content[LENGTH:body].tobytes(), len(content) - body, _DTYPES)
    return {name: _array(content[body:], tensor) for name, tensor in tensors.items()}, metadata


def _content(file: Path, *, mapped: bool) -> NDArray[np.uint8]:
    if not mapped:
        return np.frombuffer(bytearray(read_bytes(file, _MOST_BYTES)), dtype=np.uint8)
    with open_regular(file, _MOST_BYTES) as (opened, _):
        return np.memmap(opened, dtype=np.uint8, mode="r")


def _array(body: NDArray[np.uint8], tensor: Tensor) -> NDArray[Any]:
    found = body[tensor.begin : tensor.end]
    # What is not mapped is put where processors like numbers to lie, whatever the header's length.
    return (found if isinstance(found, np.memmap) else found.copy()).view(tensor.dtype).reshape(tensor.shape)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("its facts are no JSON object")
    return value


def write(file: Path, arrays: Arrays, facts: Mapping[str, Any]) -> None:
    """Writes arrays and facts; a folder that cannot be written to is logged and does no harm."""
    if file.parent == NOWHERE:
        log.warning("there is no folder for cached solutions, so each process computes them: NENETTE_CACHE names one")
        return
    text = json.dumps(facts)
    data = save(arrays, metadata={"facts": text, "checksum": _checksum(arrays, text)})
    part: Path | None = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=file.stem, suffix=".part", delete=False) as opened:
            part = Path(opened.name)
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        part.replace(file)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        log.warning("the solution cannot be cached in %s (%s): it will be computed again next time", file.parent, error)


_BLOCK = 4096


def _checksum(arrays: Arrays, facts: str) -> str:
    """SHA-256 of the facts and of sums over blocks of 64-bit words.

    The sums are there for speed. They find what goes wrong by accident; they do not prevent forged files in a user's
    own cache.
    """
    digest = hashlib.sha256(facts.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        content = array.reshape(-1).view(np.uint8)
        whole = len(content) // (8 * _BLOCK) * 8 * _BLOCK
        digest.update(content[:whole].view(np.uint64).reshape(-1, _BLOCK).sum(axis=1, dtype=np.uint64).tobytes())
        digest.update(content[whole:].tobytes())
    return digest.hexdigest()
