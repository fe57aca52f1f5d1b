"""A benchmark from its suite to its results: what is there stays, what is missing is made, by whatever workers."""

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import yaml

from nenette.writing import replace_file
from nenette_agents.benchmark.display import Display
from nenette_agents.benchmark.one_run import Preparation, Run, Trained, made_with, prepare, train
from nenette_agents.benchmark.results import (
    MADE_WITH_FILE,
    RUN_FILE,
    SUITE_FILE,
    TASK_FILE,
    CurvePoint,
    MadeWith,
    Results,
    RunResult,
    TaskResult,
    load_results,
    read_result,
    read_run,
    run_folder,
)
from nenette_agents.benchmark.suite import Suite, load_suite
from nenette_agents.benchmark.workers import Call, Done, Workers
from nenette_agents.errors import ConfigError, RunError
from nenette_agents.learners.finding import check_settings, source_of
from nenette_agents.runs.folders import held

__all__ = ["TRACE_FILE", "InterruptedBenchmark", "run_benchmark"]

TRACE_FILE = "error.txt"
"""In the folder of a run that failed: where."""


class InterruptedBenchmark(KeyboardInterrupt):
    """Ctrl-C in the middle of a benchmark; what was finished is kept.

    Attributes:
        finished: how many of the runs that were asked for are finished.
        total: how many were asked for.
    """

    def __init__(self, finished: int, total: int) -> None:
        super().__init__()
        self.finished, self.total = finished, total


def run_benchmark(
    suite: Suite,
    runs: Path,
    workers: Workers,
    display: Display,
    *,
    seeds: Sequence[int],
    tasks: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    again: bool = False,
    jobs: int = 1,
) -> Results:
    """Runs what is missing of a benchmark, into the folder of the suite's name under `runs`.

    Runs that are finished stay as they are; those that failed begin again, and so does what was interrupted. A run that
    fails is recorded with its reason, and the others go on.

    Args:
        suite: what is to be run.
        runs: the folder in which benchmarks lie.
        workers: who does it.
        display: where it shows.
        seeds: of each learner in each task.
        tasks: of the suite, only these; None: all.
        learners: only these; a name or "module:object" that the suite does not have takes part besides. None: all.
        again: whether finished runs of other settings than the suite's are made anew, instead of refused.
        jobs: how many workers there are, for the record; 0: the cluster decides it.

    Raises:
        ConfigError: a task, a learner or a setting is not what it should be; nothing is run then.
        RunError: finished runs are of other settings, another process is at work in the folder, or a task's anchors
            cannot be worked out.
        InterruptedBenchmark: Ctrl-C.
        OSError: a file cannot be written.
    """
    asked = suite.only(tasks, learners)
    _check(asked)
    folder = runs / suite.name
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder):
        plan = _Plan(folder, asked, seeds)
        plan.look(again)
        _record_suite(folder, suite, asked)
        _record_making(folder, jobs, 0.0)
        keeper = _Keeper(folder, asked, display)
        began = time.monotonic()
        try:
            with display, closing(workers.work(plan.calls, display.tick)) as doing:  # type: ignore[type-var]
                display.begin(asked.name, [str(run) for run in plan.missing], plan.finished)
                for done in doing:
                    keeper.take(done)
        except KeyboardInterrupt:
            raise InterruptedBenchmark(plan.finished + keeper.finished, plan.total) from None
        finally:
            _record_making(folder, jobs, time.monotonic() - began)
        return load_results(folder)


def _check(suite: Suite) -> None:
    """Raises ConfigError if a learner cannot be found, or turns down its settings."""
    for (name, entry), (task_name, task) in product(suite.learners.items(), suite.tasks.items()):
        try:
            check_settings(
                entry.learner or name, entry.settings, task.played, tuple(task.opponents), task.total_timesteps
            )
        except ValueError as error:
            raise ConfigError(f"learner {name} in task {task_name}: {error}") from error


@dataclass
class _Plan:
    """What of a benchmark is there, and what is missing.

    Attributes:
        folder: of the benchmark.
        suite: what was asked for.
        seeds: of each learner in each task.
        preparations: tasks whose anchors are missing.
        missing: runs that are.
        finished: how many runs are there.
    """

    folder: Path
    suite: Suite
    seeds: Sequence[int]
    preparations: list[Preparation] = field(default_factory=list)
    missing: list[Run] = field(default_factory=list)
    finished: int = 0

    @property
    def total(self) -> int:
        """How many runs were asked for."""
        return self.finished + len(self.missing)

    @property
    def calls(self) -> list[Call]:
        """Anchors first: scores need them."""
        return [*(Call(prepare, one) for one in self.preparations), *(Call(train, one) for one in self.missing)]

    def look(self, again: bool) -> None:
        """Looks at what is there.

        Raises:
            RunError: a finished run is of other settings, and not `again`.
        """
        suite, changed = self.suite, list[str]()
        sources = {name: source_of(entry.learner or name) for name, entry in suite.learners.items()}
        for name, task in suite.tasks.items():
            job = Preparation(name, task, tuple(suite.baselines))
            known = _there(self.folder / name / TASK_FILE)
            if known is None or known.determined_by != job.determined_by:
                self.preparations.append(job)
        # One seed after the other: what is interrupted has whole seeds.
        for seed, (name, task), (learner, entry) in product(self.seeds, suite.tasks.items(), suite.learners.items()):
            run = Run(name, task, learner, entry, seed, suite.reports(name), sources[learner])
            folder = run_folder(self.folder, name, learner, seed)
            there = read_run(folder) if (folder / RUN_FILE).is_file() else None
            if there is None or there.status == "failed":
                self.missing.append(run)
            elif there.determined_by == run.determined_by:
                self.finished += 1
            else:
                changed.append(str(run))
                self.missing.append(run)
        if changed and not again:
            others = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            raise RunError(
                f"{self.folder / changed[0]}{others} was made by another task, learner, code of the learner or "
                "settings: --again makes it anew, and another name of the suite keeps both"
            )


