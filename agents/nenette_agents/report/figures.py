"""The figures of a leaderboard, worked out from the runs of its board and from nothing else."""

import json
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from nenette_agents.report.board import DIGITS, Board
from nenette_agents.report.learning import Learning, learning_of
from nenette_agents.statistics import (
    AGGREGATES,
    Interval,
    Profile,
    estimate,
    halves_agreement,
    paired_difference,
    performance_profile,
    probability_of_improvement,
    seeds_to_tell_apart,
)
from nenette_agents.statistics.aggregates import Floats

__all__ = ["FEWEST_FOR_HALVES", "RANKED_BY", "Comparison", "Figures", "LearnerFigures", "figures_of", "statistics_json"]

RANKED_BY = "interquartile mean"
FEWEST_FOR_HALVES = 10
"""Seeds from which on the two halves of them are compared."""
_RESAMPLES = 2000
"""Of what is computed for every pair of learners."""
_THRESHOLDS = 101
_LOWEST_THRESHOLD = -0.5


@dataclass(frozen=True)
class LearnerFigures:
    """A learner over its seeds.

    Attributes:
        name: the learner's, or an untrained player's.
        trained: whether it learns; one that does not has no seeds, and its figures no interval.
        seeds: those of which every task's run is finished; the others are left out.
        aggregates: figures over seeds and tasks, by the names of `AGGREGATES`; empty where no seed is complete.
        area: the area under its learning curves; None where there are no curves.
        seconds: processor time of one run, training and scoring, the median over all its finished runs.
    """

    name: str
    trained: bool
    seeds: list[int]
    aggregates: dict[str, Interval]
    area: Interval | None
    seconds: float | None


@dataclass(frozen=True)
class Comparison:
    """Two learners; the first is the one that is ranked higher.

    Attributes:
        first: its name.
        second: the other's.
        seeds: of that of the two which has fewer; with one the intervals say nothing.
        probability: that a run of the first scores more than one of the second on the same task.
        difference: by how much, with the seeds that both have; None where they have none in common.
        seeds_needed: of each, to tell their means apart; None: with no number of seeds, or not known from one seed.
    """

    first: str
    second: str
    seeds: int
    probability: Interval
    difference: Interval | None
    seeds_needed: int | None


@dataclass(frozen=True)
class Figures:
    """All that is shown of a board.

    Attributes:
        ranking: learners and complete baselines, the best first; those without a complete seed last.
        scores: for each learner and baseline, for each task that it was scored on, the score of every finished seed.
        comparisons: all pairs of learners.
        profiles: a performance profile for each learner.
        learning: the learning curves; None where runs were scored at their end alone.
        halves: Kendall's tau of the rankings by the two halves of the seeds that all learners have; None with fewer
            than `FEWEST_FOR_HALVES` of them.
        failed: what failed, one sentence each.
        training_seconds: processor time of all trainings.
        evaluation_seconds: processor time of all scoring.
    """

    ranking: list[LearnerFigures]
    scores: dict[str, dict[str, list[float]]]
    comparisons: list[Comparison]
    profiles: dict[str, Profile]
    learning: Learning | None
    halves: float | None
    failed: list[str]
    training_seconds: float
    evaluation_seconds: float

    @property
    def evaluation_share(self) -> float | None:
        """The part of the processor time that went into scoring; None where no time is known."""
        total = self.training_seconds + self.evaluation_seconds
        return self.evaluation_seconds / total if total else None

    @property
    def learners(self) -> list[LearnerFigures]:
        """Those that learn and have figures, the best first."""
        return [one for one in self.ranking if one.trained and one.aggregates]


def figures_of(board: Board) -> Figures:
    """The figures of a board; the same board has the same figures, on any machine but for rounding."""
    complete, seeds = {}, {}
    for learner in board.learners:
        found, scores = board.scores(learner)
        if found:
            seeds[learner], complete[learner] = found, scores
    learning = learning_of(board, seeds) if seeds else None
    ranked = [_learner(board, name, complete.get(name), seeds.get(name, []), learning) for name in board.learners]
    ranked += _baselines(board)
    ranked.sort(key=_rank)
    order = [one.name for one in ranked if one.name in complete]
    failed = [
        f"{run.learner} on {run.task}, seed {run.seed}: {run.reason}" for run in board.runs if run.reason is not None
    ]
    return Figures(
        ranked,
        _all_scores(board),
        [_compared(first, second, complete, seeds) for first, second in combinations(order, 2)],
        _profiles({name: complete[name] for name in order}),
        learning,
        _halves([complete[name] for name in order], [seeds[name] for name in order]),
        failed,
        sum(run.training_seconds for run in board.runs),
        sum(run.evaluation_seconds for run in board.runs),
    )


