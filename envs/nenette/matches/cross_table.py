"""Everybody against everybody, exactly, and what that says about who is how strong."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import AnswerKey, answer_key
from nenette.games import Game
from nenette.matches.ratings import elo_ratings, nash_averages
from nenette.policies.given import GivenPolicy, as_game, as_policy
from nenette.policies.policy import Policy

__all__ = ["CrossTable", "cross_table"]


@dataclass(frozen=True)
class CrossTable:
    """Exact results of all pairs of policies of one game, over both seats equally often, and ratings made from them.

    Attributes:
        game: the game's name.
        policies: names, in the order of all lists below.
        values: values[i][j] is the expected return of policy i against j: -values[j][i], and 0 against itself.
        wins: wins[i][j] is the chance that i beats j; the rest of `1 - wins[i][j] - wins[j][i]` are draws, games
            that never end.
        mean_values: each policy's mean value against all the others.
        elo: see `nenette.matches.ratings.elo_ratings`.
        nash: each policy's share in the maximum-entropy equilibrium of the game of choosing a policy.
        nash_averages: each policy's value against that equilibrium: 0 for those in it, below 0 for the others.
    """

    game: str
    policies: list[str]
    values: list[list[float]]
    wins: list[list[float]]
    mean_values: list[float]
    elo: list[float]
    nash: list[float]
    nash_averages: list[float]

    def report(self) -> dict[str, Any]:
        """One JSON object."""
        return asdict(self)


def cross_table(
    policies: Sequence[GivenPolicy], game: Game[Any] | str, progress: Callable[[int], None] | None = None
) -> CrossTable:
    """Scores all pairs of `policies`.

    Args:
        policies: at least two, with distinct names: objects with `action_probabilities`, or what
            `nenette.load_opponent` takes.
        game: a two-player game that is solved here, or its name for the default rules.
        progress: called with the number of pairs that have been scored.

    Raises:
        ValueError: fewer than two policies, or two of one name.
        Unsolvable: the game is not one of those that are scored exactly.
    """
    game = as_game(game)
    players = [as_policy(policy, game) for policy in policies]
    names = [player.name for player in players]
    if len(names) < 2:
        raise ValueError(f"a table compares at least two policies, and {len(names)} was given")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"a table names each policy once, and {twice[0]!r} is there {names.count(twice[0])} times")
    values, wins = _results(players, answer_key(game), progress)
    nash, averages = nash_averages(values)
    return CrossTable(
        game.name,
        names,
        values.tolist(),
        wins.tolist(),
        (values.sum(axis=1) / (len(names) - 1)).tolist(),
        elo_ratings(names, values).tolist(),
        nash.tolist(),
        averages.tolist(),
    )


def _results(
    policies: Sequence[Policy], key: AnswerKey, progress: Callable[[int], None] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    behaviours = [key.tabulate(policy.action_probabilities) for policy in policies]
    n, done = len(policies), 0
    values, wins = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            result = key.result(behaviours[i], behaviours[j])
            wins[i, j], wins[j, i] = result.win, result.loss
            if i != j:
                values[i, j] = result.value
                values[j, i] = -result.value
            done += 1
            if progress is not None:
                progress(done)
    return values, wins
