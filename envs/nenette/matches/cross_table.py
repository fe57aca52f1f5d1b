"""Exact results of all pairs of policies, and ratings of their strength made from them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from nenette.exact import AnswerKey, answer_key
from nenette.exact.answers import Result
from nenette.exact.many.answers import ManyKey, many_key
from nenette.exact.model import Floats, is_pure
from nenette.games import Game
from nenette.games.quatre21 import Quatre21
from nenette.games.registry import other_rules
from nenette.matches.losses import LossKey, Sitting
from nenette.matches.ratings import elo_ratings, nash_averages
from nenette.matches.several import Met, alone_among
from nenette.policies.given import GivenPolicy, as_game, as_policy
from nenette.policies.players import GREEDY, SAMPLED, other_player
from nenette.policies.policy import Policy

__all__ = ["CrossTable", "OtherPlayer", "cross_table"]

Key = AnswerKey | ManyKey | LossKey
Seated = Floats | Sitting
"""A policy as a key of its game knows it: a behaviour, or in 421 for three somebody who is asked."""


@dataclass(frozen=True)
class OtherPlayer:
    """One of a table's networks, played the other way, against the others as they play.

    Attributes:
        policy: its name.
        plays: "sampled" where the table's plays "greedy", and the other way round.
        values: its expected return against each of the table's policies, its own other way included.
        wins: its probability of winning against each.
    """

    policy: str
    plays: str
    values: list[float]
    wins: list[float]


@dataclass(frozen=True)
class CrossTable:
    """Exact results of all pairs of policies of one game, over all seats equally often, and ratings made from them.

    They are those of the game as it is played: cut, and drawn, after `max_turns` turns, where the rules say so.

    With more than two players, policy i against j is i alone against j at all other seats, and `values[j][i]` says how
    j fares alone against i. Ratings are made from half the difference of the two, which is antisymmetric: of one seat
    of i and one of j, how much likelier i's is to win.

    Attributes:
        game: the game's name.
        players: how many play.
        max_turns: after how many turns of all together the game of this table is cut; None: it is not cut.
        policies: names, in the order of all lists below.
        values: `values[i][j]` is the expected return of policy i against j; 0 against itself, and with two players
            `-values[j][i]`.
        plays: which player each policy is: "greedy", always its likeliest action, or "sampled", by its probabilities.
        wins: `wins[i][j]` is the probability that i beats j; the rest of `1 - wins[i][j] - wins[j][i]` are draws, games
            that are cut or never end.
        mean_values: each policy's mean value against all the others.
        elo: see `nenette.matches.ratings.elo_ratings`.
        nash: each policy's share in the maximum-entropy equilibrium of the game of choosing a policy.
        nash_averages: each policy's value against that equilibrium: 0 for those in it, below 0 for the others.
        other_players: the same networks played the other way, which are not rated: see `OtherPlayer`.
        endless: the table of the game that is not cut, if it is cut at `max_turns`.
        rules: the rules, by field, in which the game differs from the default one of its name; `max_turns` is above.
    """

    game: str
    players: int
    max_turns: int | None
    policies: list[str]
    plays: list[str]
    values: list[list[float]]
    wins: list[list[float]]
    mean_values: list[float]
    elo: list[float]
    nash: list[float]
    nash_averages: list[float]
    other_players: list[OtherPlayer]
    endless: "CrossTable | None" = None
    rules: dict[str, Any] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """One JSON object."""
        return asdict(self)


def cross_table(
    policies: Sequence[GivenPolicy],
    game: Game[Any] | str,
    progress: Callable[[int], None] | None = None,
    *,
    both_players: bool = True,
) -> CrossTable:
    """Scores all pairs of `policies`.

    Args:
        policies: at least two, with distinct names: objects with `action_probabilities`, or what
            `nenette.load_opponent` takes.
        game: a game that is scored exactly here for its number of players, or its name for the default rules.
        progress: called with the number of pairs that have been scored.
        both_players: whether the other ways of playing the same networks are scored, too (`CrossTable.other_players`).

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
    key = _key(game)
    seated = [_seat(key, player) for player in players]
    others = _others(players, seated, key) if both_players else []
    endless = _table(game, names, seated, others, key, None, progress)
    cut = game.max_turns if isinstance(key, ManyKey) or (isinstance(key, AnswerKey) and key.can_be_cut) else None
    if cut is None:
        return endless
    return replace(_table(game, names, seated, others, key, cut, None), endless=endless)