def statistics_json(figures: Figures) -> dict[str, Any]:
    """What of the figures is kept in a board's file, as JSON has it: lists in place of tuples."""
    content = {
        "ranking": [asdict(one) for one in figures.ranking],
        "comparisons": [asdict(one) for one in figures.comparisons],
        "halves": figures.halves,
        "evaluation_share": figures.evaluation_share,
    }
    plain: dict[str, Any] = json.loads(json.dumps(content))
    return plain


def _learner(
    board: Board, name: str, scores: Floats | None, seeds: list[int], learning: Learning | None
) -> LearnerFigures:
    spent = [
        run.training_seconds + run.evaluation_seconds
        for run in board.runs
        if run.learner == name and run.score is not None
    ]
    aggregates = {} if scores is None else {title: estimate(scores, one) for title, one in AGGREGATES.items()}
    area = learning.areas.get(name) if learning else None
    return LearnerFigures(name, True, seeds, aggregates, area, median(spent) if spent else None)


def _baselines(board: Board) -> list[LearnerFigures]:
    """Those that were scored on every task, so that their figures are of the same tasks as the learners'."""
    by_name: dict[str, dict[str, float]] = {}
    for one in board.baselines:
        by_name.setdefault(one.name, {})[one.task] = round(one.score, DIGITS)
    found = []
    for name, scores in by_name.items():
        if all(task in scores for task in board.tasks):
            row = np.array([[scores[task] for task in board.tasks]])
            exact = {title: float(one(row)) for title, one in AGGREGATES.items()}
            figures = {title: Interval(value, value, value) for title, value in exact.items()}
            found.append(LearnerFigures(name, False, [], figures, None, None))
    return found


def _rank(one: LearnerFigures) -> tuple[float, float, str]:
    """Those without figures come last; of equals the one with the higher mean comes first, then by name."""
    if not one.aggregates:
        return (float("inf"), 0.0, one.name)
    return (-one.aggregates[RANKED_BY].value, -one.aggregates["mean"].value, one.name)


def _all_scores(board: Board) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {}
    for run in board.runs:
        if run.score is not None:
            found.setdefault(run.learner, {}).setdefault(run.task, []).append(round(run.score, DIGITS))
    for one in board.baselines:
        found.setdefault(one.name, {}).setdefault(one.task, []).append(round(one.score, DIGITS))
    return found


def _compared(first: str, second: str, scores: dict[str, Floats], seeds: dict[str, list[int]]) -> Comparison:
    ours, theirs = scores[first], scores[second]
    both = sorted(set(seeds[first]) & set(seeds[second]))
    difference = None
    if both:
        rows = [[seeds[name].index(seed) for seed in both] for name in (first, second)]
        difference = paired_difference(ours[rows[0]], theirs[rows[1]], n_resamples=_RESAMPLES).mean
    fewest = min(len(ours), len(theirs))
    return Comparison(
        first,
        second,
        fewest,
        probability_of_improvement(ours, theirs, n_resamples=_RESAMPLES),
        difference,
        seeds_to_tell_apart(ours, theirs) if fewest > 1 else None,
    )


def _profiles(scores: dict[str, Floats]) -> dict[str, Profile]:
    if not scores:
        return {}
    low = min(0.0, *(float(one.min()) for one in scores.values())) if scores else 0.0
    # A single run far below the random player must not squeeze all others into a corner.
    at = np.linspace(max(low, _LOWEST_THRESHOLD) - 0.05, 1.05, _THRESHOLDS)
    return {name: performance_profile(one, at, n_resamples=_RESAMPLES) for name, one in scores.items()}


def _halves(scores: list[Floats], seeds: list[list[int]]) -> float | None:
    if len(scores) < 2:
        return None
    common = sorted(set.intersection(*(set(own) for own in seeds)))
    if len(common) < FEWEST_FOR_HALVES:
        return None
    return halves_agreement([one[[own.index(seed) for seed in common]] for one, own in zip(scores, seeds, strict=True)])
