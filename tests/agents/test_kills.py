"""Real training processes, killed at random moments with a signal that nobody can catch."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from twins import CONFIGS, assert_the_same, config_file, config_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no kill -9 where processes are not forked")


class Trainings:
    """Training processes, one at a time, and how they end."""

    def __init__(self, server: "subprocess.Popen[str]") -> None:
        self._server = server

    def run(self, kill_after: float | None = None, **order: str) -> int:
        """0 if it came to its end; minus the signal's number if it was killed on the way, after so many seconds."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps({**order, "kill_after": kill_after}) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())


@pytest.fixture(scope="module")
def trainings() -> Iterator[Trainings]:
    command = [sys.executable, Path(__file__).with_name("kill_server.py")]
    # Processes are forked from it, so it is to have no threads.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == "ready\n"
            yield Trainings(server)
        finally:
            server.kill()


def kill_and_compare(trainings: Trainings, kind: str, kills: int, tmp_path: Path) -> None:
    """Kills runs at random moments, so many times in all, and holds the end of each against that of its twin."""
    config, path = config_of(kind, tmp_path), str(config_file(kind, tmp_path))
    place = Path(config.game) / config.algorithm / "run"
    folder, twin = tmp_path / "killed" / place, tmp_path / "whole" / place
    assert trainings.run(load=kind) == 0
    began = time.monotonic()
    assert trainings.run(config=path, root=str(tmp_path / "whole")) == 0
    long = time.monotonic() - began
    draw = random.Random(kind)
    killed = 0
    while True:
        begun = (folder / "run.json").exists()
        order = {"resume": str(folder)} if begun else {"config": path, "root": str(tmp_path / "killed")}
        ended = trainings.run(draw.uniform(0, long / 2) if killed < kills else None, **order)
        assert ended in (0, -signal.SIGKILL)
        if ended == 0:
            assert_the_same(folder, twin)
            if killed == kills:
                return
        killed += ended != 0
        if ended == 0 or not (folder / "run.json").exists():  # killed before there was a run
            shutil.rmtree(tmp_path / "killed", ignore_errors=True)


QUICK = ["421-dqn-pool", "demi-iles-past"]
"""One of each algorithm; what every kind restores is held against its twin in test_resuming, without processes."""


@pytest.mark.parametrize("kind", [pytest.param(k, marks=[] if k in QUICK else pytest.mark.slow) for k in CONFIGS])
def test_a_few_kills(trainings, kind, tmp_path):
    kill_and_compare(trainings, kind, 3, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CONFIGS)
def test_many_kills(trainings, kind, tmp_path):
    kill_and_compare(trainings, kind, 25, tmp_path)
