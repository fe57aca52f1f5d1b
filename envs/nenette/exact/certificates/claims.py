"""What is claimed of each game, from the exact values of its states.

For demi-iles: what the game of trembling hands is worth to whoever begins, and that the endless game is worth nothing
to either. For 421, whose states are those of one manche: the chances that the leader wins from each décharge, the
manche, and the match. A manche within a match is the same game with other prizes: if winning it is worth W and losing
it L < W, a way of playing that gets v in [-1, 1] where they are 1 and -1 gets (W + L) / 2 + (W - L) / 2 v. So what is
best stays so, and the match's value follows manche by manche.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from flint import fmpz

from nenette.exact.certificates.proof import Values
from nenette.exact.certificates.walk import CertificateError, Walk
from nenette.games import Game
from nenette.games.demi_iles import DemiIles
from nenette.games.quatre21 import Quatre21, State
from nenette.games.quatre21_rules import MAX_THROWS

Claims = dict[str, Any]
"""Names of figures, as in the facts of a solution, with fractions "p/q" or, by a key, several of them."""


@dataclass(frozen=True)
class Subject:
    """A game about which there are certificates.

    Attributes:
        epsilon: the probability that a hand trembles in the game that Bellman's equation is about.
        endless: whether it is also claimed that nobody gains anything where no hand trembles and play may never end.
        core: the game whose states are walked.
        claims: the figures that follow from its values.
    """

    epsilon: Fraction
    endless: bool
    core: Callable[[Any], Game[Any]]
    claims: Callable[[Any, Walk, Values], Claims]


def subject(name: str) -> Subject:
    """The subject of a game.

    Raises:
        CertificateError: there are no certificates about this game.
    """
    if name not in _SUBJECTS:
        raise CertificateError(f"there are certificates about {' and '.join(_SUBJECTS)}, not about {name!r}")
    return _SUBJECTS[name]


def written(value: Fraction) -> str:
    """The fraction as "p/q", in lowest terms."""
    return f"{fmpz(value.numerator)}/{fmpz(value.denominator)}"  # Python refuses to write integers of 4300 digits


def _of_demi_iles(game: DemiIles, walk: Walk, values: Values) -> Claims:
    return {"value": written(Fraction(0)), "trembling_value": written(values[0])}


def _manche(game: Quatre21) -> Quatre21:
    return Quatre21(replace(game.rules, manches_to_lose=1, next_manche_leader="loser", max_turns=None))


def _of_421(game: Quatre21, walk: Walk, values: Values) -> Claims:
    def chance(value: Fraction) -> Fraction:
        return (1 + value) / 2

    manche: Quatre21 = walk.game  # type: ignore[assignment]
    leads: dict[int, int] = {}
    for index, fields in enumerate(walk.fields):
        state = manche.decode(fields)
        if not (state.bank or state.throws or state.thrown) and state.limit == MAX_THROWS:
            leads[state.fiches[0]] = index
    return {
        "value": written(chance(_value_of_match(game, values[0]))),
        "manche_value": written(chance(values[0])),
        "leader_wins": {str(fiches): written(chance(values[leads[fiches]])) for fiches in sorted(leads)},
    }


def _value_of_match(game: Quatre21, manche: Fraction) -> Fraction:
    """The match's worth to its first leader if each manche is worth `manche` to its own; see the module's text."""
    lose = game.rules.manches_to_lose
    worth: dict[tuple[int, ...], Fraction] = {}  # of a new manche to its leader, by the fiches de manche

    def prize(after: State) -> Fraction:
        """The prize of a finished manche to its leader, seat 0."""
        returns = game.returns(after)
        if returns is not None:
            return Fraction(returns[0])
        leader = game.seat(after)
        return worth[after.manches[leader:] + after.manches[:leader]] * (1 if leader == 0 else -1)

    for manches in sorted(product(range(lose), repeat=2), key=sum, reverse=True):
        start = State(manches, (0, 0), game.rules.fiches, (0, 1))
        won, lost = (sum(p * prize(after) for after, p in game.after_manche(start, loser)) for loser in (1, 0))
        if won <= lost:
            raise CertificateError(
                f"at {manches[0]} to {manches[1]} fiches de manche a manche is no better won than lost"
            )
        worth[manches] = Fraction(won + lost) / 2 + Fraction(won - lost) / 2 * manche
    return worth[0, 0]


_SUBJECTS = {
    DemiIles.name: Subject(Fraction(1, 1000), True, lambda game: game, _of_demi_iles),
    Quatre21.name: Subject(Fraction(0), False, _manche, _of_421),
}
