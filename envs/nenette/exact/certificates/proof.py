"""That a way of playing is optimal, in exact arithmetic.

Let a state's value be what it is worth to whoever moves there when both follow the play in question. These values solve
a linear system, v = r + P v, with a minus sign in P wherever the move passes. Two things are checked:

1. *The game ends* with probability 1 whatever is played (`Walk.always_ends`).
2. *Bellman's equation* holds in every state: no action is worth more than the one played, if both go on as before.

Together they prove that the play is optimal and v the value of the game. Let one player follow the play and the other
do anything. By 2, the expected value of the state reached after m moves, counted for the first player and with what the
game has paid so far, never falls as m grows. By 1, the part of it that belongs to games still going on vanishes. So the
first player gets at least v, whatever the other does; and by the same argument from the other side, at most v.

Where the action that is played is worth more than any other in every state, the optimal play is unique among those that
are optimal in every state: any other would take a worse action somewhere. Where hands tremble, every state that can be
met at all is met with some chance, so it is then unique among all that are optimal from the start.

Where hands tremble, "action" means: this action with probability 1 - ε, and with probability ε a uniformly random one.
What is best then does not depend on ε's part, the same for all actions.

How it is computed. The values of the anchors (`Walk.anchors`) are found by following the play from each until the next
one, which leaves a small linear system, solved by Dixon's lifting (Dixon 1982) in FLINT. All other values follow from
them. The check of Bellman's equation then uses Python's integers alone, so neither FLINT nor this elimination has to be
believed: wrong values would not satisfy it.
"""

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm
from operator import mul

from flint import fmpq, fmpq_mat, fmpz_mat

from nenette.exact.certificates.walk import CertificateError, Row, Walk


@dataclass(frozen=True, eq=False)
class Values:
    """Exact values: of state s, to its mover, numerators[s] / denominator.

    Attributes:
        numerators: one a state.
        denominator: of all of them.
        strict: whether in every state the action that is played is worth more than any other.
    """

    numerators: list[int]
    denominator: int
    strict: bool

    def __getitem__(self, state: int) -> Fraction:
        return Fraction(self.numerators[state], self.denominator)


def prove_optimal(walk: Walk, play: list[int], epsilon: Fraction) -> Values:
    """The exact values of optimal play.

    Args:
        walk: the game.
        play: for each state, which of its rows is played.
        epsilon: the probability that a hand trembles.

    Raises:
        CertificateError: the play is not optimal, or the game need not end.
    """
    if not walk.always_ends(trembling=epsilon > 0):
        raise CertificateError(f"{walk.game.name} can be kept going for ever, so Bellman's equation proves nothing")
    anchors, denominator = _anchors_values(walk, play, epsilon)
    return _extend_and_check(walk, play, epsilon, anchors, denominator)


def _anchors_values(walk: Walk, play: list[int], epsilon: Fraction) -> tuple[dict[int, int], int]:
    """Numerators of the anchors' values, and their common denominator."""
    column = {state: i for i, state in enumerate(walk.anchors)}
    n = len(column)
    if not n:
        return {}, 1
    system, right = fmpz_mat(n, n), fmpz_mat(n, 1)
    for state, i in column.items():
        gained, reached = _follow(walk, play, epsilon, state, column)
        scale = lcm(int(gained.q), *(int(p.q) for p in reached.values()))
        right[i, 0] = (gained * scale).p
        system[i, i] = scale
        for target, p in reached.items():
            system[i, column[target]] -= (p * scale).p
    solution = fmpq_mat(system).solve(fmpq_mat(right), algorithm="dixon")  # type: ignore[call-arg]  # its stubs lag behind
    numerators, denominator = solution.numer_denom()
    return {state: int(numerators[i, 0]) for state, i in column.items()}, int(denominator)


def _follow(
    walk: Walk, play: list[int], epsilon: Fraction, start: int, anchors: dict[int, int]
) -> tuple[fmpq, dict[int, fmpq]]:
    """What the play from `start` gains until the next anchor, and the probability of each anchor.

    It is negative where the anchor is the other player's.

    A state met on both players' moves counts with the difference: what it is worth to one it costs the other.
    """
    gained, reached = fmpq(0), dict[int, fmpq]()
    weights = {start: fmpq(1)}
    queue = [walk.place[start]]
    while queue:
        state = walk.order[heappop(queue)]
        weight = weights.pop(state)
        rows = walk.rows[state]
        for k, row in enumerate(rows):
            probability = epsilon / len(rows) + (1 - epsilon if k == play[state] else 0)
            if not probability:
                continue
            share = weight * fmpq(probability.numerator, probability.denominator * row.total)
            gained += share * row.payoff
            for target, w in zip(row.targets, row.weights, strict=True):
                other, signed = (target, share * w) if target >= 0 else (~target, -share * w)
                if other in anchors:
                    reached[other] = reached.get(other, 0) + signed
                elif other in weights:
                    weights[other] += signed
                else:
                    weights[other] = signed
                    heappush(queue, walk.place[other])
    return gained, reached


def _extend_and_check(
    walk: Walk, play: list[int], epsilon: Fraction, anchors: dict[int, int], denominator: int
) -> Values:
    """From the anchors' values to all others, and Bellman's equation everywhere; in integers alone."""
    scale = _scale(walk, epsilon, anchors)
    unit = denominator * scale
    numerators, strict = [0] * len(walk), True
    for state, numerator in anchors.items():
        numerators[state] = numerator * scale
    trembles, hands = epsilon.numerator, epsilon.denominator
    for state in reversed(walk.order):
        rows = walk.rows[state]
        total = lcm(*(row.total for row in rows))
        worth = [_worth(row, numerators, unit) * (total // row.total) for row in rows]
        played = worth[play[state]]
        if played < max(worth):
            better = rows[worth.index(max(worth))].action
            raise CertificateError(
                f"the play is not optimal: with the fields {walk.fields[state]}, action {better} is worth more than "
                f"action {rows[play[state]].action}, which it takes"
            )
        strict = strict and worth.count(played) == 1
        sum_of_hands = (hands - trembles) * len(rows) * played + trembles * sum(worth)
        parts = hands * len(rows) * total
        if state not in anchors:
            numerators[state], rest = divmod(sum_of_hands, parts)
            assert rest == 0, "the scale makes all values whole"
        elif numerators[state] * parts != sum_of_hands:
            raise CertificateError(f"the linear system of {walk.game.name} was not solved exactly")
    return Values(numerators, unit, strict)


def _worth(row: Row, numerators: list[int], unit: int) -> int:
    """The value of a row times its total times `unit`."""
    values = [numerators[t] if t >= 0 else -numerators[~t] for t in row.targets]
    weighted: int = sum(map(mul, row.weights, values))
    return weighted + row.payoff * unit


def _scale(walk: Walk, epsilon: Fraction, anchors: dict[int, int]) -> int:
    """What makes every value a whole number, when the anchors' are whole and so are what the game pays."""
    scale = [1] * len(walk)
    for state in reversed(walk.order):
        if state not in anchors:
            rows = walk.rows[state]
            hands = epsilon.denominator * len(rows) if epsilon else 1
            below = {scale[t if t >= 0 else ~t] for row in rows for t in row.targets}
            scale[state] = hands * lcm(*(row.total for row in rows)) * lcm(*below)
    return lcm(*set(scale))
