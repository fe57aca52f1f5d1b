"""How a training shows on the screen: a line an evaluation, and on a terminal a bar below."""

import time
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

__all__ = ["Progress", "brief"]

_REDRAW = 0.2  # seconds; steps are far quicker than a screen
_SILENCE = 60.0
"""Seconds after which, where there is no terminal, a line says that the training goes on."""


def brief(line: dict[str, Any]) -> str:
    """The scores of one line of the metrics in a few words."""
    words = [f"value {line['value']:+.4f}" if line["exact"] else f"value {line['value']:+.2f} (sampled)"]
    if line.get("exploitability") is not None:
        words.append(f"exploitability {line['exploitability']:.4f}")
    endless = line.get("endless")
    if endless:
        words.append(f"endless game: {endless['value']:+.4f}, {endless['exploitability']:.4f}")
    return " · ".join(words)


def _duration(seconds: float) -> str:
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
                self.tell(f"step {steps:,} of {self._total:,} · {rate:,.0f} steps/s · {_duration(left)} left")

    def tell(self, sentence: str) -> None:
        """Something that whoever watches should know."""
        self._printed = time.monotonic()
        self._console.print(f"{self._title}: {sentence}", soft_wrap=True, highlight=False, markup=False)

    def scored(self, line: dict[str, Any]) -> None:
        """An evaluation is done; `line` is what went to the metrics."""
        self.tell(f"step {line['step']:,} of {self._total:,} · {line['seconds']:.0f} s · {brief(line)}")
