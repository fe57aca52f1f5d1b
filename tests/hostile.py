"""What may stand where a file is expected, for all that read files to be held against."""

import json
import os
import tracemalloc
from collections.abc import Callable
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

HUGE = 1 << 40
"""Bytes; a file that says to be so long takes no room on most disks."""


def _deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


class Raw(str):
    """JSON's text for something that Python's writer would not write."""


HOSTILE = [
    None,
    True,
    -1,
    0,
    1 << 31,
    1 << 63,
    1 << 200,
    0.5,
    Raw("1e999"),
    Raw("NaN"),
    Raw("-Infinity"),
    Raw("9" * 5000),
    "",
    "../../etc/passwd",
    "/etc/passwd",
    "a\0b",
    "\ud800",
    "x" * 20_000,
    "\x1b[2J\n",
    [],
    {},
    [1 << 62] * 40,
    ["F32", None],
    _deep(45),
    _deep(200),
    {"": {"": {"": []}}},
    {"__class__": "os.system", "../x": 1},
]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, below in inner for place in _places(below, (*path, key)))]


def _write(value: Any) -> str:
    """As JSON, `Raw` as it is."""
    text = json.dumps(value)
    for raw in (hostile for hostile in HOSTILE if isinstance(hostile, Raw)):
        text = text.replace(json.dumps(str(raw)), raw)
    return text


@st.composite
def changed_json(draw: st.DrawFn, base: Any) -> bytes:
    """The JSON of `base` with one to three things in it replaced, taken out, written twice or added."""
    value = deepcopy(base)
    for _ in range(draw(st.integers(1, 3))):
        places = _places(value)[1:]
        if not places:
            break
        *outer, last = draw(st.sampled_from(places))
        here = value
        for key in outer:
            here = here[key]
        kind = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        hostile = deepcopy(draw(st.sampled_from(HOSTILE)))
        if kind == "replace":
            here[last] = hostile
        elif kind == "remove":
            here.pop(last)
        elif isinstance(here, dict):
            here[draw(st.sampled_from(["more", "../x", "self", "__metadata__"]))] = hostile
        else:
            here.append(hostile)
    text = _write(value)
    if draw(st.integers(0, 9)) == 0 and text.startswith("{") and len(text) > 2:
        text = text[:-1] + "," + text[1:]
    return text.encode()


@st.composite
def changed_bytes(draw: st.DrawFn, base: bytes) -> bytes:
    """`base` cut, with bits flipped, bytes put in, or parts of it moved."""
    content = bytearray(base)
    for _ in range(draw(st.integers(1, 3))):
        where = draw(st.integers(0, max(len(content) - 1, 0)))
        kind = draw(st.sampled_from(["flip", "flip", "cut", "insert", "move"]))
        if kind == "flip" and content:
            content[where] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del content[where:]
        elif kind == "insert":
            content[where:where] = draw(st.sampled_from([b"\xff", b"\0" * 9, b"[" * 3000, b"9" * 5000, b'"', b"\n"]))
        else:
            content[where:where] = content[draw(st.integers(0, max(len(content) - 1, 0))) :][:40]
    return bytes(content)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


INSTEAD: dict[str, Callable[[Path], Any]] = {
    "a folder": lambda path: path.mkdir(),
    "a pipe": lambda path: os.mkfifo(path),
    "a device without an end": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to a folder": lambda path: path.symlink_to(path.parent),
    "a link to nowhere": lambda path: path.symlink_to(path.with_name("nowhere")),
    "a file of a terabyte": _sparse,
    "an empty file": lambda path: path.touch(),
}
"""What to put in a file's place, which is free."""


def put(path: Path, instead: str) -> None:
    """Puts what `INSTEAD` says in the place of the file at `path`."""
    path.unlink(missing_ok=True)
    INSTEAD[instead](path)


@contextmanager
def little_memory(size: int):
    """Asserts that what is done here allocates at most a fixed multiple of `size` bytes, and a little."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * size + 500_000, f"{peak} bytes for a file of {size}"


def is_a_sentence(error: BaseException) -> bool:
    """One line, and not all of what the file says."""
    text = str(error)
    return 0 < len(text) < 1500 and text.isprintable()
