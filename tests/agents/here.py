"""Trainings that would be processes of their own, in this one, which has imported torch already.

A process of `nenette train` takes some six seconds of processor time, and a small training itself half a second. Real
processes train in test_demo_page (to their end), in test_runs_command (until Ctrl-C) and in test_train_resume_command.
"""

import io
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from nenette_agents.cli import app as cli
from nenette_agents.training import parallel


class _Ended:
    """Stands for a process of `python -m nenette_agents` that is over."""

    def __init__(self, command: list[str], **_: Any) -> None:
        _, *module, first = command[:4]
        assert (module, first) == (["-m", "nenette_agents"], "train")
        done = CliRunner().invoke(cli.app, command[3:])
        self.stdout, self.stderr, self.returncode = io.StringIO(done.stdout), io.StringIO(done.stderr), done.exit_code

    def __enter__(self) -> "_Ended":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def poll(self) -> int:
        return self.returncode


@contextmanager
def trainings_here() -> Iterator[None]:
    """`run_trainings` runs each job in this process, one after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "subprocess", SimpleNamespace(Popen=_Ended, PIPE=subprocess.PIPE))
        yield
