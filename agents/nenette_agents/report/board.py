"""What a leaderboard rests on: every run's exact scores, as a JSON file from which its figures are worked out anew."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from nenette_agents.benchmark.results import MADE_WITH_FILE, Anchors, Baseline, MadeWith, Results
from nenette_agents.benchmark.suite import Suite, load_suite
from nenette_agents.config.files import shipped_suites
from nenette_agents.errors import RunError, shown
from nenette_agents.runs.folders import read_json
from nenette_agents.statistics.aggregates import Floats

__all__ = ["DIGITS", "FORMAT", "PUPIL", "Board", "BoardRun", "board_of", "read_board"]

FORMAT = 1
"""Raised when a board of before cannot be read any more."""
DIGITS = 9
"""Scores count to so many decimals: beyond them rounding would decide who of two equals is better."""

PUPIL = "distilled"
"""The learner that the solver teaches."""

Number = Annotated[float, Field(allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BoardRun(_Part):
    """A run: one task, one learner, one seed.

    Attributes:
        task: the task's name.
        learner: the learner's.
        seed: the seed.
        reason: why it failed; None: it did not, and has a score.
        raw: the exact raw figure of its last agent, see `nenette_agents.benchmark.results`.
        score: the same on the task's scale.
        curve: steps at which it was scored, and scores.
        training_seconds: processor time of the training.
        evaluation_seconds: processor time of the scoring.
    """

    task: str
    learner: str
    seed: int
    reason: str | None = None
    raw: Number | None = None
    score: Number | None = None
    curve: list[tuple[int, Number]] = []
    training_seconds: Number = 0.0
    evaluation_seconds: Number = 0.0


class Board(_Part):
    """All runs of a benchmark, and how they came about.

    Attributes:
        format: `FORMAT`.
        suite: what was asked for, with all defaults written out.
        anchors: for each task the raw figures that score 0 and 1.
        runs: of all learners, finished or failed.
        baselines: players that nobody trained.
        made_with: versions, processor and threads, and the time of all of it.
        command: what ran all of it.
        date: of the last call of the benchmark, YYYY-MM-DD, UTC.
    """

    format: Literal[1] = 1
    suite: Suite
    anchors: dict[str, Anchors]
    runs: list[BoardRun]
    baselines: list[Baseline]
    made_with: MadeWith
    command: str
    date: str

    @model_validator(mode="after")
    def _checked(self) -> Self:
        for task, anchors in self.anchors.items():
            if task not in self.suite.tasks:
                raise ValueError(f"the suite has no task {task!r}")
            if anchors.random == anchors.best:
                raise ValueError(f"{task}: the raw figures that are scores of 0 and 1 are {anchors.best} both")
        for learner in dict.fromkeys(run.learner for run in self.runs):
            if learner not in self.suite.learners:
                raise ValueError(f"the suite has no learner {learner!r}")
        for task in [*(run.task for run in self.runs), *(one.task for one in self.baselines)]:
            if task not in self.anchors:
                raise ValueError(f"there are no anchors of the task {task!r}")
        return self

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks that have anchors, in the suite's order."""
        return [task for task in self.suite.tasks if task in self.anchors]

    @property
    def learners(self) -> list[str]:
        """Names of the learners that have runs, in the suite's order."""
        return list(dict.fromkeys(run.learner for run in self.runs))

    @property
    def pupils(self) -> list[str]:
        """Names of the learners that the solver teaches: what they score is not learned from play."""
        return [name for name in self.learners if (self.suite.learners[name].learner or name) == PUPIL]

    def scores(self, learner: str) -> tuple[list[int], Floats]:
        """A learner's complete seeds, and its scores, float64 (n_seeds, n_tasks).

        A seed of which a task's run failed or is missing is left out: its row would be of other tasks than the others'.
        """
        found: dict[int, dict[str, float]] = {}
        for run in self.runs:
            if run.learner == learner and run.score is not None:
                found.setdefault(run.seed, {})[run.task] = run.score
        tasks = self.tasks
        seeds = sorted(seed for seed, of_seed in found.items() if all(task in of_seed for task in tasks))
        rows = [[round(found[seed][task], DIGITS) for task in tasks] for seed in seeds]
        return seeds, np.array(rows, dtype=np.float64).reshape(len(seeds), len(tasks))


def board_of(results: Results) -> Board:
    """The board of a benchmark, as far as that has come.

    Raises:
        RunError: it has no finished run.
    """
    finished = datetime.fromtimestamp((results.folder / MADE_WITH_FILE).stat().st_mtime, UTC)
    if not results.finished():
        raise RunError(f"{results.folder} has no finished run, and nothing to report")
    return Board(
        suite=results.suite,
        anchors={task: found.anchors for task, found in results.tasks.items()},
        runs=[
            BoardRun(
                task=run.task,
                learner=run.learner,
                seed=run.seed,
                reason=run.reason if run.status == "failed" else None,
                raw=run.raw,
                score=run.score,
                curve=[(point.timesteps, point.score) for point in run.curve],
                training_seconds=run.training_cpu_seconds,
                evaluation_seconds=run.evaluation_cpu_seconds,
            )
            for run in results.runs
        ],
        baselines=list(results.baselines),
        made_with=results.made_with,
        command=_command(results),
        date=finished.date().isoformat(),
    )


def _command(results: Results) -> str:
    """What runs the same: the suite by its name, with the seeds, the tasks and the learners that there are."""
    suite, shipped = results.suite, shipped_suites()
    whole = load_suite(shipped[suite.name]) if suite.name in shipped else suite
    seeds = sorted({run.seed for run in results.runs})
    shown = f"{seeds[0]}-{seeds[-1]}" if seeds == list(range(seeds[0], seeds[-1] + 1)) else ",".join(map(str, seeds))
    command = f"nenette benchmark {suite.name} --seeds {shown}"
    ran = {run.task for run in results.runs}
    if ran != set(whole.tasks):
        command += f" --tasks {','.join(task for task in suite.tasks if task in ran)}"
    learned = list(dict.fromkeys(run.learner for run in results.runs))
    if set(learned) != set(whole.learners):
        references = (name if name in whole.learners else suite.learners[name].learner or name for name in learned)
        command += f" --learners {','.join(references)}"
    return command + (f" --jobs {results.made_with.jobs}" if results.made_with.jobs else "")


def read_board(path: Path) -> Board:
    """A board from its file.

    Raises:
        RunError: it is not one; the sentence says where, and what was expected.
    """
    content = read_json(path)
    content.pop("statistics", None)
    try:
        return Board.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where, said = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
        if not where:
            raise RunError(f"{path}: {said}") from None
        raise RunError(f"{path}: {where}: {said.lower()}, given {shown(first['input'])}") from None
