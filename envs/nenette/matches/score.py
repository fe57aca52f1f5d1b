"""How good is a policy? One function, one result type, whatever the game."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from nenette.exact import AnswerKey, Unsolvable, answer_key
from nenette.exact.model import Floats, is_pure
from nenette.games import Game, spec_of
from nenette.games.demi_iles import DemiIlesSolo
from nenette.matches.sample import Adjustment, take_sample
from nenette.policies.ask import ask
from nenette.policies.given import GivenPolicy, as_game, as_policy
from nenette.policies.players import GREEDY, SAMPLED, other_player, plays
from nenette.policies.policy import Policy

__all__ = ["Endless", "Score", "score"]


@dataclass(frozen=True)
class Endless:
    """The exact figures of a game that is not cut, where `max_turns` cuts the one that is played.

    Attributes:
        win: probability of winning.
        draw: probability that the game never ends.
        loss: probability of losing.
        value: expected return, in units of a win (+1 a win, -1 a loss).
        value_by_seat: the value from each seat.
        exploitability: what the best response wins against the policy, on average over the seats. It can wait for a
            mistake for ever, so this is nearly all or nothing.
        best_response_by_seat: the same by the seat at which the best response sits.
        rare: how many action probabilities of the policy count as 0 in these figures, because they are below
            `nenette.exact.model.RARE`, 1e-9: the policy is scored as if it never took these actions.
    """

    win: float
    draw: float
    loss: float
    value: float
    value_by_seat: list[float]
    exploitability: float
    best_response_by_seat: list[float]
    rare: int


@dataclass(frozen=True)
class Score:
    """What a policy achieves, seats counted equally.

    The figures are those of the game as it is played: cut, and drawn, after `max_turns` turns, where the rules say so.
    What they would be if it were not cut stands in `endless`.

    Attributes:
        agent: the policy's name.
        game: the game's name.
        against: the name of the opponent, which sits at all other seats; None in a solo game.
        exact: whether the figures are exact but for rounding; if not, they are estimated from played games.
        plays: which player the figures are of. "greedy": it always takes one action, such as the likeliest one;
            "sampled": it draws actions by its probabilities; None: not known.
        max_turns: after how many turns of all players together the game of these figures is cut; None: it is not cut.
        win: probability of winning; in a solo game, of finishing.
        draw: probability of a draw: that the game is cut or, where it is not cut, that it never ends.
        loss: probability of losing.
        value: expected return: +1 a win, -1 a loss (shared out among several losers). In a solo game minus the turns,
            None if they are without bound.
        value_by_seat: the value from each seat. Seat 0 begins in demi-iles; in an exact score of 421 it leads the first
            charge.

        exploitability: what the best response wins against the policy, on average over the seats, in units of a win;
            None if it is not known.
        best_response_by_seat: the same by the seat at which the best response sits.
        regret: what the policy gives away at a decision, in units of a win (turns in a solo game). The mean is over all
            decisions that the policy meets in a game against the opponent; see `nenette.exact.AnswerKey.regret`. None
            if it is not known.
        turns: expected turns of the solo game, or the mean number of turns of played games, those cut included; None in
            exact scores of other games.
        endless: the figures of the game that is not cut, if it is cut at `max_turns`; None otherwise.
        other_player: the same score of the same network played the other way, "sampled" for "greedy" and the other way
            round. None where there is no other way, or it makes no difference.
        solo: what is known exactly of a policy in the solo game, both as it is and always taking its likeliest action
            (see `nenette.exact.solo.scores.SoloPlay`). The other figures are then those of the policy as it is, in the
            game that is not cut.

        games: how many games were played for the figures; None if they are exact.
        half_width: half the width of the 95 % confidence interval of `value`; None if it is exact.
        adjusted_value: another estimate of `value` without bias, from the played games with their luck taken out (see
            `nenette.matches.luck`); None if the score is exact or the game is not solved.
        adjusted_half_width: half the width of its 95 % confidence interval.
        variance_ratio: how many times as many games the plain mean takes to be as precise; None where one of the two
            does not vary.
        adjusted_by: what luck was measured by: whichever of "optimal play", "observed play" and mixtures of them left
            least variance in games played before.
        adjustments: the three adjusted figures by that, and by optimal play.
    """

    agent: str
    game: str
    against: str | None
    exact: bool
    win: float
    draw: float
    loss: float
    value: float | None
    value_by_seat: list[float]
    plays: str | None = None
    max_turns: int | None = None
    exploitability: float | None = None
    best_response_by_seat: list[float] | None = None
    regret: float | None = None
    turns: float | None = None
    endless: Endless | None = None
    other_player: "Score | None" = None
    solo: dict[str, Any] | None = None
    games: int | None = None
    half_width: float | None = None
    adjusted_value: float | None = None
    adjusted_half_width: float | None = None
    variance_ratio: float | None = None
    adjusted_by: str | None = None
    adjustments: dict[str, Adjustment] | None = None

    def report(self) -> dict[str, Any]:
        """One JSON object."""
        return asdict(self)


def score(
    policy: GivenPolicy,
    game: Game[Any] | str,
    against: GivenPolicy | None = None,
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
        against: who sits at all other seats, told as `policy` is; None in a solo game.
        games: how many to play where the score is not exact, in all.
        seed: of the played games.
        exact: False plays even where the score could be exact: for agents that cannot be asked about every state, and
            for a quick look in the solo game, where that is up to 12.6 million of them. True never plays.
        both_players: whether an exact score also tells of the other way of playing the same network
            (`Score.other_player`), which takes as long again.
        progress: called now and then with the number of games that have ended, where games are played.

    Raises:
        ValueError: an opponent is missing, one is given in a solo game, or a policy's probabilities are none.
        Unsolvable: the score is to be exact, and the game is not solved.
    """
    game = as_game(game)
    policy = as_policy(policy, game)
    against = None if against is None else as_policy(against, game)
    if (game.players == 1) != (against is None):
        raise ValueError(
            f"{game.name} is played alone: it takes no opponent"
            if game.players == 1
            else f"{game.name} is scored against an opponent, and none was given"
        )
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


def _exact(policy: Policy, game: Game[Any], against: Policy, key: AnswerKey, both: bool) -> Score:
    """Of a policy and, if that is asked for and makes a difference, of the same network played the other way."""
    opponent = key.tabulate(partial(ask, against))
    player = key.tabulate(partial(ask, policy))
    told = _exact_one(policy, game, against, key, player, opponent)
    other = other_player(policy) if both else None
    if other is None:
        return told
    others = key.tabulate(partial(ask, other))
    if np.array_equal(others, player):
        return told
    return replace(told, other_player=_exact_one(other, game, against, key, others, opponent))


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

    # One look at a network that plays by its probabilities tells of both ways of playing it.
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
