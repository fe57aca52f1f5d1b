"""Work that takes long says on stderr that it goes on."""

import time
from collections.abc import Callable
from itertools import chain, repeat
from threading import Event, Thread
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

__all__ = ["AtWork"]

_PAUSES = (2.0, 8.0, 20.0, 30.0)
"""Seconds of silence before each line where there is no terminal, the last one for all that follow; on a terminal the
first one passes in silence."""


class AtWork:
    """A context around work: from two seconds on, a terminal shows a line that counts the seconds; elsewhere a line is
    printed now and then. Quick work says nothing.

    Attributes:
        what: what the work is, with the name of whom it is about.
        dot: what stands before the seconds.
    """

    def __init__(self, what: str, console: Console | None = None, *, dot: str = " · ") -> None:
        self.what = what
        self.dot = dot
        self._console = console or Console(stderr=True)
        self._doing = ""
        self._over = Event()
        self._watch = Thread(target=self._show if self._console.is_terminal else self._tell, daemon=True)

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        self._watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._watch.join()

    def now(self, doing: str) -> None:
        """What is being done from now on."""
        self._doing = doing

    def counted(self, of: str, total: int | None = None) -> Callable[[int], None]:
        """A function that is called with how many `of` are done: "pairs", of so many in all."""
        in_all = "" if total is None else f" of {total:,}"

        def count(done: int) -> None:
            self._doing = f"{done:,}{in_all} {of}"

        return count

    def _sentence(self) -> str:
        doing = f": {self._doing}" if self._doing else ""
        return f"{self.what}{doing}{self.dot}{time.monotonic() - self._began:.0f} s"

    def _tell(self) -> None:
        for pause in chain(_PAUSES, repeat(_PAUSES[-1])):
            if self._over.wait(pause):
                return
            self._console.print(self._sentence(), soft_wrap=True, highlight=False, markup=False)

    def _show(self) -> None:
        if self._over.wait(_PAUSES[0]):
            return
        with Status("", console=self._console) as status:
            while True:
                status.update(self._sentence().replace("[", r"\["))
                if self._over.wait(0.5):
                    return
