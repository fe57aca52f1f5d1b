"""Reading files that somebody else made: no more of them than they are long, and data only.

Whoever reads one says first how large it may be, and puts what is wrong with it into a sentence of its own; here are
the few lines that all of them need. Nothing that a file says makes them wait, or allocate more than a fixed multiple of
its length.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from stat import S_ISREG
from typing import Any, BinaryIO, NoReturn

__all__ = [
    "NotReadableError",
    "NotRegularError",
    "TooDeepError",
    "TooLargeError",
    "open_regular",
    "parse_json",
    "read_bytes",
]

MAX_DEPTH = 50
"""Of objects and lists inside each other; nothing that is written here comes near it."""


class NotReadableError(ValueError):
    """A file is not what can be read; the message says why and begins after the file's name."""


class NotRegularError(NotReadableError):
    """A folder, a pipe or a device stands where a file should be."""


class TooLargeError(NotReadableError):
    """A file is larger than it may be."""


class TooDeepError(NotReadableError):
    """JSON is nested deeper than `MAX_DEPTH`."""


@contextmanager
def open_regular(path: str | os.PathLike[str], most: int) -> Iterator[tuple[BinaryIO, int]]:
    """A regular file of at most `most` bytes, opened for reading, and its size: all reading of files begins here.

    Raises:
        NotRegularError: it is no regular file, so that opening it might wait, or do something, and reading it take for
            ever.
        TooLargeError: it is larger; it is not opened then.
        OSError: it cannot be opened.
        ValueError: no file can have that name.
    """
    _look(os.stat(path), most)
    # In the meantime it may have become another. Opening a pipe would wait for somebody to write to it.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        size = _look(os.fstat(descriptor), most)
        with open(descriptor, "rb", closefd=False) as file:
            yield file, size
    finally:
        os.close(descriptor)


def _look(about: os.stat_result, most: int) -> int:
    if not S_ISREG(about.st_mode):
        raise NotRegularError("is not a regular file")
    if about.st_size > most:
        raise TooLargeError(f"is larger than {most} bytes")
    return about.st_size


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """What is in a regular file of at most `most` bytes.

    Raises:
        NotReadableError, OSError, ValueError: as `open_regular` does, and where the file grows while it is read.
    """
    with open_regular(path, most) as (file, size):
        content = file.read(size)  # Python makes room for as much as it is asked for: not for `most`
        if file.read(1):
            raise NotReadableError("grows while it is read")
        return content


def parse_json(text: bytes) -> Any:
    """What the JSON says, in UTF-8, with no key twice, and numbers that are finite.

    Raises:
        TooDeepError: it is nested too deep.
        ValueError: it is no such JSON.
    """
    try:
        value = json.loads(
            text.decode(), parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_without_doubles
        )
    except RecursionError:
        raise TooDeepError("is nested too deep") from None
    _check_depth(value)
    return value


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is too large a number")
    return number


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen = set[str]()
        double = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"{double[:40]!r} is there twice")
    return members


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise TooDeepError("is nested too deep")
