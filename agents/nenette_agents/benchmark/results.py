"""What a benchmark left behind, read back: its suite, its runs, its baselines and what it was made with.

    runs/<suite>/suite.yaml                           the suite, all defaults written out
    runs/<suite>/made_with.json                       versions, processor, threads, seconds
    runs/<suite>/<task>/task.json                     the task's anchors and its baselines' scores
    runs/<suite>/<task>/<learner>/seed-N/run.json     one run
    runs/<suite>/<task>/<learner>/seed-N/policy.*     its last policy, if it can be written down

A raw figure is what the task's measure says: turns, value or exploitability. A score is that figure on a scale on which
`random` is 0 and the best possible play is 1. It is not clipped: who plays worse than at random is below 0.
"""

from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from nenette_agents.benchmark.suite import Suite, load_suite
from nenette_agents.errors import RunError
from nenette_agents.runs.folders import read_json

__all__ = [
    "Anchors",
    "Baseline",
    "CurvePoint",
    "MadeWith",
    "Results",
    "RunResult",
    "TaskResult",
    "load_results",
    "run_folder",
]

SUITE_FILE, MADE_WITH_FILE, TASK_FILE, RUN_FILE = "suite.yaml", "made_with.json", "task.json", "run.json"
M = TypeVar("M", bound=BaseModel)


