"""The score of a policy: one function and one result type for all games."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from nenette.exact import AnswerKey, Unsolvable, answer_key
from nenette.exact.model import Floats, is_pure
from nenette.games import Game, spec_of
from nenette.games.demi_iles import DemiIlesSolo
from nenette.games.quatre21 import Quatre21
from nenette.matches.result import Endless, Score
from nenette.matches.sample import take_sample
from nenette.policies.ask import ask
from nenette.policies.given import GivenPolicy, as_game, as_policy
from nenette.policies.players import GREEDY, SAMPLED, other_player, plays
from nenette.policies.policy import Policy

__all__ = ["Endless", "Score", "score"]


def score(
    policy: GivenPolicy,
    game: Game[Any] | str,
    against: GivenPolicy | Sequence[GivenPolicy] | None = None,
    *,
    games: int = 10_000,
    seed: int = 0,
    exact: bool | None = None,
    both_players: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Score:
    """Scores `policy` exactly where the game is solved, else from played games.

    Args:
        policy: who is scored: any object with `action_probabilities`, or what `nenette.load_opponent` takes.
        game: what is played, or its name for the default rules.
        against: who sits at all other seats, in any form that `policy` may have, or as many as there are other seats;
            None in a solo game. With several others the policy sits at every seat, and they sit in every order, equally
            often.
        games: how many to play where the score is not exact, in all.
        seed: of the played games.
        exact: False plays even where the score could be exact: for agents that cannot be asked about every state, and
            for a quick look in the solo game, where that is up to 12.6 million of them. True never plays.
        both_players: whether an exact score also includes the other way of playing the same network
            (`Score.other_player`), which takes as long again.
        progress: called now and then with the number of games that have ended, where games are played.

    Raises:
        ValueError: an opponent is missing, one is given in a solo game, or a policy's probabilities are no
            distribution.
        Unsolvable: the score is to be exact, and the game is not solved.
    """
    game = as_game(game)
    policy = as_policy(policy, game)
    others = _others(against, game)
    if (game.players == 1) != (not others):
        raise ValueError(
            f"{game.name} is played alone: it takes no opponent"
            if game.players == 1
            else f"{game.name} is scored against an opponent, and none was given"
        )
    if game.players > 2:
        return _several(policy, game, others, games, seed, exact, both_players, progress)
    against = others[0] if others else None
    spec = spec_of(game)
    if exact is not False and spec is not None and spec.solo:
        return _solo(policy, game)  # type: ignore[arg-type] # it plays what that class says
    if exact is not False:
        try:
            key = answer_key(game)
        except Unsolvable:
            if exact:
                raise
        else:
            assert against is not None
            return _exact(policy, game, against, key, both_players)
    return _sampled(policy, game, against, games, np.random.default_rng(seed), progress)


def _others(against: GivenPolicy | Sequence[GivenPolicy] | None, game: Game[Any]) -> list[Policy]:
    """Who sits at each of the other seats."""
    if against is None or (not isinstance(against, str) and isinstance(against, Sequence) and not against):
        return []
    given = list(against) if not isinstance(against, str) and isinstance(against, Sequence) else [against]
    seats = game.players - 1
    if seats and len(given) not in (1, seats):
        raise ValueError(
            f"{game.name} with {game.players} players has {seats} other seat{'s' * (seats > 1)}: one opponent"
            f"{'' if seats == 1 else f' for all of them, or {seats},'} was expected, and {len(given)} were given"
        )
    known: dict[Any, Policy] = {}
    for one in given:
        known.setdefault(_key_of(one), as_policy(one, game))
    sitting = [known[_key_of(one)] for one in given]
    return sitting if len(sitting) == seats else sitting * seats or sitting


def _key_of(given: GivenPolicy) -> Any:
    return os.fspath(given) if isinstance(given, str | os.PathLike) else id(given)


def _several(
    policy: Policy,
    game: Game[Any],
    others: Sequence[Policy],
    games: int,
    seed: int,
    exact: bool | None,
    both: bool,
    progress: Callable[[int], None] | None,
) -> Score:
    from nenette.exact.many.answers import many_key  # games for two can do without
    from nenette.matches.charge_luck import charge_luck
    from nenette.matches.losses import score_losses
    from nenette.matches.several import score_exactly, score_from_games

    if exact is not False:
        try:
            if isinstance(game, Quatre21):
                return score_losses(policy, game, others, anybody=bool(exact), both=both)
            return score_exactly(policy, game, others, many_key(game), both=both)
        except Unsolvable:
            if exact:
                raise
    try:
        luck = charge_luck(game)
    except Unsolvable:
        luck = None
    return score_from_games(policy, game, others, games, np.random.default_rng(seed), progress, luck)


def _exact(policy: Policy, game: Game[Any], against: Policy, key: AnswerKey, both: bool) -> Score:
    """The exact score of a policy; if asked for and different, also that of its network played the other way."""
    opponent = key.tabulate(partial(ask, against))
    player = key.tabulate(partial(ask, policy))
    result = _exact_one(policy, game, against, key, player, opponent)
    other = other_player(policy) if both else None
    if other is None:
        return result
    others = key.tabulate(partial(ask, other))
    if np.array_equal(others, player):
        return result
    return replace(result, other_player=_exact_one(other, game, against, key, others, opponent))


def _exact_one(
    policy: Policy, game: Game[Any], against: Policy, key: AnswerKey, player: Floats, opponent: Floats
) -> Score:
    cut = game.max_turns if key.can_be_cut else None
    result = key.result(player, opponent, max_turns=cut)
    by_seat = _best_response_by_seat(key, player) if cut is None else key.best_response_within(player, cut).tolist()
    return Score(
        policy.name,
        game.name,
        against.name,
        True,
        result.win,
        result.draw,
        result.loss,
        result.value,
        [result.first, result.second],
        plays=GREEDY if is_pure(player) else SAMPLED,
        max_turns=cut,
        exploitability=float(np.mean(by_seat)),
        best_response_by_seat=by_seat,
        regret=key.regret(player, opponent),
        endless=None if cut is None else _endless(key, player, opponent),
    )


def _endless(key: AnswerKey, player: Floats, opponent: Floats) -> Endless:
    result, by_seat = key.result(player, opponent), _best_response_by_seat(key, player)
    return Endless(
        result.win,
        result.draw,
        result.loss,
        result.value,
        [result.first, result.second],
        float(np.mean(by_seat)),
        by_seat,
        key.n_rare(player),
    )


def _best_response_by_seat(key: AnswerKey, player: Floats) -> list[float]:
    by_seat: list[float] = key.best_response(player).values[key.model.start].tolist()
    return by_seat


def _solo(policy: Policy, game: DemiIlesSolo) -> Score:
    from nenette.exact.solo.scores import solo_score  # compiles what games for two can do without

    # One look at a network that plays by its probabilities is enough for both ways of playing it.
    other = other_player(policy)
    asked = other if other is not None and plays(other) == SAMPLED else policy
    found = solo_score(game, asked.action_probabilities)
    play = found.sampled if asked is policy else found.greedy
    value = None if play.turns is None else -play.turns
    return Score(
        policy.name,
        game.name,
        None,
        True,
        play.finishes,
        1.0 - play.finishes,
        0.0,
        value,
        [] if value is None else [value],
        plays=GREEDY if asked is not policy or found.sampled == found.greedy else SAMPLED,
        regret=play.regret,
        turns=play.turns,
        solo=found.report(),
    )


def _sampled(
    policy: Policy,
    game: Game[Any],
    against: Policy | None,
    games: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None,
) -> Score:
    sample = take_sample(policy, game, against, games, rng, progress)
    by_seat = [float(returns.mean()) for returns in sample.returns]
    everything, cut = np.concatenate(sample.returns), sample.cut
    finished = ~cut if game.players == 1 else everything > 0
    adjusted = sample.adjustments.get(sample.chosen or "")
    return Score(
        policy.name,
        game.name,
        against.name if against is not None else None,
        False,
        float(finished.mean()),
        float(cut.mean()),
        float((~finished & ~cut).mean()),
        float(np.mean(by_seat)),
        by_seat,
        plays=plays(policy),
        max_turns=game.max_turns,
        games=len(cut),
        half_width=sample.half_width,
        turns=float(sample.turns.mean()),
        adjusted_value=adjusted.value if adjusted else None,
        adjusted_half_width=adjusted.half_width if adjusted else None,
        variance_ratio=adjusted.variance_ratio if adjusted else None,
        adjusted_by=sample.chosen,
        adjustments=sample.adjustments or None,
    )
