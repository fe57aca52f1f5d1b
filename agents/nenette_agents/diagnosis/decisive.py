"""Moves of 21 des Demi-Îles that decide everything: a single wrong one makes a play exploitable in the endless game.

`single_changes` counts them for one play. `decisive_moves` tells how far they stand out from the noise of single games,
for a learner with some discount and a hand that trembles: what it has to notice.
"""

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from nenette.exact import AnswerKey
from nenette.exact.model import Floats, Ints

__all__ = ["DecisiveMoves", "SingleChanges", "decisive_moves", "single_changes"]

_ZERO = 1e-12
_LEAST = 0.01
"""An exploitability above this counts: in the endless game it is nearly all or nothing."""


@dataclass(frozen=True)
class SingleChanges:
    """Plays that differ from one play in a single state, in the endless game.

    Attributes:
        changes: how many there are.
        worthless: how many of them have the value 0 against the optimum: nothing shows that they are mistakes.
        exploitable: how many of these can be exploited by somebody else.
    """

    changes: int
    worthless: int
    exploitable: int

    def report(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class DecisiveMoves:
    """What a learner has to notice so as not to be exploited.

    Attributes:
        tremble: probability that a hand trembles.
        discount: how much later rewards count, a turn.
        exploitability: of the best play of that game, in the endless game without trembles.
        moves: how many wrong moves there are of which one alone makes it exploitable; None if it is exploitable anyway.
        faintest: by how many standard deviations of a single game the right move is better, where that is least.
        median: the same in the middle.
    """

    tremble: float
    discount: float
    exploitability: float
    moves: int | None = None
    faintest: float | None = None
    median: float | None = None

    def report(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)


def single_changes(key: AnswerKey, play: Floats) -> SingleChanges:
    """Counts the plays that differ from `play`, (n_rows,), in one state, in which they take another action for certain.

    882 of demi-iles take some ten seconds.
    """
    model = key.model
    changes = np.flatnonzero((play == 0) & model.decides[model.row_state])
    worthless = exploitable = 0
    for row in changes.tolist():
        changed = np.where(model.row_state == model.row_state[row], 0.0, play)
        changed[row] = 1.0
        if abs(key.result(changed, key.optimum).value) < _ZERO:
            worthless += 1
            exploitable += key.exploitability(changed) > _ZERO
    return SingleChanges(len(changes), worthless, int(exploitable))


def decisive_moves(key: AnswerKey, tremble: float, discount: float) -> DecisiveMoves:
    """The figures for the best play of the game with that tremble and discount (below 1)."""
    model = key.model
    game = _Discounted(key, tremble, discount)
    lost = key.exploitability(model.pure(game.best))
    if lost > _LEAST:
        return DecisiveMoves(tremble, discount, lost)
    found = []
    for state, (low, high) in enumerate(pairwise(model.row_start.tolist())):
        for row in range(low, high):
            changed = game.best.copy()
            changed[state] = row
            if row != game.best[state] and key.exploitability(model.pure(changed)) > _LEAST:
                found.append((int(game.best[state]), row))
    right, wrong = (np.array(each, dtype=np.int64) for each in zip(*found, strict=True))
    clear = (game.worth[right] - game.worth[wrong]) / np.hypot(game.spread[right], game.spread[wrong])
    return DecisiveMoves(tremble, discount, lost, len(found), float(clear.min()), float(np.median(clear)))


class _Discounted:
    """The game in which each hand trembles with a probability, and a reward counts `discount` as much a turn later.

    Attributes:
        worth: float64 (n_rows,): the value of each move, with the best play from then on.
        best: int64 (n_states,): the row of the best move.
        spread: float64 (n_rows,): the standard deviation of what a game brings after the move.
    """

    def __init__(self, key: AnswerKey, tremble: float, discount: float) -> None:
        model = key.model.trembling(tremble) if tremble else key.model
        steps = model.transition.toarray()
        stays, passes = steps[:, : model.n_states], steps[:, model.n_states :]
        values = np.zeros(model.n_states)
        while True:
            self.worth: Floats = model.payoff + discount * (stays @ values - passes @ values)
            better = np.maximum.reduceat(self.worth, model.row_start[:-1])
            if np.abs(better - values).max() < 1e-14:
                break
            values = better
        self.best: Ints = np.array(
            [low + self.worth[low:high].argmax() for low, high in pairwise(model.row_start)], dtype=np.int64
        )
        # Rewards are 1 or -1, once: the mean of their squares is that of the discounts' squares.
        squares = np.zeros(model.n_states)
        while True:
            of_rows = model.ends + discount**2 * ((stays + passes) @ squares)
            if np.abs(of_rows[self.best] - squares).max() < 1e-14:
                break
            squares = of_rows[self.best]
        self.spread: Floats = np.sqrt((of_rows - self.worth**2).clip(min=0))