class _Result(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Anchors(_Result):
    """The two raw figures of a task between which scores lie.

    Attributes:
        random: of the policy `random`: score 0.
        best: of the best possible play: score 1.
    """

    random: float
    best: float

    def score(self, raw: float) -> float:
        """The score of a raw figure; not clipped."""
        return (raw - self.random) / (self.best - self.random) + 0.0  # no -0


class CurvePoint(_Result):
    """An agent at one moment of its training.

    Attributes:
        timesteps: decisions that it had learned from.
        raw: its exact raw figure then.
        score: the same on the task's scale.
    """

    timesteps: int
    raw: float
    score: float


class Baseline(_Result):
    """A policy that nobody trained, in a task.

    Attributes:
        task: the task's name.
        name: the policy's.
        raw: its exact raw figure.
        score: the same on the task's scale.
    """

    task: str
    name: str
    raw: float
    score: float


class MadeWith(_Result):
    """With what a run, or a benchmark, was made.

    Attributes:
        versions: of Python and of the packages on which results depend, and the processor's instruction set.
        processor: its name; "not known" where the system does not tell.
        cores: how many the system has.
        threads: of torch, in each run.
        jobs: how many runs there were at a time; 0 where a cluster decided it.
        seconds: by the clock, of all calls together.
    """

    versions: dict[str, str]
    processor: str
    cores: int
    threads: int = 1
    jobs: int = 1
    seconds: float = 0.0


class RunResult(_Result):
    """One learner in one task with one seed: what `run.json` says.

    Attributes:
        task: the task's name.
        learner: the learner's name in the suite.
        seed: everything random followed from it.
        status: "finished" or "failed".
        reason: why it failed, in one sentence; None if it did not.
        raw: the exact raw figure of the last agent; None if it failed.
        score: the same on the task's scale; None if it failed.
        curve: the agent on the way, the last one included; what there was until it failed.
        settings: the learner's, as the suite says.
        training_seconds: by the clock, without scoring.
        evaluation_seconds: by the clock, for scoring.
        training_cpu_seconds: the same of the processor.
        evaluation_cpu_seconds: the same of the processor.
        policy: the folder of its last policy, which `nenette.load_opponent` takes; None where there is none.
        policy_reason: why there is none, in one sentence; None where there is one.
        rules_id: of the game's rules.
        determined_by: SHA-256 of all that determines the run: the task, the learner, its settings and the seed.
        made_with: versions and processor.
    """

    task: str
    learner: str
    seed: int
    status: Literal["finished", "failed"]
    reason: str | None = None
    raw: float | None = None
    score: float | None = None
    curve: tuple[CurvePoint, ...] = ()
    settings: dict[str, Any] = {}
    training_seconds: float = 0.0
    evaluation_seconds: float = 0.0
    training_cpu_seconds: float = 0.0
    evaluation_cpu_seconds: float = 0.0
    policy: Path | None = None
    policy_reason: str | None = None
    rules_id: str
    determined_by: str
    made_with: MadeWith

    @property
    def cpu_seconds(self) -> float:
        """Seconds of the processor, for training and for scoring."""
        return self.training_cpu_seconds + self.evaluation_cpu_seconds


class TaskResult(_Result):
    """What is known of a task before anybody learns: what `task.json` says.

    Attributes:
        task: the task's name.
        anchors: the raw figures of the scores 0 and 1.
        baselines: the policies that nobody trained.
        cpu_seconds: of the processor, for working all this out.
        determined_by: SHA-256 of the task's entry and of the baselines' names.
    """

    task: str
    anchors: Anchors
    baselines: tuple[Baseline, ...]
    cpu_seconds: float
    determined_by: str


class Results(_Result):
    """A benchmark's results, as far as it has come.

    Attributes:
        folder: where they lie.
        suite: with those tasks and learners that were asked for.
        tasks: by name; those that have been begun.
        runs: of all tasks, learners and seeds in the suite's order, finished and failed ones.
        baselines: of all tasks.
        made_with: with what the last call worked, and how long all of them took.
    """

    folder: Path
    suite: Suite
    tasks: dict[str, TaskResult]
    runs: tuple[RunResult, ...]
    baselines: tuple[Baseline, ...]
    made_with: MadeWith

    def finished(self, task: str | None = None, learner: str | None = None) -> tuple[RunResult, ...]:
        """The finished runs of a task and of a learner; None: of all."""
        return tuple(
            run
            for run in self.runs
            if run.status == "finished" and task in (None, run.task) and learner in (None, run.learner)
        )


def run_folder(benchmark: Path, task: str, learner: str, seed: int) -> Path:
    """The folder of one run."""
    return benchmark / task / learner / f"seed-{seed}"


def read_result(path: Path, kind: type[M]) -> M:
    """What a file of results says.

    Raises:
        RunError: it cannot be read, or says something else; one sentence.
    """
    try:
        return kind.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise RunError(f"{path} is damaged: {where}: {first['msg']}") from None


def read_run(folder: Path) -> RunResult:
    """The run in a folder, its policy's place as it is on this machine.

    Raises:
        RunError: as `read_result`.
    """
    found = read_result(folder / RUN_FILE, RunResult)
    return found if found.policy is None else found.model_copy(update={"policy": folder})


def load_results(folder: str | Path) -> Results:
    """The results of the benchmark in a folder, such as runs/nenette-v1.

    Raises:
        RunError: there are none, or one of the files is damaged; one sentence.
        ConfigError: the suite is not what it should be.
    """
    folder = Path(folder)
    if not (folder / SUITE_FILE).is_file():
        there = sorted(path.parent for path in folder.glob(f"*/{SUITE_FILE}"))
        such = f"; there is one in {there[0]}" if there else ""
        raise RunError(f"{folder} holds no benchmark: there is no {SUITE_FILE} in it{such}")
    suite = load_suite(folder / SUITE_FILE)
    tasks = {
        task: read_result(folder / task / TASK_FILE, TaskResult)
        for task in suite.tasks
        if (folder / task / TASK_FILE).is_file()
    }
    runs = [
        read_run(path.parent)
        for task in suite.tasks
        for learner in suite.learners
        for path in sorted((folder / task / learner).glob(f"seed-*/{RUN_FILE}"), key=_seed)
    ]
    return Results(
        folder=folder,
        suite=suite,
        tasks=tasks,
        runs=tuple(runs),
        baselines=tuple(one for task in tasks.values() for one in task.baselines),
        made_with=read_result(folder / MADE_WITH_FILE, MadeWith),
    )


def _seed(path: Path) -> int:
    number = path.parent.name.removeprefix("seed-")
    return int(number) if number.isdecimal() else -1
