"""What tells how well a task was learned: an agent's raw figure, and the two between which scores lie. All are exact.

- turns, of the solo game: the expected turns of four half games, on average. In each of them half of the scores count
  as stood on when it begins: 1 to 10, 11 to 20, the odd ones, the even ones. A game is given up after each turn with a
  chance of 1/1000, so that an agent that goes in circles has a figure, too. The whole game has 12.6 million states, and
  to ask an agent about all of them takes longer than to train it; half games have some 70,000.
- value: win less loss against the opponent, both seats counted equally, in the game as it is played: cut where the
  rules say so.
- exploitability: what a best response wins in that game. In the endless demi-iles this would be all or nothing.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from nenette.exact import AnswerKey, answer_key
from nenette.exact.model import Floats
from nenette.exact.solo.scores import solo_score
from nenette.games import Game
from nenette.games.demi_iles import DemiIlesSolo, SoloState
from nenette.games.identity import SameGame
from nenette.policies import load_opponent, policy_names
from nenette.policies.ask import ask
from nenette.policies.policy import Policy
from nenette_agents.benchmark.results import Anchors, Baseline
from nenette_agents.benchmark.suite import Task

__all__ = ["HALF_GAMES", "anchors_of", "baselines_of", "raw_figure"]

HALF_GAMES = tuple(
    sum(1 << (score - 1) for score in stood_on)
    for stood_on in (range(1, 11), range(11, 21), range(1, 21, 2), range(2, 21, 2))
)
"""The scores that count as stood on when each of the half games begins: bit s - 1 stands for score s."""


def raw_figure(policy: Policy, task: Task) -> float:
    """The raw figure of a policy in a task: turns, win less loss, or what a best response wins.

    Raises:
        ValueError: the policy's answers are no probabilities.
    """
    game = task.played
    if task.measure == "turns":
        return _turns(game, policy.action_probabilities)
    key = answer_key(game)
    play = key.tabulate(partial(ask, policy))
    if task.measure == "exploitability":
        return _best_response(key, play, game)
    return key.result(play, _opponent(SameGame.of(game), task.opponents[0]), max_turns=_cut(key, game)).value


def anchors_of(task: Task) -> Anchors:
    """The raw figures of `random` and of the best possible play.

    The best possible is the optimum in the solo game, what a best response gets against an opponent, and 0 where it is
    exploitability.
    """
    game = task.played
    random = raw_figure(load_opponent("random", game), task)
    if task.measure == "turns":
        best = raw_figure(load_opponent("optimal", game), task)
    elif task.measure == "exploitability":
        best = 0.0
    else:
        best = _best_response(answer_key(game), _opponent(SameGame.of(game), task.opponents[0]), game)
    return Anchors(random=random, best=best)


def baselines_of(name: str, task: Task, policies: list[str], anchors: Anchors) -> tuple[Baseline, ...]:
    """The scores of those policies that the task's game has."""
    game = task.played
    known = policy_names(game)
    found = [(policy, raw_figure(load_opponent(policy, game), task)) for policy in policies if policy in known]
    return tuple(Baseline(task=name, name=policy, raw=raw, score=anchors.score(raw)) for policy, raw in found)


def _turns(game: Game[Any], action_probabilities: Callable[..., Any]) -> float:
    assert isinstance(game, DemiIlesSolo)
    games = [solo_score(game, action_probabilities, SoloState(0, seen)).sampled for seen in HALF_GAMES]
    return float(np.mean([game.capped_turns for game in games]))


def _cut(key: AnswerKey, game: Game[Any]) -> int | None:
    """After how many turns the game of the figures is cut; None: it is not cut, or ends by itself."""
    return game.max_turns if key.can_be_cut else None


def _best_response(key: AnswerKey, play: Floats, game: Game[Any]) -> float:
    """What a best response to this play wins, both seats counted equally."""
    cut = _cut(key, game)
    return float(key.best_response_within(play, cut).mean()) if cut is not None else key.exploitability(play)


@lru_cache(maxsize=8)
def _opponent(same: SameGame, name: str) -> Floats:
    return answer_key(same.game).tabulate(partial(ask, load_opponent(name, same.game)))
