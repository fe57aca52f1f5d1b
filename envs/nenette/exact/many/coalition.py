"""What one player can get when all others act as one: a zero-sum game of two sides, one of which has several seats.

In the game of trembling hands, which always ends, it is solved by strategy iteration (Hoffman and Karp 1966): the
others' play is fixed, the lone player's best response to it found, the others' play improved against its values, and so
on until nothing improves.

The game itself can go on for ever, and its value is then 0. There each of the two plays is scored against the other
side's best response. The lone player's play guarantees one figure, the others' play guarantees the other, and the value
lies between them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nenette.exact.many.model import ManyModel
from nenette.exact.many.responses import MAX_ROUNDS, advantages, improve, respond
from nenette.exact.model import Floats, Ints
from nenette.exact.responses import Unsolvable

__all__ = ["Coalition", "coalition", "coalition_bounds"]


@dataclass(frozen=True, eq=False)
class Coalition:
    """Optimal play of both sides where hands tremble; seat 0 is the lone player.

    Attributes:
        values: one a seat to move, float64 (n_states,): what the lone player gets.
        rows: one a seat, int64 (n_states,): the row that it takes.
        rounds: rounds of strategy iteration.
    """

    values: list[Floats]
    rows: list[Ints]
    rounds: int


def coalition(trembling: ManyModel, start: Sequence[Ints] | None = None) -> Coalition:
    """Optimal play in a game that always ends, of a lone player at seat 0 and of all others.

    Args:
        trembling: the game.
        start: rows to begin with, one a seat; the values do not depend on them.

    Raises:
        Unsolvable: strategy iteration does not end.
    """
    n = trembling.players
    rows = [trembling.row_start[:-1].copy() if start is None else start[m].copy() for m in range(n)]
    for rounds in range(1, MAX_ROUNDS):
        behaviours = [trembling.pure(taken) for taken in rows]
        response = respond(trembling, behaviours, [0], 0, {0: rows[0]})
        rows[0] = response.rows[0]
        changed = False
        for m in range(1, n):
            payoff = trembling.wins @ trembling.prizes_of(0, m)
            advantage = -advantages(trembling, payoff, response.values[m], response.values[(m + 1) % n])
            changed |= improve(trembling, advantage, rows[m])
        if not changed:
            return Coalition(response.values, rows, rounds)
    raise Unsolvable(f"strategy iteration did not end in {MAX_ROUNDS} rounds")


def coalition_bounds(model: ManyModel, rows: Sequence[Ints]) -> tuple[list[Floats], list[Floats]]:
    """What the lone player at seat 0 gets at least and at most in `model`, which may never end.

    Args:
        model: the game.
        rows: one a seat: how both sides play.

    Returns:
        What the lone player's play makes sure of, and what the others' play leaves it; each one a seat to move.
    """
    behaviours = [model.pure(taken) for taken in rows]
    least = respond(model, behaviours, range(1, model.players), 0)
    most = respond(model, behaviours, [0], 0)
    return least.values, most.values
