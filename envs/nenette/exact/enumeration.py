"""Writing a game out by walking through all its states, one at a time, with the rules themselves."""

from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import TypeVar

import numpy as np
from scipy import sparse

from nenette.exact.model import Model
from nenette.exact.responses import Unsolvable
from nenette.games import Distribution, Game

S = TypeVar("S")

MAX_STATES = 1_000_000
"""More than these are not walked through: that would take many minutes and many gigabytes."""

_PAYOFFS: dict[int, set[tuple[float, ...]]] = {
    1: {(1.0,), (0.0,), (-1.0,)},
    2: {(1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)},
}
"""What a game of one or of two may end with."""


def enumerate_game(game: Game[S], others: Iterable[S] = ()) -> Model:
    """Every state that can be met from the start of `game`, or from `others`, in a single layer.

    Takes about 10 microseconds a transition: for games of up to some hundred thousand transitions.

    Args:
        game: of one or two players.
        others: states to set out from besides the start.

    Raises:
        Unsolvable: the game is of more players, has more than `MAX_STATES` states, starts in ways that differ for
            whoever begins, ends with something else than a win, a draw and a loss, or draws who moves next with
            probabilities that depend on the seat.
    """
    if game.players not in _PAYOFFS:
        raise Unsolvable(f"{game.name} is written out for one or two players, not for {game.players}")
    starts = {game.encode(state, game.seat(state)) for state in game.initial().outcomes}
    if len(starts) > 1:
        raise Unsolvable(f"{game.name} starts in {len(starts)} ways that differ for whoever begins, not in one")
    first, _ = next(iter(game.initial()))
    start = game.encode(first, game.seat(first))
    queue = list(dict.fromkeys([start, *(game.encode(state, game.seat(state)) for state in others)]))
    index = {fields: i for i, fields in enumerate(queue)}
    row_start, row_action = [0], list[int]()
    ends, win, loss, values = list[float](), list[float](), list[float](), list[float]()
    rows, columns, passes = list[int](), list[int](), list[bool]()
    denominator = 1
    for fields in queue:  # grows as it is read
        state = game.decode(fields)
        for action in game.legal_actions(state):
            row = len(row_action)
            row_action.append(action)
            won = lost = ended = 0.0
            distribution = game.outcomes(state, action)
            _check_seats_are_alike(game, state, action, distribution)
            denominator = lcm(denominator, distribution.total)
            for outcome, probability in distribution:
                returns = game.returns(outcome)
                if returns is not None:
                    if tuple(returns) not in _PAYOFFS[game.players]:
                        raise Unsolvable(f"{game.name} may end with {returns}, which is no win, draw or loss")
                    ended += float(probability)
                    won += float(probability) * (returns[0] > 0)
                    lost += float(probability) * (returns[0] < 0)
                    continue
                mover = game.seat(outcome)
                after = game.encode(outcome, mover)
                if after not in index:
                    if len(queue) == MAX_STATES:
                        raise Unsolvable(f"{game.name} has more than {MAX_STATES:,} states under these rules")
                    index[after] = len(queue)
                    queue.append(after)
                rows.append(row)
                columns.append(index[after])
                values.append(float(probability))
                passes.append(mover != 0)
            ends.append(ended)
            win.append(won)
            loss.append(lost)
        row_start.append(len(row_action))
    n = len(queue)
    shape = (len(row_action), game.players * n)
    where = np.array(columns) + n * np.array(passes, dtype=np.int64)
    turns = np.array([float(game.starts_turn(game.decode(f))) for f in queue])
    return Model(
        game,
        np.array(queue, dtype=np.int16),
        np.array(row_start),
        np.array(row_action),
        sparse.csr_array((np.array(values), (np.array(rows), where)), shape=shape),
        np.array(win),
        np.array(loss),
        np.repeat(-game.turn_reward * turns, np.diff(row_start)),
        np.array(ends),
        np.array([0, n]),
        0,
        denominator,
    )


def _check_seats_are_alike(game: Game[S], state: S, action: int, outcomes: Distribution[S]) -> None:
    """Where chance decides who moves next: it does so in the same way for either seat, which one table stands for."""
    if len({game.seat(outcome) for outcome in outcomes.outcomes}) == 1:
        return
    turned = game.decode(game.encode(state, 1))
    if _as_the_mover_sees(game, state, outcomes) != _as_the_mover_sees(game, turned, game.outcomes(turned, action)):
        raise Unsolvable(f"{game.name} draws who moves next otherwise for one seat than for another")


def _as_the_mover_sees(game: Game[S], state: S, outcomes: Distribution[S]) -> dict[tuple[int, ...], Fraction]:
    seat = game.seat(state)
    return {game.encode(outcome, seat): probability for outcome, probability in outcomes}
