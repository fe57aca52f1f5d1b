"""Certificates about three players: that a way of playing is an equilibrium, and what one gets against all others.

A certificate holds plays and numbers, and the figures that are claimed. `check` believes none of it: it walks through
the game with the rules alone and works in integers. It imports nothing of the solver.

**The equilibrium**, of the game in which a hand trembles with probability ε. All play alike. The certificate gives
x(s, j), about what the player who sits j seats after the mover gets, and t(s), about how many turns are left.

1. *Turns*: t is at least 1 + its mean over what follows, in every state. So at most t turns are left on average.
2. *Values*: x differs from its mean over what follows (with what is paid) by at most r anywhere. So what the play is
   worth differs from x by at most r t: summed over the turns that are left, no more than r a turn can have been missed.
3. *No action is better*: in every state the action that is played is better, by x, than any other by more than
   twice the largest r t. So it is better by what the play is really worth, too.
4. *The game ends* whatever anybody does: a trembling hand may do anything, and from every state something leads to the
   end.

By 3 and 4 nobody can gain anything, by whatever change in however many states: the expected value of the state reached,
with what has been paid so far, never rises, and the part of it that belongs to games still going on vanishes. NashConv
is exactly 0. The values are given within bounds: as fractions they would have some hundred thousand digits each, for a
system of 27,783 equations that no exact method solves in reasonable time.

**The coalition**, in the game itself. The certificate says how the others play. In all that can then be met, whatever
the lone player does:

5. *It never wins*: no action in any state lets it stand on 21.
6. *The game ends*: among no states can it be kept for ever.

So the others win, and the lone player loses 1/(n - 1), the least that there is: that is exactly the value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

from nenette.exact.certificates.reading import (
    SEVERAL,
    check_claims,
    compressed,
    digits_of,
    game_of,
    load,
    load_any,
    readable,
    text_of,
)
from nenette.exact.certificates.several_walk import Row, SeveralWalk, walk_several
from nenette.exact.certificates.walk import CertificateError
from nenette.games import Game

__all__ = ["SeveralCertificate", "check", "is_about_several", "prove"]

UNIT = 1 << 60
"""What 1 is in the certificate's values."""
TURN = 1 << 20
"""What a turn is in the certificate's numbers of turns."""
ROUNDED = 10**11
"""Bounds are given in multiples of 1 over this."""
_ENTRIES = {"epsilon": str, "play": str, "values": str, "turns": str, "others": str, "exact": dict}


@dataclass(frozen=True)
class SeveralCertificate:
    """What a certificate file says.

    Attributes:
        game: the game with its rules.
        epsilon: the probability that a hand trembles.
        states: how many states can be met.
        play: the equilibrium's action in each state, a digit each.
        values: x(s, j) in 1 / `UNIT`, three a state.
        turns: t(s) in 1 / `TURN`, one a state.
        others: the coalition's action, a digit for each state and each seat of the lone player after the mover, 1 and 2
            (where the mover is the lone player there is nothing to say).
        exact: the figures that are claimed.
    """

    game: Game[Any]
    epsilon: str
    states: int
    play: str
    values: list[int]
    turns: list[int]
    others: str
    exact: dict[str, Any]

    def text(self) -> str:
        """The file's text."""
        return text_of(
            SEVERAL,
            self.game,
            epsilon=self.epsilon,
            states=self.states,
            play=compressed(self.play.encode()),
            values=compressed(_written(self.values)),
            turns=compressed(_written(self.turns)),
            others=compressed(self.others.encode()),
            exact=self.exact,
        )


