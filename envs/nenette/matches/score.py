"""How good is a policy? One function, one result type, whatever the game."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from nenette.exact import Unsolvable, answer_key
from nenette.games import Game
from nenette.matches.sampled import play
from nenette.policies.policy import Policy

__all__ = ["Score", "score"]

_CONFIDENCE = 1.959963984540054
"""Standard errors in half of a 95 % interval."""


@dataclass(frozen=True)
class Score:
    """What a policy achieves.

    Attributes:
        agent: the policy's name. game: the game's. against: the opponent's name, which sits at all other seats; None in
        a solo game. exact: whether the figures are exact but for rounding, or estimated from played games. win: chance
        of winning. All chances and values count every seat equally. draw: chance of a draw: exactly, that the game
        never ends; in played games, that it was cut. loss: chance of losing. value: expected return: +1 a win, -1 a
        loss (shared out among several losers); minus the turns in a solo game. value_by_seat: the value from each seat;
        seat 0 begins in demi-iles, and leads the first charge in exact 421. exploitability: what the best response wins
        against the policy, on average over the seats; None if unknown. exploitability_within_max_turns: likewise, where
        the game is cut after the rules' `max_turns`; None if it is not cut. regret: what the policy gives away at a
        decision, on average over those it meets; None if unknown. games: how many games were played for the figures;
        None if they are exact. half_width: half the width of the 95 % confidence interval of `value`; None if it is
        exact. turns: mean number of turns of a played game, those cut included; None if the figures are exact.
    """

    agent: str
    game: str
    against: str | None
    exact: bool
    win: float
    draw: float
    loss: float
    value: float
    value_by_seat: list[float]
    exploitability: float | None = None
    exploitability_within_max_turns: float | None = None
    regret: float | None = None
    games: int | None = None
    half_width: float | None = None
    turns: float | None = None

    def report(self) -> dict[str, Any]:
        """One JSON object."""
        return asdict(self)


def score(
    policy: Policy,
    game: Game[Any],
    against: Policy | None = None,
    *,
    games: int = 10_000,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Score:
    """Scores `policy` exactly where the game is solved, else from played games.

    Args:
        policy: who is scored.
        game: what is played.
        against: who sits at all other seats; None in a solo game.
        games: how many to play where the score is not exact, in all.
        seed: of the played games.
        progress: called now and then with the number of games that have ended, where games are played.

    Raises:
        ValueError: an opponent is missing, or one is given in a solo game.
    """
    if (game.players == 1) != (against is None):
        raise ValueError(
            f"{game.name} is played alone: it takes no opponent"
            if game.players == 1
            else f"{game.name} is scored against an opponent, and none was given"
        )
    if against is not None:
        try:
            key = answer_key(game)
        except Unsolvable:
            pass
        else:
            player, opponent = key.tabulate(policy.action_probabilities), key.tabulate(against.action_probabilities)
            result = key.result(player, opponent)
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
                key.exploitability(player),
                key.exploitability_within(player, game.max_turns) if key.can_be_cut and game.max_turns else None,
                key.regret(player, opponent),
            )
    return _sampled(policy, game, against, games, np.random.default_rng(seed), progress)


def _tell(progress: Callable[[int], None], before: int, ended: int) -> None:
    progress(before + ended)


def _sampled(
    policy: Policy,
    game: Game[Any],
    against: Policy | None,
    games: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None,
) -> Score:
    """Plays the same number of games from each seat; the interval treats the seats as strata."""
    each = -(-games // game.players)
    returns, turns, cuts = [], [], []
    for seat in range(game.players):
        table: list[Policy] = [policy if at == seat or against is None else against for at in range(game.players)]
        tell = None if progress is None else partial(_tell, progress, seat * each)
        played = play(game, table, each, rng, progress=tell)
        returns.append(played.returns[:, seat])
        turns.append(played.turns)
        cuts.append(played.cut)
    by_seat = np.array([r.mean() for r in returns])
    variance = np.array([r.var(ddof=1) / len(r) if len(r) > 1 else np.inf for r in returns]).sum() / game.players**2
    everything, cut = np.concatenate(returns), np.concatenate(cuts)
    finished = ~cut if game.players == 1 else everything > 0
    return Score(
        policy.name,
        game.name,
        against.name if against is not None else None,
        False,
        float(finished.mean()),
        float(cut.mean()),
        float((~finished & ~cut).mean()),
        float(by_seat.mean()),
        by_seat.tolist(),
        games=each * game.players,
        half_width=float(_CONFIDENCE * np.sqrt(variance)),
        turns=float(np.concatenate(turns).mean()),
    )
