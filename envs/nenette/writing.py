"""Writing files: whole or not at all, through no link that somebody has laid, and with errors that name the file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO

__all__ = ["append_bytes", "create", "naming", "replace_file", "replacing"]


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """An OSError that is raised in here names `path`: a full disk's names no file by itself."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def create(path: Path) -> Iterator[BinaryIO]:
    """A new file, to be written; at the end it is on the disk.

    Raises:
        FileExistsError: there is something of that name, if only a link to nowhere.
        OSError: it cannot be written; the error names the file.
    """
    with naming(path), path.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing(path: Path, aside: str | None = None) -> Iterator[BinaryIO]:
    """A file to be written, which is put in place whole at the end: nobody finds it half written.

    Args:
        path: where it goes; a link there is replaced, not followed.
        aside: the name under which it is written first; None: one with the number of the process.

    Raises:
        OSError: it cannot be written: the disk is full, for instance; the error names the file.
    """
    beside = path.with_name(aside or f".{path.name}.{os.getpid()}")
    try:
        with naming(path):
            beside.unlink(missing_ok=True)
            with create(beside) as file:
                yield file
            os.replace(beside, path)
    finally:
        if not beside.is_dir():
            beside.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes, aside: str | None = None) -> None:
    """Puts a file in place whole, not even half written after a power cut; arguments and errors as `replacing`."""
    with replacing(path, aside) as file:
        file.write(content)


def append_bytes(path: Path, content: bytes) -> None:
    """Adds to the end of a regular file, which is made if there is none; a link is not followed.

    Raises:
        OSError: it cannot be written, or something else stands there; the error names the file.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with naming(path):
        descriptor = os.open(path, flags, 0o666)
        with open(descriptor, "ab") as file:
            if not S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(0, "is not a regular file", str(path))
            file.write(content)