def prove(certificate: SeveralCertificate, states: SeveralWalk | None = None) -> dict[str, Any]:
    """The figures that follow from a certificate's game, plays and numbers, whatever it claims them to be.

    Raises:
        CertificateError: they do not prove what a certificate is to prove.
    """
    if states is None:
        states = walk_several(certificate.game)
    if len(states) != certificate.states:
        raise CertificateError(f"it speaks of {certificate.states} states, and {len(states)} can be met")
    epsilon = _epsilon(certificate.epsilon)
    n = states.game.players
    played = _decode(states, certificate.play, 1)
    _check_it_ends(states)
    turns = _numbers(certificate.turns, len(states), "turns")
    _check_turns(states, played, epsilon, turns)
    values = _numbers(certificate.values, n * len(states), "values")
    missed = _check_values(states, played, epsilon, values, turns)
    _check_coalition(states, _decode(states, certificate.others, n - 1))
    low = {f"seat {seat}": values[seat] - missed for seat in range(n)}  # the state at the start is 0, and seat 0 moves
    high = {f"seat {seat}": values[seat] + missed for seat in range(n)}
    return {
        "nash_conv": "0/1",
        "equilibrium": {seat: [_rounded(low[seat], up=False), _rounded(high[seat], up=True)] for seat in low},
        "coalition": dict.fromkeys(low, "-1/2"),
    }


def _epsilon(text: str) -> Fraction:
    numerator, slash, denominator = text.partition("/")
    if not slash or not all(part.isascii() and part.isdigit() and len(part) < 20 for part in (numerator, denominator)):
        raise CertificateError(f"its epsilon is {text[:40]!r}, which is no fraction")
    if not 0 < int(numerator) < int(denominator):
        raise CertificateError(f"its epsilon is {text[:40]}, which is no probability above 0 and below 1")
    return Fraction(int(numerator), int(denominator))


def _check_it_ends(states: SeveralWalk) -> None:
    """Checks condition 4: something leads to the end from every state."""
    ending = [any(row.wins for row in rows) for rows in states.rows]
    while not all(ending):
        more = [
            known or any(ending[target] for row in rows for target in row.targets)
            for known, rows in zip(ending, states.rows, strict=True)
        ]
        if more == ending:
            raise CertificateError("there are states from which nothing leads to the end of the game")
        ending = more


def _mixed(rows: tuple[Row, ...], played: int, epsilon: Fraction, worth: Sequence[int], total: int) -> tuple[int, int]:
    """The mean of the rows' worth, each in 1 / total, as a numerator and a denominator."""
    hands, trembles = epsilon.denominator, epsilon.numerator
    return (hands - trembles) * len(rows) * worth[played] + trembles * sum(worth), hands * len(rows) * total


