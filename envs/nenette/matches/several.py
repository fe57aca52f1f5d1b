"""Scores at a table of three and more: one policy among several others, from every seat and in every order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.exact.many.answers import ManyKey, turned
from nenette.exact.model import Floats, is_pure
from nenette.games import Game
from nenette.matches.charge_luck import MEASURED_BY, ChargeLuck
from nenette.matches.result import Endless, Score
from nenette.matches.sampled import play
from nenette.policies.ask import ask
from nenette.policies.players import GREEDY, SAMPLED, other_player
from nenette.policies.policy import Policy

__all__ = ["Met", "alone_among", "names_of", "orders_of", "score_exactly", "score_from_games"]

_CONFIDENCE = 1.959963984540054
"""Standard errors in half of a 95 % interval."""


def orders_of(others: Sequence[Policy]) -> list[tuple[Policy, ...]]:
    """All orders in which others may sit after the policy, those that are alike once."""
    return list({tuple(map(id, order)): order for order in permutations(others)}.values())


def names_of(others: Sequence[Policy]) -> str:
    """One name if all are the same, else all of them."""
    return ", ".join(dict.fromkeys(other.name for other in others))


def score_exactly(policy: Policy, game: Game[Any], others: Sequence[Policy], key: ManyKey, *, both: bool) -> Score:
    """The exact score of `policy`, from every seat equally often and with the others in every order equally often.

    Args:
        policy: who is scored.
        game: what is played.
        others: who sits at the other seats.
        key: the game's.
        both: whether to score the same network played the other way, too.
    """
    tables = {id(other): key.tabulate(partial(ask, other)) for other in others}
    orders = [[tables[id(other)] for other in order] for order in orders_of(others)]
    player = tables.get(id(policy))
    player = key.tabulate(partial(ask, policy)) if player is None else player
    result = _exactly(policy, game, others, key, player, orders)
    other = other_player(policy) if both else None
    if other is None:
        return result
    differently = key.tabulate(partial(ask, other))
    if np.array_equal(differently, player):
        return result
    return replace(result, other_player=_exactly(other, game, others, key, differently, orders))


def _exactly(
    policy: Policy, game: Game[Any], others: Sequence[Policy], key: ManyKey, player: Floats, orders: list[list[Floats]]
) -> Score:
    n, cut = game.players, game.max_turns
    endless = _endless(key, player, orders)
    if cut is None:
        figures, by_seat, responses = _figures(endless)
        last = None
    else:
        standings = [
            [key.standing_within(turned([player, *order], seat), cut) for seat in range(n)] for order in orders
        ]
        chances = np.mean([[(one.wins[s], one.never) for s, one in enumerate(row)] for row in standings], axis=0)
        figures, by_seat = _outcomes(chances)
        responses = key.best_values_within([player] * n, cut)
        last = endless
    return Score(
        policy.name,
        game.name,
        names_of(others),
        True,
        *figures,
        by_seat,
        plays=GREEDY if is_pure(player) else SAMPLED,
        max_turns=cut,
        exploitability=float(np.mean(responses)),
        best_response_by_seat=responses,
        endless=last,
    )


def _figures(endless: Endless) -> tuple[tuple[float, float, float, float], list[float], list[float]]:
    figures = (endless.win, endless.draw, endless.loss, endless.value)
    return figures, endless.value_by_seat, endless.best_response_by_seat


def _endless(key: ManyKey, player: Floats, orders: list[list[Floats]]) -> Endless:
    chances = np.mean([key.seat_by_seat([player, *order]) for order in orders], axis=0)
    figures, by_seat = _outcomes(chances)
    responses = key.best_values([player] * key.model.players)
    rare = int(key.model.rare(player).sum())
    return Endless(*figures, by_seat, float(np.mean(responses)), responses, rare)


def _outcomes(chances: Floats) -> tuple[tuple[float, float, float, float], list[float]]:
    """Win, draw, loss and value, and the value by seat, from chances of winning and of no winner, (players, 2)."""
    won, nobody = chances.T
    lost = (1.0 - won - nobody).clip(min=0.0)
    values = won - lost / (len(chances) - 1)
    means = (float(won.mean()), float(nobody.mean()), float(lost.mean()), float(values.mean()))
    return means, values.tolist()


class Met(NamedTuple):
    """How one policy fares against others, over all seats: its probabilities and its expected return."""

    win: float
    draw: float
    loss: float
    value: float


def alone_among(key: ManyKey, player: Floats, other: Floats, *, max_turns: int | None) -> Met:
    """How `player` fares where `other` sits at all other seats, from every seat equally often; both are behaviours.

    Args:
        key: the game's.
        player: who is alone.
        other: all others.
        max_turns: after how many turns of all the game is cut; None: it is not cut.
    """
    n = key.model.players
    table = [player, *[other] * (n - 1)]
    if max_turns is None:
        chances = key.seat_by_seat(table)
    else:
        standings = [key.standing_within(turned(table, seat), max_turns) for seat in range(n)]
        chances = [(one.wins[seat], one.never) for seat, one in enumerate(standings)]
    return Met(*_outcomes(np.array(chances))[0])


def score_from_games(
    policy: Policy,
    game: Game[Any],
    others: Sequence[Policy],
    games: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
    luck: Callable[[int], ChargeLuck] | None = None,
) -> Score:
    """An estimate from games played, as many from every seat and with the others in every order.

    `luck` makes what measures a seat's luck, if something does.
    """
    seatings = [(seat, turned([policy, *order], seat)) for order in orders_of(others) for seat in range(game.players)]
    each = max(2, -(-games // len(seatings)))
    returns: list[list[Floats]] = [[] for _ in range(game.players)]
    turns, cut, adjusted = list[NDArray[np.int64]](), list[NDArray[np.bool_]](), list[Floats]()
    for done, (seat, table) in enumerate(seatings):
        report = None if progress is None else lambda ended, before=done * each: progress(before + ended)
        witness = None if luck is None else luck(seat)
        played = play(game, table, each, rng, progress=report, witness=witness)
        returns[seat].append(played.returns[:, seat])
        if witness is not None:
            adjusted.append(played.returns[:, seat] - witness.luck)
        turns.append(played.turns)
        cut.append(played.cut)
    strata = [one for row in returns for one in row]
    everything, ended = np.concatenate(strata), ~np.concatenate(cut)
    variance, left = _variance(strata), _variance(adjusted)
    by_seat = [float(np.mean(np.concatenate(row))) for row in returns]
    wins = float((everything > 0).mean())
    return Score(
        policy.name,
        game.name,
        names_of(others),
        False,
        wins,
        float(1.0 - ended.mean()),
        float(ended.mean()) - wins,
        float(np.mean(by_seat)),
        by_seat,
        max_turns=game.max_turns,
        games=len(everything),
        half_width=_CONFIDENCE * float(np.sqrt(variance)),
        turns=float(np.concatenate(turns).mean()),
        adjusted_value=float(np.mean([one.mean() for one in adjusted])) if adjusted else None,
        adjusted_half_width=_CONFIDENCE * float(np.sqrt(left)) if adjusted else None,
        variance_ratio=variance / left if left else None,
        adjusted_by=MEASURED_BY if adjusted else None,
    )


def _variance(strata: Sequence[Floats]) -> float:
    """Of the mean over strata, which count equally; 0 of none."""
    return sum(float(one.var(ddof=1)) / len(one) for one in strata) / max(1, len(strata)) ** 2
