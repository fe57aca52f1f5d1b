"""Work that takes long, as it shows on the screen: a line that counts the seconds, and a training's bar."""

import time
from collections.abc import Callable
from itertools import chain, repeat
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.status import Status

__all__ = ["AtWork", "Progress", "brief", "duration"]

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
        """Shows from now on what is being done."""
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


_REDRAW = 0.2  # seconds; steps are far quicker than a screen
_SILENCE = 60.0
"""Seconds after which, where there is no terminal, a line says that the training goes on."""


def brief(line: dict[str, Any]) -> str:
    """The scores of one line of the metrics in a few words."""
    words = [f"value {line['value']:+.4f}" if line["exact"] else f"value {line['value']:+.2f} (sampled)"]
    if line.get("exploitability") is not None:
        words.append(f"exploitability {line['exploitability']:.4f}")
    if line.get("nash_conv") is not None:
        words.append(f"NashConv {line['nash_conv']:.4f}")
    endless = line.get("endless")
    if endless:
        words.append(f"endless game: {endless['value']:+.4f}, {endless['exploitability']:.4f}")
    return " · ".join(words)


def duration(seconds: float) -> str:
    """A time that is left, roughly: in minutes, from an hour on in hours and minutes."""
    minutes = max(1, round(seconds / 60))
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


class Progress:
    """A context in which a training's steps and scores are shown on `console`."""

    def __init__(self, console: Console, total: int, title: str) -> None:
        self._console, self._total, self._title = console, total, title
        self._before: int | None = None
        self._drawn = self._began = self._printed = time.monotonic()
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]} steps/s"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=total, rate="…")

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def moved(self, steps: int) -> None:
        """The learner has made so many steps in all."""
        now = time.monotonic()
        if self._before is None:  # of a run that goes on, these were made earlier
            self._before = steps
        if now - self._drawn >= _REDRAW or steps >= self._total:
            self._drawn = now
            rate = (steps - self._before) / max(now - self._began, 1e-9)
            self._bar.update(self._task, completed=min(steps, self._total), rate=f"{rate:,.0f}")
            if not self._console.is_terminal and now - self._printed >= _SILENCE:
                left = (self._total - steps) / max(rate, 1e-9)
                self.tell(f"step {steps:,} of {self._total:,} · {rate:,.0f} steps/s · {duration(left)} left")

    def tell(self, sentence: str) -> None:
        """Prints a sentence, after the run's name."""
        self._printed = time.monotonic()
        self._console.print(f"{self._title}: {sentence}", soft_wrap=True, highlight=False, markup=False)

    def scored(self, line: dict[str, Any]) -> None:
        """An evaluation is done; `line` is what went to the metrics."""
        self.tell(f"step {line['step']:,} of {self._total:,} · {line['seconds']:.0f} s · {brief(line)}")
