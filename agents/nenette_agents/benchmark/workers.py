"""Processes that work off one job after the other: to import what trains takes seconds, and a run not much more.

A process that is lost takes its job with it and no other: another process takes its place.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol

from nenette_agents.training.parallel import ONE_CORE

__all__ = ["Call", "Done", "LocalWorkers", "Workers"]


@dataclass(frozen=True)
class Call:
    """A function of a module, and what it is called with; both travel to another process."""

    function: Callable[[Any], Any]
    job: Any


@dataclass(frozen=True)
class Done:
    """A call that is over.

    Attributes:
        call: which.
        result: what the function returned; None if `lost` says why there is none.
        lost: what happened to the process, or what the function raised, in one sentence.
    """

    call: Call
    result: Any = None
    lost: str | None = None


class Workers(Protocol):
    """Those who do the calls, here or elsewhere."""

    def work(self, calls: Sequence[Call], tick: Callable[[], None]) -> Iterator[Done]:
        """Does all calls, and gives each back when it is over, in any order; `tick` is called about every second.

        When the iterator is closed, calls that are not over are given up.
        """
        ...


class LocalWorkers:
    """Processes on this machine."""

    def __init__(self, jobs: int) -> None:
        """So many at a time."""
        self._jobs = jobs

    def work(self, calls: Sequence[Call], tick: Callable[[], None]) -> Iterator[Done]:
        """See `Workers`."""
        waiting, busy, idle = list(reversed(calls)), dict[Connection, tuple[_Process, Call]](), list[_Process]()
        try:
            while waiting or busy:
                while waiting and len(busy) < self._jobs:
                    process = idle.pop() if idle else _Process()
                    call = waiting.pop()
                    busy[process.connection] = process, call
                    process.give(call)
                for ready in wait(list(busy), timeout=1.0):
                    assert isinstance(ready, Connection)
                    process, call = busy.pop(ready)
                    done = process.take(call)
                    if process.lives:
                        idle.append(process)
                    yield done
                tick()
        finally:
            for process in (*idle, *(one for one, _ in busy.values())):
                process.end()


class _Process:
    """A process that does calls."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        # NumPy and torch look at the environment when they are imported. Ctrl-C is for whoever gives the calls.
        with _environment(ONE_CORE), _ignoring_interrupts():
            self._process.start()
        theirs.close()
        self.lives = True

    def give(self, call: Call) -> None:
        """Hands a call over."""
        with suppress(OSError):  # the process is gone: `take` says so
            self.connection.send(call)

    def take(self, call: Call) -> Done:
        """What came of the call."""
        try:
            result, lost = self.connection.recv()
        except (EOFError, OSError):
            self.lives = False
            self.connection.close()
            self._process.join()
            return Done(call, lost=f"its process {_how_it_ended(self._process.exitcode)}")
        return Done(call, result, lost)

    def end(self) -> None:
        """Ends the process, whatever it is doing."""
        self.connection.close()
        self._process.terminate()
        self._process.join()


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        more = ": perhaps there was not enough memory" if name == "SIGKILL" else ""
        return f"was ended by the signal {name}{more}"
    return f"ended by itself with exit code {code}"


@contextmanager
def _environment(given: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """A process that is begun in here never heeds Ctrl-C, not even while it imports."""
    if threading.current_thread() is not threading.main_thread():  # which alone may say so
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(connection: Connection) -> None:
    """What a process does: one call after the other, until nobody asks any more."""
    sys.stdout.flush()
    os.dup2(2, 1)  # stdout is for results
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            call = connection.recv()
        except (EOFError, OSError):
            return
        result, lost = None, None
        try:
            result = call.function(call.job)
        except Exception as error:
            lost = f"{type(error).__name__}: {error}"
        connection.send((result, lost))


def _end_with_parent() -> None:
    """Ends this process as soon as the one that began it is gone, even by a kill."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
