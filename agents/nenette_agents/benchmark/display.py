"""How a benchmark shows on the screen: one bar with the time left; where there is no terminal, a line a minute."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from nenette_agents.terminal.progress import duration

__all__ = ["Display"]

_SILENCE = 60.0
"""Seconds after which, where there is no terminal, a line says that the benchmark goes on."""


class Display:
    """A context in which a benchmark's runs are counted on `console`."""

    def __init__(self, console: Console) -> None:
        self._console, self._title = console, ""
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("runs{task.fields[failed]} · {task.fields[left]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None, failed="", left="…")
        self._waiting = dict[str, str]()
        self._costs = dict[str, list[float]]()
        self._done = self._total = self._failed = 0
        self._began = self._printed = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, title: str, missing: Sequence[str], finished: int) -> None:
        """These runs, task/learner/seed each, are to be made, and so many are there already."""
        self._title = title
        self._waiting = {run: _kind(run) for run in missing}
        self._done, self._total = finished, finished + len(missing)
        self._began = self._printed = time.monotonic()
        if finished:
            self.tell(f"{finished} of {self._total} runs are finished already")
        self._bar.update(self._task, description=title, total=self._total, completed=finished)

    def ended(self, run: str, cpu_seconds: float, reason: str | None) -> None:
        """A run is over: it took so long, and failed for that reason; None: it is finished."""
        self._costs.setdefault(self._waiting.pop(run), []).append(cpu_seconds)
        self._done += 1
        if reason is not None:
            self._failed += 1
            self.tell(f"{run} failed: {reason}")
        self.tick()

    def tick(self) -> None:
        """Time has passed."""
        failed = f", {self._failed} failed" if self._failed else ""
        left = self._left()
        words = "…" if left is None else f"{duration(left)} left"
        self._bar.update(self._task, completed=self._done, failed=failed, left=words)
        if not self._console.is_terminal and time.monotonic() - self._printed >= _SILENCE:
            self.tell(f"{self._done} of {self._total} runs{failed} · {words}")

    def tell(self, sentence: str) -> None:
        """Something that whoever watches should know."""
        self._printed = time.monotonic()
        self._console.print(f"{self._title}: {sentence}", soft_wrap=True, highlight=False, markup=False)

    def _left(self) -> float | None:
        """Seconds left, from what runs of the same task and learner took; None before the first one is over."""
        spent = [cost for costs in self._costs.values() for cost in costs]
        if not spent or not sum(spent):
            return None
        mean = {kind: sum(costs) / len(costs) for kind, costs in self._costs.items()}
        overall = sum(spent) / len(spent)
        to_come = sum(mean.get(kind, overall) for kind in self._waiting.values())
        return (time.monotonic() - self._began) * to_come / sum(spent)


def _kind(run: str) -> str:
    """The task and the learner of a run."""
    return run.rpartition("/")[0]
