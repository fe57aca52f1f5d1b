"""Who sits at the table in a report: for each game one policy of every learner, and the players that nobody trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nenette.games import Game
from nenette.policies import load_opponent, policy_names
from nenette.policies.policy import Masks, Observations, Policy, Probabilities
from nenette_agents.benchmark.results import Results, RunResult
from nenette_agents.errors import sentence_of

__all__ = ["PlayedGame", "Shown", "played_games"]


@dataclass
class Shown:
    """A policy under the name that the report calls it by.

    Attributes:
        name: a learner's or a baseline's; no two of a game have the same.
        policy: what plays.
        origin: the task and the seed that it comes from; "untrained" for a baseline.
        trained: whether it was trained.
    """

    name: str
    policy: Policy
    origin: str
    trained: bool

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """As the policy's own."""
        return self.policy.action_probabilities(observations, masks)


@dataclass(frozen=True)
class PlayedGame:
    """A game of the suite by its rules, with those who play it in the report.

    Attributes:
        title: the game, with the rules that are not its usual ones.
        game: the game.
        shown: learners first, in the suite's order.
        notes: who is not shown, and why, one sentence each.
    """

    title: str
    game: Game[Any]
    shown: tuple[Shown, ...]
    notes: tuple[str, ...]


def played_games(results: Results) -> list[PlayedGame]:
    """The suite's games, each once, in the order of their first tasks."""
    tasks: dict[str, list[str]] = {}
    for name, task in results.suite.tasks.items():
        tasks.setdefault(task.played.rules_id, []).append(name)
    return [_played(results, of_game) for of_game in tasks.values()]


def _played(results: Results, tasks: Sequence[str]) -> PlayedGame:
    """A game with its tasks; where there is self-play, with its policies, which are trained against nobody alone."""
    first = results.suite.tasks[tasks[0]]
    order = sorted(tasks, key=lambda name: not results.suite.tasks[name].self_play)
    shown, notes = [], []
    for learner in results.suite.learners:
        run = next(filter(None, (_middle(results.finished(task, learner)) for task in order)), None)
        if run is None:
            continue
        if run.policy is None:
            notes.append(f"{learner} is not shown: {run.policy_reason or 'it left no policy'}")
            continue
        try:
            policy = load_opponent(run.policy, first.played)
        except (ValueError, OSError) as error:
            notes.append(f"{learner} is not shown: {sentence_of(error)}")
            continue
        shown.append(Shown(learner, policy, f"{run.task}, seed {run.seed}", True))
    taken = {one.name for one in shown}
    known = policy_names(first.played)
    for name in results.suite.baselines:
        if name in known:
            label = f"{name} (untrained)" if name in taken else name
            shown.append(Shown(label, load_opponent(name, first.played), "untrained", False))
    rules = ", ".join(f"{field} {value}" for field, value in first.rules.items())
    title = f"{first.played.name} ({rules})" if rules else first.played.name
    return PlayedGame(title, first.played, tuple(shown), tuple(notes))


def _middle(runs: Sequence[RunResult]) -> RunResult | None:
    """The run of the middle score, of two the worse: the best one would flatter."""
    ranked = sorted(runs, key=lambda run: (run.score or 0.0, -run.seed))
    return ranked[(len(ranked) - 1) // 2] if ranked else None
