"""One run of a benchmark, or a task's anchors, as a worker does it: nothing here writes into the benchmark's folder."""

import hashlib
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nenette.games import Game
from nenette.policies.adapted import adapt
from nenette.policies.files import save_policy
from nenette.policies.network import NetworkPolicy
from nenette.policies.table import TablePolicy, save_table
from nenette_agents.benchmark.measures import anchors_of, baselines_of, raw_figure
from nenette_agents.benchmark.results import MadeWith, TaskResult
from nenette_agents.benchmark.suite import LearnerEntry, Task
from nenette_agents.errors import short
from nenette_agents.export import network_of
from nenette_agents.learners.finding import find_learner
from nenette_agents.learners.interface import Agent, LearningTask
from nenette_agents.learners.running import run_learner
from nenette_agents.runs.folders import versions

__all__ = ["Preparation", "Run", "Trained", "prepare", "processor", "train"]

_THREADS = 1


@dataclass(frozen=True)
class Preparation:
    """A task whose anchors and baselines are wanted.

    Attributes:
        name: the task's.
        task: what it is.
        baselines: names of policies.
    """

    name: str
    task: Task
    baselines: tuple[str, ...]

    @property
    def determined_by(self) -> str:
        """SHA-256 of all that determines the result."""
        return _hash({"task": _entry(self.task), "baselines": list(self.baselines)})


@dataclass(frozen=True)
class Run:
    """A learner in a task with a seed.

    Attributes:
        task_name: the task's name.
        task: what it is.
        learner_name: the learner's name in the suite.
        entry: the learner and its settings.
        seed: everything random follows from it.
        report_at: timesteps at which the agent is scored.
        source: SHA-256 of the file in which the learner stands; None: it is a registered one.
    """

    task_name: str
    task: Task
    learner_name: str
    entry: LearnerEntry
    seed: int
    report_at: tuple[int, ...]
    source: str | None = None

    @property
    def reference(self) -> str:
        """Where the learner is found."""
        return self.entry.learner or self.learner_name

    @property
    def determined_by(self) -> str:
        """SHA-256 of all that determines the run, but for versions and the processor."""
        determined = {
            "task": _entry(self.task),
            "learner": self.reference,
            "settings": self.entry.settings,
            "seed": self.seed,
            "report_at": list(self.report_at),
        }
        return _hash(determined if self.source is None else {**determined, "source": self.source})

    def __str__(self) -> str:
        return f"{self.task_name}/{self.learner_name}/seed-{self.seed}"


def _entry(task: Task) -> dict[str, Any]:
    return {**task.model_dump(mode="json"), "rules_id": task.played.rules_id}


def _hash(value: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@dataclass
class Trained:
    """What came of a run; it travels from a worker to whoever keeps the results.

    Attributes:
        reason: why it failed, in one sentence; None if it did not.
        trace: where it failed, for whoever wrote the learner.
        curve: timesteps and raw figures.
        seconds: of training and of evaluation, by the clock.
        cpu_seconds: the same of the processor.
        files: those of the policy, by name.
        policy_reason: why there are none.
        made_with: versions and processor of the worker.
    """

    reason: str | None = None
    trace: str = ""
    curve: list[tuple[int, float]] = field(default_factory=list)
    seconds: tuple[float, float] = (0.0, 0.0)
    cpu_seconds: tuple[float, float] = (0.0, 0.0)
    files: dict[str, bytes] = field(default_factory=dict)
    policy_reason: str | None = None
    made_with: MadeWith | None = None


def prepare(job: Preparation) -> TaskResult:
    """Works out a task's anchors and its baselines' scores.

    Raises:
        ValueError: an opponent cannot be had.
    """
    began = time.process_time()
    anchors = anchors_of(job.task)
    baselines = baselines_of(job.name, job.task, list(job.baselines), anchors)
    return TaskResult(
        task=job.name,
        anchors=anchors,
        baselines=baselines,
        cpu_seconds=time.process_time() - began,
        determined_by=job.determined_by,
    )


class _Clocks:
    """How long evaluation takes, and all together, by the clock and of the processor."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()
        self._evaluation = [0.0, 0.0]

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """What is done in here is evaluation."""
        began = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self._evaluation[0] += time.perf_counter() - began[0]
            self._evaluation[1] += time.process_time() - began[1]

    def read(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Seconds of training and of evaluation, by the clock and of the processor."""
        clock, cpu = time.perf_counter() - self._began[0], time.process_time() - self._began[1]
        return (clock - self._evaluation[0], self._evaluation[0]), (cpu - self._evaluation[1], self._evaluation[1])


def train(job: Run) -> Trained:
    """Lets the learner learn and scores it on the way; whatever goes wrong is told in the result."""
    done, clocks, game = Trained(), _Clocks(), job.task.played

    def score(timestep: int, agent: Agent) -> None:
        with clocks.evaluating():
            done.curve.append((timestep, raw_figure(adapt(agent, game), job.task)))

    def report(timestep: int, agent: Agent) -> None:
        if timestep < job.report_at[-1]:  # the last one is given back
            score(timestep, agent)

    try:
        with TemporaryDirectory(prefix="nenette-") as scratch:
            task = LearningTask(
                game=game,
                opponents=tuple(job.task.opponents),
                total_timesteps=job.task.total_timesteps,
                seed=job.seed,
                report_at=job.report_at,
                report=report,
                settings=job.entry.settings,
                folder=Path(scratch),
            )
            agent = run_learner(find_learner(job.reference), task, threads=_THREADS)
            score(job.report_at[-1], agent)
        done.files, done.policy_reason = _written_down(agent, game, job)
    except (Exception, SystemExit) as error:
        done.reason = f"{type(error).__name__}: {short(str(error), 500)}"
        done.trace = traceback.format_exc()
    done.seconds, done.cpu_seconds = clocks.read()
    done.made_with = made_with()
    return done


def _written_down(agent: Agent, game: Game[Any], job: Run) -> tuple[dict[str, bytes], str | None]:
    """The files of the agent's policy by name; or none, and why."""
    policy = adapt(agent, game)
    if not isinstance(policy, NetworkPolicy | TablePolicy):
        try:
            policy = network_of(agent, game, short(job.learner_name, 100))
        except ValueError as error:
            return {}, str(error)
    card = {"task": job.task_name, "learner": job.learner_name, "seed": job.seed, "versions": versions()}
    with TemporaryDirectory(prefix="nenette-") as folder:
        if isinstance(policy, TablePolicy):
            save_table(folder, policy, card)
        else:
            save_policy(folder, policy, card)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}, None


def made_with() -> MadeWith:
    """Versions and processor of this process."""
    return MadeWith(versions=versions(), processor=processor(), cores=os.cpu_count() or 1, threads=_THREADS)


def processor() -> str:
    """The processor's name, as the system tells it; "not known" where it does not."""
    if sys.platform == "linux":
        try:
            lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return short(value.strip())
    return platform.processor() or "not known"
