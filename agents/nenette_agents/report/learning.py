"""Learning curves of a board at step counts that all its runs have in common."""

from dataclasses import dataclass

import numpy as np

from nenette_agents.report.board import Board, BoardRun
from nenette_agents.statistics import Interval, area_under_curve, at_steps, estimate, interquartile_mean
from nenette_agents.statistics.aggregates import Floats

__all__ = ["Learning", "TaskCurves", "learning_of"]

RESAMPLES = 2000


@dataclass(frozen=True)
class TaskCurves:
    """Curves of one task.

    Attributes:
        steps: at which all runs of the task have a score, (n,).
        scores: for each learner (n_seeds, n).
    """

    steps: list[int]
    scores: dict[str, Floats]


@dataclass(frozen=True)
class Learning:
    """How scores rose as agents learned.

    Attributes:
        tasks: the curves of each task.
        shares: shares of the budget, (n,), at which all tasks together are shown.
        together: for each learner the interquartile mean over seeds and tasks at each share, with its interval.
        areas: for each learner the interquartile mean of the areas under its curves: of the mean score between the
            first and the last of the common steps.
    """

    tasks: dict[str, TaskCurves]
    shares: list[float]
    together: dict[str, list[Interval]]
    areas: dict[str, Interval]


def learning_of(board: Board, seeds: dict[str, list[int]]) -> Learning | None:
    """The curves of the learners in `seeds`, of these seeds; None where a task has no two steps in common.

    Args:
        board: its runs must all be there for these seeds.
        seeds: for each learner those of its seeds that are counted.
    """
    kept = [run for run in board.runs if run.seed in seeds.get(run.learner, ())]
    curves, areas = {}, {}
    for task in board.tasks:
        runs = [run for run in kept if run.task == task]
        steps = _common_steps(runs)
        if len(steps) < 2:
            return None
        curves[task] = TaskCurves(
            steps, {learner: _rows(runs, learner, seeds[learner], np.array(steps, dtype=float)) for learner in seeds}
        )
    budgets = {task: board.suite.tasks[task].total_timesteps for task in board.tasks}
    shares = _common_shares(budgets, curves)
    together = {}
    for learner in seeds:
        at_shares = [_at_shares(curves[task], learner, budgets[task], shares) for task in board.tasks]
        scores = np.stack(at_shares, axis=1)  # (n_seeds, n_tasks, n_shares)
        together[learner] = [
            estimate(scores[:, :, place], interquartile_mean, n_resamples=RESAMPLES) for place in range(len(shares))
        ]
        area = [
            [area_under_curve(curves[task].steps, row) for row in curves[task].scores[learner]] for task in board.tasks
        ]
        areas[learner] = estimate(np.array(area).T, interquartile_mean, n_resamples=RESAMPLES)
    return Learning(curves, shares, together, areas)


def _common_steps(runs: list[BoardRun]) -> list[int]:
    """Steps that lie within every run's curve: those at which runs were scored, and the ends of what is common."""
    if not runs or not all(run.curve for run in runs):
        return []
    first, last = max(run.curve[0][0] for run in runs), min(run.curve[-1][0] for run in runs)
    # Of learners that report at other steps, those of the one that reports most often.
    fullest = max(runs, key=lambda run: len(run.curve))
    inside = {step for step, _ in fullest.curve if first < step < last}
    return sorted({first, last} | inside) if first <= last else []


def _rows(runs: list[BoardRun], learner: str, seeds: list[int], steps: Floats) -> Floats:
    by_seed = {run.seed: run.curve for run in runs if run.learner == learner}
    curves = [np.array(by_seed[seed], dtype=np.float64) for seed in seeds]
    return np.stack([at_steps(curve[:, 0], curve[:, 1], steps) for curve in curves])


def _common_shares(budgets: dict[str, int], curves: dict[str, TaskCurves]) -> list[float]:
    """Shares of the budget that lie within the common steps of every task."""
    first = max(one.steps[0] / budgets[name] for name, one in curves.items())
    last = min(one.steps[-1] / budgets[name] for name, one in curves.items())
    longest = max(curves, key=lambda name: len(curves[name].steps))
    inside = {round(step / budgets[longest], 4) for step in curves[longest].steps}
    return sorted({first, last} | {share for share in inside if first < share < last})


def _at_shares(curves: TaskCurves, learner: str, budget: int, shares: list[float]) -> Floats:
    """A learner's scores of a task at shares of its budget, (n_seeds, n_shares)."""
    at = np.array(shares) * budget
    return np.stack([at_steps(curves.steps, row, at) for row in curves.scores[learner]])
