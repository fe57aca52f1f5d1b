"""A command in a real pseudo-terminal, 80 columns wide, typed into as a person does."""

import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping
from fcntl import ioctl

PROMPT = re.compile(r"(^|\n)(> |(Press Enter to throw|Entrée pour lancer)\. )$")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """`nenette` with these arguments.

    Attributes:
        raw: everything that it has printed.
    """

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None, columns: int = 80) -> None:
        self.raw = ""
        self._read = 0
        self.pid, self._fd = pty.fork()
        if self.pid == 0:  # the child, which becomes the command
            os.environ.update({"TERM": "xterm", "COLUMNS": "", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"})
            os.environ.pop("COLUMNS")
            os.environ.update(environment or {})
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # what a shell runs in the background ignores it
            os.execv(sys.executable, [sys.executable, "-m", "nenette_agents", *arguments])
        ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    @property
    def text(self) -> str:
        """The same without escapes."""
        return _ESCAPES.sub("", self.raw).replace("\r\n", "\n")

    def until_asked(self, timeout: float = 300.0) -> str | None:
        """What has been printed since the last call, until something is asked; None once the command has ended."""
        deadline = time.monotonic() + timeout
        while True:
            new = self.text[self._read :]
            if PROMPT.search(new):
                self._read = len(self.text)
                return new
            if not self._more(deadline - time.monotonic()):
                return None

    def type(self, text: str) -> None:
        """Types a line."""
        os.write(self._fd, f"{text}\n".encode())

    def press(self, key: bytes) -> None:
        """Presses a key, such as Ctrl-C, b"\\x03"."""
        os.write(self._fd, key)

    def end(self, timeout: float = 300.0) -> int:
        """Waits for the command to end; its exit code, negative for a signal."""
        deadline = time.monotonic() + timeout
        while self._more(deadline - time.monotonic()):
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self._fd)
        return os.waitstatus_to_exitcode(status)

    def _more(self, left: float) -> bool:
        ready, _, _ = select.select([self._fd], [], [], max(left, 0.0))
        if not ready:
            os.kill(self.pid, signal.SIGKILL)
            raise AssertionError(f"the command went silent after:\n{self.text[-2000:]}")
        try:
            read = os.read(self._fd, 1 << 16)
        except OSError:  # on Linux, that the other side is closed
            return False
        self.raw += read.decode(errors="replace")
        return bool(read)