def _key(game: Game[Any]) -> Key:
    if game.players == 2:
        return answer_key(game)
    return LossKey(game) if isinstance(game, Quatre21) else many_key(game)


def _seat(key: Key, policy: Policy) -> Seated:
    return key.sitting(policy) if isinstance(key, LossKey) else key.tabulate(policy.action_probabilities)


def _others(policies: Sequence[Policy], seated: Sequence[Seated], key: Key) -> list[tuple[str, Seated]]:
    """Names and behaviours of the networks that can be played another way, if it is another."""
    both = ((policy.name, other_player(policy), own) for policy, own in zip(policies, seated, strict=True))
    found = [(name, _seat(key, other), own) for name, other, own in both if other is not None]
    return [(name, other) for name, other, own in found if not _same(other, own)]


def _same(one: Seated, other: Seated) -> bool:
    return not isinstance(one, Sitting) and not isinstance(other, Sitting) and np.array_equal(one, other)


def _table(
    game: Game[Any],
    names: list[str],
    seated: Sequence[Seated],
    others: Sequence[tuple[str, Seated]],
    key: Key,
    max_turns: int | None,
    progress: Callable[[int], None] | None,
) -> CrossTable:
    values, wins = _results(seated, key, max_turns, progress)
    between = values if isinstance(key, AnswerKey) else (values - values.T) / 2
    nash, averages = nash_averages(between)
    met = [[_met(key, one, each, max_turns) for each in seated] for _, one in others]
    return CrossTable(
        game.name,
        game.players,
        max_turns,
        names,
        [_way(one) for one in seated],
        values.tolist(),
        wins.tolist(),
        (values.sum(axis=1) / (len(names) - 1)).tolist(),
        elo_ratings(names, between).tolist(),
        nash.tolist(),
        averages.tolist(),
        [
            OtherPlayer(name, _way(one), [r.value for r in results], [r.win for r in results])
            for (name, one), results in zip(others, met, strict=True)
        ],
        rules=other_rules(game),
    )


def _met(key: Key, player: Seated, other: Seated, max_turns: int | None) -> Result | Met:
    if isinstance(key, LossKey):
        assert isinstance(player, Sitting)
        assert isinstance(other, Sitting)
        return key.alone_among(player, other)
    assert not isinstance(player, Sitting)
    assert not isinstance(other, Sitting)
    if isinstance(key, AnswerKey):
        return key.result(player, other, max_turns=max_turns)
    return alone_among(key, player, other, max_turns=max_turns)


def _results(
    seated: Sequence[Seated], key: Key, max_turns: int | None, progress: Callable[[int], None] | None
) -> tuple[Floats, Floats]:
    n, done = len(seated), 0
    values, wins = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            if i == j and isinstance(key, LossKey):  # all play alike, and one of them loses
                wins[i, i] = 1.0 - 1.0 / key.game.players
            else:
                result = _met(key, seated[i], seated[j], max_turns)
                back = result if i == j or isinstance(key, AnswerKey) else _met(key, seated[j], seated[i], max_turns)
                wins[i, j], wins[j, i] = result.win, result.loss if isinstance(key, AnswerKey) else back.win
                if i != j:
                    values[i, j] = result.value
                    values[j, i] = -result.value if isinstance(key, AnswerKey) else back.value
            done += 1
            if progress is not None:
                progress(done)
    return values, wins


def _way(seated: Seated) -> str:
    if isinstance(seated, Sitting):
        return seated.plays
    return GREEDY if is_pure(seated) else SAMPLED
