"""A sample of games between two policies, from every seat, and what it says with and without the luck."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import AnswerKey, Unsolvable, answer_key
from nenette.exact.forecast import Forecast
from nenette.games import Game
from nenette.matches.luck import LuckMeter
from nenette.matches.observed import Observer
from nenette.matches.sampled import Played, Witness, play
from nenette.policies.policy import Policy

__all__ = ["MIXED", "OBSERVED", "OPTIMAL", "Adjustment", "Sample", "take_sample"]

Floats = NDArray[np.float64]

OPTIMAL, OBSERVED = "optimal play", "observed play"
MIXED = (f"{OBSERVED} against {OPTIMAL}", f"{OPTIMAL} against {OBSERVED}")
"""What the luck of a game is measured by: V for optimal play by both, for the play that was watched before, or for one
player's play of the one kind against the other's of the other."""

_CONFIDENCE = 1.959963984540054
"""Standard errors in half of a 95 % interval."""
_FEWEST = 10
"""Games from each seat from which play is learned, at least; with fewer, luck is measured by optimal play alone."""
_NOTHING = 1e-18
"""Variance that is rounding."""


@dataclass(frozen=True)
class Adjustment:
    """A mean result without the luck.

    Attributes:
        value: estimates the same expectation as the plain mean, without bias.
        half_width: half of its 95 % interval.
        variance_ratio: how many times as many games the plain mean would need for the same width; None where one of
            the two does not vary.
    """

    value: float
    half_width: float
    variance_ratio: float | None


@dataclass(frozen=True, eq=False)
class Sample:
    """Games of one policy against another, as many from each seat.

    Attributes:
        returns: one array a seat, float64 (games,): the policy's returns from there.
        turns: int64 (all games,), in the order of the returns, one seat after the other.
        cut: bool (all games,), likewise.
        adjustments: by what luck was measured by; empty where the game is not solved.
        chosen: which of them varied least in games that do not count for any; None where there is none.
    """

    returns: list[Floats]
    turns: NDArray[np.int64]
    cut: NDArray[np.bool_]
    adjustments: dict[str, Adjustment] = field(default_factory=dict)
    chosen: str | None = None

    @property
    def half_width(self) -> float:
        """Half of the plain mean's 95 % interval; seats are strata."""
        return _half_width(_variance(self.returns))


