"""One process at a time trains in a run's folder."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nenette_agents.errors import RunError

__all__ = ["held"]

if sys.platform == "win32":

    @contextmanager
    def held(folder: Path) -> Iterator[None]:
        """Folders cannot be locked there."""
        yield

else:
    import fcntl
    import os

    @contextmanager
    def held(folder: Path) -> Iterator[None]:
        """Holds the folder itself: no file is left behind, and the system lets go when the process ends or is killed.

        Raises:
            RunError: another process holds it.
        """
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RunError(f"{folder} is being trained by another process right now: wait, or end that") from None
            except OSError:
                pass  # a file system without locks: whoever trains there sees to it
            yield
        finally:
            os.close(handle)
