"""That a way of playing loses nothing in a game that can be kept going for ever, which is worth nothing.

Whoever plays against it, the *responder*, faces a game for one. A state is seen from its mover's side as ever; the
responder either moves in it or waits. Claimed are bounds u(state, moves or waits) on what the responder can get:

1. *No step gains*: in every state the bound is at least the mean of the bounds after any action of the responder's, or
   after the one that the play takes, what is paid at the end included.
2. *A bound below zero is left*: the responder cannot keep the game going for ever among states of negative bounds.
3. *The start's bounds are 0 or less*, whoever begins.

Then the responder gets nothing. By 1 the bound of the state reached, with what has been paid, is a supermartingale; it
is bounded, so it converges. Where the game goes on for ever it takes finitely many values, so in the end it stands
still, and by 2 it comes back to bounds of 0 or more again and again (from a negative one it leaves within a fixed
number of moves with at least a fixed probability): it stands still at 0 or above. So what is paid, and the 0 for going
on for ever, is on average no more than the bound at the start: by 3, nothing.

Both players can play so, from either seat. So neither can get more than nothing, and the value of the game is 0.
"""

from fractions import Fraction

from nenette.exact.certificates.walk import CertificateError, Row, Walk

MOVES, WAITS = 0, 1
Bounds = dict[tuple[int, int], Fraction]
"""By (state, MOVES or WAITS); a bound that is not listed is 0."""


def responder_rows(walk: Walk, play: list[int], state: int, side: int) -> tuple[Row, ...]:
    """What may happen next: any row of the responder's, or the one that is played."""
    return walk.rows[state] if side == MOVES else (walk.rows[state][play[state]],)


def after(row: Row, side: int) -> list[tuple[int, int]]:
    """The (state, side) pairs that a row leads to, taken by the responder or by the other."""
    return [(target, side) if target >= 0 else (~target, 1 - side) for target in row.targets]


def prove_safe(walk: Walk, play: list[int], bounds: Bounds) -> None:
    """Checks what the module's text lists.

    Raises:
        CertificateError: one of the three does not hold.
    """
    pairs = [(state, side) for state in range(len(walk)) for side in (MOVES, WAITS)]
    for pair in pairs:
        for row in responder_rows(walk, play, *pair):
            paid = row.payoff if pair[1] == MOVES else -row.payoff
            mean = paid + sum(w * bounds.get(p, 0) for p, w in zip(after(row, pair[1]), row.weights, strict=True))
            if mean > row.total * bounds.get(pair, 0):
                raise CertificateError(
                    f"with the fields {walk.fields[pair[0]]} the play's opponent may get more than the bound that is "
                    f"claimed, {bounds.get(pair, 0)}"
                )
    kept = {pair for pair, bound in bounds.items() if bound < 0}
    while True:
        keeps = {
            pair
            for pair in kept
            if any(not row.ends and kept.issuperset(after(row, pair[1])) for row in responder_rows(walk, play, *pair))
        }
        if keeps == kept:
            break
        kept = keeps
    if kept:
        raise CertificateError("the game can be kept going for ever among states whose bounds are below zero")
    if any(bounds.get((0, side), 0) > 0 for side in (MOVES, WAITS)):
        raise CertificateError("the bounds leave the play's opponent something to gain from the start")