def take_sample(
    policy: Policy,
    game: Game[Any],
    against: Policy | None,
    games: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Sample:
    """Plays games and, where the game is solved, measures their luck.

    All games count for the plain mean. Of each seat's games the first tenth is watched to learn how the two play, and
    from the second tenth it is seen which V leaves least variance: that of play as it was watched, of optimal play, or
    of the one player's watched and the other's optimal. So V is fixed before the games that count for the adjusted
    means, the remaining ones, and those means are unbiased. They are given for optimal play and for the best V. The
    policies are asked only about states that the games come to.

    Args:
        policy: whose results are wanted.
        game: what is played.
        against: who sits at all other seats; None in a solo game.
        games: how many in all, rounded up to as many from each seat.
        rng: where dice and choices come from.
        progress: called now and then with the number of games that have ended.
    """
    each = -(-games // game.players)
    sitting = _Sitting(policy, game, against, rng, progress)
    key = _key(game)
    if key is None:
        for seat in range(game.players):
            sitting.play(seat, each)
        return sitting.sample()
    forecasts = {OPTIMAL: key.forecast(key.optimum, key.optimum, max_turns=game.max_turns)}
    tenth = each // 10
    chosen = OPTIMAL
    if tenth >= _FEWEST:
        observer = Observer(key)
        for seat in range(game.players):
            sitting.play(seat, tenth, observer.at_seat(seat))
        forecasts |= _forecasts_by_observation(key, observer, game.max_turns)
        tried = _adjusted(sitting, key, tenth, list(forecasts.values()))
        left = dict(zip(forecasts, map(_variance, tried[1:]), strict=True))
        chosen = min(left, key=left.__getitem__)
        forecasts = {name: forecasts[name] for name in dict.fromkeys((OPTIMAL, chosen))}
        each -= 2 * tenth
    plain, *adjusted = _adjusted(sitting, key, each, list(forecasts.values()))
    adjustments = {
        name: _adjustment(by_seat, _variance(plain)) for name, by_seat in zip(forecasts, adjusted, strict=True)
    }
    return sitting.sample(adjustments, chosen)


class _Sitting:
    """Plays from one seat after another and keeps what came of it."""

    def __init__(
        self,
        policy: Policy,
        game: Game[Any],
        against: Policy | None,
        rng: np.random.Generator,
        progress: Callable[[int], None] | None,
    ) -> None:
        self.policy, self.game, self.against, self.rng, self.progress = policy, game, against, rng, progress
        self.ended = 0
        self.played: list[tuple[int, Played]] = []

    def play(self, seat: int, games: int, witness: Witness | None = None) -> Floats:
        """The policy's returns from `seat`."""
        table = [self.policy if at == seat or self.against is None else self.against for at in range(self.game.players)]
        report = None if self.progress is None else partial(_tell, self.progress, self.ended)
        played = play(self.game, table, games, self.rng, progress=report, witness=witness)
        self.ended += games
        self.played.append((seat, played))
        return played.returns[:, seat]

    def sample(self, adjustments: dict[str, Adjustment] | None = None, chosen: str | None = None) -> Sample:
        played = sorted(self.played, key=lambda seated: seated[0])
        returns = [
            np.concatenate([games.returns[:, seat] for at, games in played if at == seat])
            for seat in range(self.game.players)
        ]
        turns = np.concatenate([games.turns for _, games in played])
        cut = np.concatenate([games.cut for _, games in played])
        return Sample(returns, turns, cut, adjustments or {}, chosen)


def _tell(progress: Callable[[int], None], before: int, ended: int) -> None:
    progress(before + ended)


def _key(game: Game[Any]) -> AnswerKey | None:
    try:
        return answer_key(game) if game.players == 2 else None
    except Unsolvable:
        return None


def _forecasts_by_observation(key: AnswerKey, observer: Observer, max_turns: int | None) -> dict[str, Forecast]:
    agent, opponent = observer.behaviour(0), observer.behaviour(1)
    pairs = {OBSERVED: (agent, opponent), MIXED[0]: (agent, key.optimum), MIXED[1]: (key.optimum, opponent)}
    return {name: key.forecast(*pair, max_turns=max_turns) for name, pair in pairs.items()}


def _adjusted(sitting: _Sitting, key: AnswerKey, each: int, forecasts: Sequence[Forecast]) -> list[list[Floats]]:
    """Returns of new games by seat: first as they are, then without the luck by each forecast."""
    results: list[list[Floats]] = [[] for _ in range(1 + len(forecasts))]
    for seat in range(sitting.game.players):
        meter = LuckMeter(key, seat, each, forecasts)
        returns = sitting.play(seat, each, meter)
        results[0].append(returns)
        for k in range(len(forecasts)):
            results[1 + k].append(returns - meter.luck[k] - meter.draws[k])
    return results


def _adjustment(by_seat: list[Floats], plain: float) -> Adjustment:
    variance = _variance(by_seat)
    value = float(np.mean([returns.mean() for returns in by_seat]))
    nothing = _NOTHING / len(by_seat[0])
    ratio = plain / variance if min(plain, variance) > nothing else None
    return Adjustment(value, _half_width(variance) if variance > nothing else 0.0, ratio)


def _variance(by_seat: list[Floats]) -> float:
    """The variance of the mean over seats of the means of their games; infinite where a seat has a single game."""
    of_means = [returns.var(ddof=1) / len(returns) if len(returns) > 1 else np.inf for returns in by_seat]
    return float(np.sum(of_means)) / len(by_seat) ** 2


def _half_width(variance: float) -> float:
    return float(_CONFIDENCE * np.sqrt(variance))
