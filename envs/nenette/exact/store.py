"""Solutions kept in the user's cache folder, so that each is computed once a machine.

A file is named after the game, its rules and the code that made it; it is written aside and renamed, carries a
checksum, and is checked whenever it is read. What cannot be read is computed again.
"""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from nenette.games import Game

log = logging.getLogger("nenette")

Arrays = dict[str, NDArray[Any]]


def folder() -> Path:
    """Where solutions are kept: `NENETTE_CACHE` if that is set, else the user's cache folder."""
    given = os.environ.get("NENETTE_CACHE")
    return Path(given) if given else user_cache_path("nenette", appauthor=False)


@cache
def _code_id() -> str:
    """Changes with any file that a solution depends on."""
    digest = hashlib.sha256()
    for package in ("nenette.games", "nenette.exact"):
        for file in sorted(resources.files(package).iterdir(), key=lambda f: f.name):
            if file.name.endswith(".py"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def path(game: Game[Any], what: str) -> Path:
    """The file that keeps `what` about `game`."""
    return folder() / f"{game.name}-{game.rules_id}-{what}-{_code_id()}.safetensors"


def read(file: Path) -> tuple[Arrays, dict[str, Any]] | None:
    """The arrays and facts kept in `file`; None where there is no such file, or it is damaged (which is logged)."""
    if not file.exists():
        return None
    try:
        with safe_open(file, framework="numpy") as kept:
            metadata = kept.metadata() or {}
            arrays = {name: kept.get_tensor(name) for name in kept.keys()}  # noqa: SIM118 (no mapping)
        if metadata.get("checksum") != _checksum(arrays, metadata["facts"]):
            raise ValueError("the checksum does not match")
        return arrays, json.loads(metadata["facts"])
    except (SafetensorError, ValueError, KeyError, OSError) as error:
        log.warning("the kept solution %s is damaged (%s): it is computed again", file, error)
        return None


def write(file: Path, arrays: Arrays, facts: Mapping[str, Any]) -> None:
    """Keeps arrays and facts; a folder that cannot be written to is logged and does no harm."""
    text = json.dumps(facts)
    data = save(arrays, metadata={"facts": text, "checksum": _checksum(arrays, text)})
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=file.stem, suffix=".part", delete=False) as part:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
        Path(part.name).replace(file)
    except OSError as error:
        log.warning("the solution cannot be kept in %s (%s): it will be computed again next time", file.parent, error)


def _checksum(arrays: Arrays, facts: str) -> str:
    digest = hashlib.sha256(facts.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
