"""Ctrl-C in the middle of a training."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

from stable_baselines3.common.callbacks import BaseCallback

__all__ = ["InterruptCallback", "Interrupts"]


class Interrupts:
    """A context in which SIGINT or SIGTERM asks the training to stop at its next step, and the same once more insists.

    The first raises nothing: an exception in the middle of a compiled call comes out as another one, and in the middle
    of an update it leaves half of one. One signal of each kind only asks: on Ctrl-C in a terminal all its processes get
    SIGINT, and one that has started others sends them SIGTERM besides. Both signals are heard in a process that a shell
    has put in the background, too.

    In another thread than the main one nothing is heard: Python lets that one alone set handlers, and runs them there.
    """

    def __init__(self) -> None:
        self._heard = set[int]()
        self._insisted = False
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> bool:
        """Whether a signal has come."""
        return bool(self._heard)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._insisted and isinstance(error, Exception):
            raise KeyboardInterrupt from error  # what it has turned into

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if number in self._heard:
            self._insisted = True
            raise KeyboardInterrupt
        self._heard.add(number)


class InterruptCallback(BaseCallback):
    """Ends the learning at the first step after a signal.

    Attributes:
        stopped: whether it has.
    """

    def __init__(self, interrupts: Interrupts) -> None:
        super().__init__()
        self.stopped = False
        self._interrupts = interrupts

    def _on_step(self) -> bool:
        self.stopped = self.stopped or self._interrupts.asked
        return not self.stopped