def _there(path: Path) -> TaskResult | None:
    return read_result(path, TaskResult) if path.is_file() else None


class _Keeper:
    """Writes what workers bring into the benchmark's folder.

    Attributes:
        finished: how many runs have been finished.
    """

    def __init__(self, folder: Path, suite: Suite, display: Display) -> None:
        self.finished = 0
        self._folder, self._display = folder, display
        self._tasks = {name: _there(folder / name / TASK_FILE) for name in suite.tasks}
        self._early: list[tuple[Run, Trained]] = []
        """Runs that were over before their task's anchors were there."""

    def take(self, done: Done) -> None:
        """Keeps what came of a call.

        Raises:
            RunError: a task's anchors could not be worked out.
        """
        job = done.call.job
        if isinstance(job, Preparation):
            if done.lost is not None:
                raise RunError(f"the anchors of task {job.name} could not be worked out: {done.lost}")
            _write(self._folder / job.name / TASK_FILE, done.result)
            self._tasks[job.name] = done.result
            early, self._early = self._early, []
            for run, trained in early:
                self._keep(run, trained)
            return
        self._keep(job, done.result if done.lost is None else Trained(reason=done.lost))

    def _keep(self, run: Run, trained: Trained) -> None:
        task = self._tasks[run.task_name]
        if task is None:
            self._early.append((run, trained))
            return
        folder = run_folder(self._folder, run.task_name, run.learner_name, run.seed)
        _clear(folder, keep=trained.files)
        for name, content in trained.files.items():
            replace_file(folder / name, content)
        if trained.trace:
            replace_file(folder / TRACE_FILE, trained.trace.encode())
        result = _result(run, trained, task)
        _write(folder / RUN_FILE, result)
        if result.status == "finished":
            self.finished += 1
        self._display.ended(str(run), result.cpu_seconds, result.reason)


def _result(run: Run, trained: Trained, task: TaskResult) -> RunResult:
    curve = tuple(
        CurvePoint(timesteps=timesteps, raw=raw, score=task.anchors.score(raw)) for timesteps, raw in trained.curve
    )
    last = curve[-1] if trained.reason is None else None
    return RunResult(
        task=run.task_name,
        learner=run.learner_name,
        seed=run.seed,
        status="failed" if last is None else "finished",
        reason=trained.reason,
        raw=None if last is None else last.raw,
        score=None if last is None else last.score,
        curve=curve,
        settings=run.entry.settings,
        training_seconds=trained.seconds[0],
        evaluation_seconds=trained.seconds[1],
        training_cpu_seconds=trained.cpu_seconds[0],
        evaluation_cpu_seconds=trained.cpu_seconds[1],
        policy=Path() if trained.files else None,
        policy_reason=trained.policy_reason,
        rules_id=run.task.played.rules_id,
        determined_by=run.determined_by,
        made_with=trained.made_with or made_with(),
    )


def _clear(folder: Path, keep: Iterable[str]) -> None:
    """Makes the folder, and takes away what an earlier try left there: its result first."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (RUN_FILE, TRACE_FILE, *(path.name for path in folder.glob("policy.*"))):
        if name not in keep:
            (folder / name).unlink(missing_ok=True)


def _write(path: Path, result: RunResult | TaskResult | MadeWith) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, (result.model_dump_json(indent=2) + "\n").encode())


def _record_suite(folder: Path, suite: Suite, asked: Suite) -> None:
    """Writes the suite beside its results: all of it, and whoever took part besides, now or earlier."""
    path = folder / SUITE_FILE
    earlier = load_suite(path).learners if path.is_file() else {}
    whole = suite.model_copy(update={"learners": {**earlier, **suite.learners, **asked.learners}})
    text = yaml.safe_dump(whole.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    replace_file(path, text.encode())


def _record_making(folder: Path, jobs: int, seconds: float) -> None:
    path = folder / MADE_WITH_FILE
    before = read_result(path, MadeWith).seconds if path.is_file() else 0.0
    _write(path, made_with().model_copy(update={"jobs": jobs, "seconds": before + seconds}))
