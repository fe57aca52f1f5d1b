"""Who is played against in which of the parallel environments."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["PAST", "SELF", "Mixture", "in_turn", "mixture_of"]

SELF = "self"
"""Turn masking: the learner plays all seats of a game, and learns from each."""
PAST = "past"
"""A frozen copy of the learner as it once was."""


@dataclass(frozen=True)
class Mixture:
    """What the parallel environments are.

    Attributes:
        games: games in which the learner has all seats; each takes as many environments as it has seats.
        named: the name of the opponent in each of the other environments.
    """

    games: int
    named: list[str]


def in_turn(shares: Mapping[str, float], n: int) -> list[str]:
    """`n` names, each as often as its share says, as evenly spread as can be; equal shares take turns."""
    total, counts, names = sum(shares.values()), dict.fromkeys(shares, 0), []
    for k in range(1, n + 1 if shares else 1):
        name = max(shares, key=lambda one: shares[one] / total * k - counts[one])  # the first one of several
        counts[name] += 1
        names.append(name)
    return names


def mixture_of(shares: Mapping[str, float], environments: int, players: int) -> Mixture:
    """The games and the opponents that `shares` make of so many environments.

    Where there are others, the share of `self` is rounded to whole games, of which there is at least one; where there
    are none, environments that are too few for another game are left out.
    """
    others = {name: share for name, share in shares.items() if name != SELF}
    if SELF not in shares:
        return Mixture(0, in_turn(others, environments))
    if not others:
        return Mixture(environments // players, [])
    games = max(1, round(in_turn(shares, environments).count(SELF) / players))
    return Mixture(games, in_turn(others, max(0, environments - games * players)))