def _check_turns(states: SeveralWalk, played: list[int], epsilon: Fraction, turns: list[int]) -> None:
    """Checks condition 1, about turns."""
    for state, rows in enumerate(states.rows):
        total = lcm(*(row.total for row in rows))
        after = [total // row.total * _weighted(row, turns) for row in rows]
        numerator, denominator = _mixed(rows, played[state], epsilon, after, total)
        if turns[state] < 0 or (turns[state] - TURN) * denominator < numerator:
            raise CertificateError(f"with the fields {states.fields[state]} more turns are left than it says")


def _check_values(
    states: SeveralWalk, played: list[int], epsilon: Fraction, values: list[int], turns: list[int]
) -> int:
    """Checks conditions 2 and 3; returns by how much the values may be wrong, in 1 / `UNIT`."""
    n = states.game.players
    of_player = [values[j::n] for j in range(n)]
    most = Fraction(0)
    margin: Fraction | None = None
    for state, rows in enumerate(states.rows):
        total = lcm(*(row.total for row in rows))
        for j in range(n):
            prize = UNIT if j == 0 else -UNIT // (n - 1)
            after = of_player[(j - 1) % n]
            worth = [total // row.total * (_weighted(row, after) + row.wins * prize) for row in rows]
            numerator, denominator = _mixed(rows, played[state], epsilon, worth, total)
            most = max(most, Fraction(abs(numerator - of_player[j][state] * denominator), denominator))
            if j == 0:
                taken = rows[played[state]]
                for row, value in zip(rows, worth, strict=True):
                    if row[1:] != taken[1:]:  # what leads to the same is worth the same
                        lead = Fraction(worth[played[state]] - value, total)
                        margin = lead if margin is None else min(margin, lead)
    wrong = most * max(turns) / TURN
    if margin is not None and margin <= 2 * wrong:
        raise CertificateError("its play is no equilibrium, or its values are too rough to prove it")
    return -(-wrong.numerator // wrong.denominator)


def _weighted(row: Row, numbers: Sequence[int]) -> int:
    return sum(weight * numbers[target] for target, weight in zip(row.targets, row.weights, strict=True))


def _check_coalition(states: SeveralWalk, others: list[int]) -> None:
    """Checks conditions 5 and 6, over pairs of a state and how many seats after the mover the lone player sits."""
    n = states.game.players
    queue = [(0, j) for j in range(n)]
    met = set(queue)
    choices: dict[tuple[int, int], list[Row]] = {}
    for state, j in queue:  # grows as it is read
        rows = states.rows[state]
        taken = list(rows) if j == 0 else [rows[others[(n - 1) * state + j - 1]]]
        choices[state, j] = taken
        if j == 0 and any(row.wins for row in rows):
            raise CertificateError(f"with the fields {states.fields[state]} the lone player may win")
        for target in {target for row in taken for target in row.targets}:
            pair = (target, (j - 1) % n)
            if pair not in met:
                met.add(pair)
                queue.append(pair)
    kept = set(queue)
    while True:
        still = {
            (state, j)
            for state, j in kept
            if any(not row.wins and all((t, (j - 1) % n) in kept for t in row.targets) for row in choices[state, j])
        }
        if not still:
            return
        if still == kept:
            raise CertificateError("the lone player can keep the game for ever against the play of the others")
        kept = still


def _decode(states: SeveralWalk, digits: str, each: int) -> list[int]:
    """Which row is taken, from digits, `each` of them a state."""
    if len(digits) != each * len(states):
        raise CertificateError(f"a play of it has {len(digits)} actions where {each * len(states)} are expected")
    rows = []
    for place, digit in enumerate(digits):
        legal = [str(row.action) for row in states.rows[place // each]]
        if digit not in legal:
            raise CertificateError(f"a play of it takes action {digit!r}, which is illegal there")
        rows.append(legal.index(digit))
    return rows


def _numbers(numbers: list[int], expected: int, what: str) -> list[int]:
    if len(numbers) != expected:
        raise CertificateError(f"it has {len(numbers)} {what} where {expected} are expected")
    return numbers


def _rounded(value: int, *, up: bool) -> str:
    scaled = Fraction(value * ROUNDED, UNIT)
    whole = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    rounded = Fraction(whole, ROUNDED)
    return f"{rounded.numerator}/{rounded.denominator}"


def _written(numbers: Sequence[int]) -> bytes:
    """Each number less the one before it: neighbours are nearly alike."""
    return " ".join(str(b - a) for a, b in zip([0, *numbers], numbers, strict=False)).encode()


def is_about_several(file: Path) -> bool:
    """Whether a file says that it is a certificate of this kind; one that cannot be read is none.

    Raises:
        OSError: there is no such file.
    """
    try:
        return bool(load_any(file)["format"] == SEVERAL)
    except CertificateError:
        return False


def check(file: Path) -> SeveralCertificate:
    """Reads a certificate and proves all that it claims.

    Raises:
        CertificateError: it cannot be read, or something that it claims is not so.
        OSError: there is no such file.
    """
    with readable(file):
        certificate = _parse(file)
    try:
        proved = prove(certificate)
    except CertificateError as error:
        raise CertificateError(f"{file} proves nothing: {error}") from error
    check_claims(file, proved, certificate.exact)
    return certificate


def _parse(file: Path) -> SeveralCertificate:
    content = load(file, SEVERAL, _ENTRIES)
    return SeveralCertificate(
        game_of(content),
        content["epsilon"],
        content["states"],
        digits_of(content["play"], "play"),
        _read_numbers(content["values"], "values"),
        _read_numbers(content["turns"], "turns"),
        digits_of(content["others"], "others"),
        content["exact"],
    )


def _read_numbers(text: str, what: str) -> list[int]:
    """What `_written` and `compressed` made of numbers."""
    numbers, last = list[int](), 0
    for part in digits_of(text, what).split(" "):
        if not part.removeprefix("-").isdigit() or len(part) > 30:
            raise CertificateError(f"its {what} are no integers of at most 30 digits")
        last += int(part)
        numbers.append(last)
    return numbers
