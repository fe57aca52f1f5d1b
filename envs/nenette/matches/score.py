"""How good is a policy? One function, one result type, whatever the game."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from nenette.exact import Unsolvable, answer_key
from nenette.games import Game, spec_of
from nenette.games.demi_iles import DemiIlesSolo
from nenette.matches.sample import Adjustment, take_sample
from nenette.policies.ask import ask
from nenette.policies.given import GivenPolicy, as_game, as_policy
from nenette.policies.policy import Policy

__all__ = ["Score", "score"]


@dataclass(frozen=True)
class Score:
    """What a policy achieves.

    Attributes:
        agent: the policy's name. game: the game's. against: the opponent's name, which sits at all other seats; None in
        a solo game. exact: whether the figures are exact but for rounding, or estimated from played games. win: chance
        of winning. All chances and values count every seat equally. draw: chance of a draw: exactly, that the game
        never ends; in played games, that it was cut. loss: chance of losing. value: expected return: +1 a win, -1 a
        loss (shared out among several losers); minus the turns in a solo game, None if they are without bound.
        value_by_seat: the value from each seat; seat 0 begins in demi-iles, and leads the first charge in exact 421.
        exploitability: what the best response wins against the policy, on average over the seats; None if unknown.
        best_response_by_seat: the same by the seat at which the best response sits. exploitability_within_max_turns:
        likewise, where the game is cut after the rules' `max_turns`; None if it is not cut. regret: what the policy
        gives away at a decision, on average over those it meets; None if unknown. games: how many games were played for
        the figures; None if they are exact. half_width: half the width of the 95 % confidence interval of `value`; None
        if it is exact. turns: mean number of turns of a played game, those cut included; if the figures are exact, the
        solo game's expected turns, and None with others. adjusted_value: estimates `value` without bias from played
        games whose luck has been taken out (see `nenette.matches.luck`); None if it is exact or the game is not solved.
        adjusted_half_width: half the width of its 95 % confidence interval. variance_ratio: how many times as many
        games the plain mean takes to be as precise; None where one of the two does not vary. adjusted_by: what luck was
        measured by: whichever of "optimal play", "observed play" and mixtures of them left least variance in games
        played before. adjustments: the same three figures by that, and by optimal play. solo: what is known exactly of
        a policy in the solo game, as it is and when it always takes its likeliest action (see
        `nenette.exact.solo_score.SoloPlay`); the other figures are then those of the policy as it is, and of the game
        that is not cut.
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
    exploitability: float | None = None
    exploitability_within_max_turns: float | None = None
    regret: float | None = None
    games: int | None = None
    half_width: float | None = None
    turns: float | None = None
    best_response_by_seat: list[float] | None = None
    adjusted_value: float | None = None
    adjusted_half_width: float | None = None
    variance_ratio: float | None = None
    adjusted_by: str | None = None
    adjustments: dict[str, Adjustment] | None = None
    solo: dict[str, Any] | None = None

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
        progress: called now and then with the number of games that have ended, where games are played.

    Raises:
        ValueError: an opponent is missing, one is given in a solo game, or a policy's odds are none.
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
            player, opponent = key.tabulate(partial(ask, policy)), key.tabulate(partial(ask, against))
            result = key.result(player, opponent)
            against_it = key.best_response(player).values[key.model.start]
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
                float(against_it.mean()),
                key.exploitability_within(player, game.max_turns) if key.can_be_cut and game.max_turns else None,
                key.regret(player, opponent),
                best_response_by_seat=against_it.tolist(),
            )
    return _sampled(policy, game, against, games, np.random.default_rng(seed), progress)


def _solo(policy: Policy, game: DemiIlesSolo) -> Score:
    from nenette.exact.solo.scores import solo_score  # compiles what games for two can do without

    found = solo_score(game, policy.action_probabilities)
    play = found.sampled
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
        games=len(cut),
        half_width=sample.half_width,
        turns=float(sample.turns.mean()),
        adjusted_value=adjusted.value if adjusted else None,
        adjusted_half_width=adjusted.half_width if adjusted else None,
        variance_ratio=adjusted.variance_ratio if adjusted else None,
        adjusted_by=sample.chosen,
        adjustments=sample.adjustments or None,
    )
