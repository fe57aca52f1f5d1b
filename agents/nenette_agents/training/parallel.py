"""Several trainings side by side, a process each."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from rich.console import Console

from nenette_agents.errors import RunError

__all__ = ["ONE_CORE", "InterruptedTrainings", "Job", "run_trainings"]

ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""The environment of a process that takes one core: two trainings on two cores must not fight over them."""

_INTERRUPTED = 130


@dataclass(frozen=True)
class Job:
    """One `nenette train`.

    Attributes:
        config: the YAML file.
        seed: in place of the config's; None keeps that.
        overrides: "key=value", as after --set.
        name: the run's; None: as `nenette train` names it.
        resume: the folder of a run that was stopped, which goes on; the other settings are then its own.
    """

    config: Path
    seed: int | None = None
    overrides: Sequence[str] = ()
    name: str | None = None
    resume: Path | None = None

    def arguments(self, runs: Path) -> list[str]:
        """The arguments of the command line after `nenette train`."""
        if self.resume is not None:
            return ["--resume", str(self.resume), "--json"]
        options = [str(self.config), "--runs", str(runs), "--json"]
        if self.seed is not None:
            options += ["--seed", str(self.seed)]
        if self.name is not None:
            options += ["--name", self.name]
        return [*options, *(word for override in self.overrides for word in ("--set", override))]


class InterruptedTrainings(KeyboardInterrupt):
    """Ctrl-C in the middle of several trainings.

    Attributes:
        reports: what those printed that had begun, finished or not, in the order of the jobs.
    """

    def __init__(self, reports: list[dict[str, Any]]) -> None:
        super().__init__()
        self.reports = reports


@dataclass
class _Training:
    """One process of `nenette train`; what it prints on stderr is passed on line by line."""

    job: Job
    process: "subprocess.Popen[str]"
    listener: Thread

    @classmethod
    def start(cls, job: Job, runs: Path, console: Console) -> "_Training":
        command = [sys.executable, "-m", "nenette_agents", "train", *job.arguments(runs)]
        environment = {**os.environ, **ONE_CORE}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

        def listen() -> None:
            assert process.stderr is not None
            for line in process.stderr:
                console.print(line.rstrip(), soft_wrap=True, highlight=False, markup=False)

        listener = Thread(target=listen, daemon=True)
        listener.start()
        return cls(job, process, listener)

    def outcome(self) -> dict[str, Any]:
        """What the training printed, once it is over; it may have been interrupted.

        Raises:
            RunError: it failed.
        """
        assert self.process.stdout is not None
        with self.process:
            printed = self.process.stdout.read()
            self.listener.join()
        if self.process.returncode not in (0, _INTERRUPTED) or not printed:
            raise RunError(f"training {self.job.config} ended with exit code {self.process.returncode}")
        found: dict[str, Any] = json.loads(printed)
        return found


def run_trainings(
    jobs: Sequence[Job], runs: Path, *, at_a_time: int, ended: Callable[[Job], None] | None = None
) -> list[dict[str, Any]]:
    """Trains as each job says, `at_a_time` of them in parallel; their outcomes in the order of the jobs.

    Args:
        jobs: what to train.
        runs: the folder in which the runs are to lie.
        at_a_time: how many processes.
        ended: called with each job as soon as it is finished.

    Raises:
        RunError: a training failed; the others are stopped.
        InterruptedTrainings: Ctrl-C, or a training was interrupted; the others are stopped, and keep what they have.
    """
    console = Console(stderr=True)
    waiting, running, outcomes = list(enumerate(jobs)), list[tuple[int, _Training]](), dict[int, dict[str, Any]]()
    try:
        while waiting or running:
            while waiting and len(running) < at_a_time:
                place, job = waiting.pop(0)
                running.append((place, _Training.start(job, runs, console)))
            for place, training in [one for one in running if one[1].process.poll() is not None]:
                running.remove((place, training))
                outcomes[place] = training.outcome()
                if outcomes[place]["status"] != "finished":
                    raise KeyboardInterrupt
                if ended is not None:
                    ended(training.job)
            time.sleep(0.1)
    except KeyboardInterrupt:
        for _, training in running:
            training.process.terminate()
        for place, training in running:
            with suppress(RunError):  # one that had not begun
                outcomes[place] = training.outcome()
        running.clear()
        raise InterruptedTrainings([outcomes[place] for place in sorted(outcomes)]) from None
    finally:
        for _, training in running:
            with training.process:
                training.process.terminate()
                training.listener.join()
    return [outcomes[place] for place in range(len(jobs))]
