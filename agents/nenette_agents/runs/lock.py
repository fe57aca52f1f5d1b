"""One process at a time trains in a run's folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from nenette_agents.errors import RunError

__all__ = ["held"]


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Holds the lock of a run's folder, the file `.lock` in it; the system lets go when the process ends or is killed.

    Raises:
        RunError: another process holds it.
        OSError: the file cannot be made.
    """
    try:
        # Not one lock for each thread: whoever trains may hand the run to another.
        with FileLock(folder / ".lock", blocking=False, thread_local=False):
            yield
    except Timeout:
        raise RunError(f"{folder} is being trained by another process right now: wait, or end that") from None
