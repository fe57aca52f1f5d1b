"""421: the combinations, what they are worth, how the dice fall, and the readings of the rules that can be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Literal, NamedTuple

from nenette.games.checks import check_choice, check_range
from nenette.games.distribution import Distribution

__all__ = [
    "COMBINATIONS",
    "HANDS",
    "MAX_THROWS",
    "NENETTE",
    "Best",
    "Claims",
    "Dice",
    "Quatre21Rules",
    "Settlement",
    "claims",
    "opening",
    "settle",
    "strength",
    "throw",
    "worst_places",
    "worth",
]

Dice = tuple[int, ...]
"""Faces, sorted from high to low; three of them on the table, fewer while the others are in hand."""

MAX_THROWS = 3
"""How often the leader of a décharge round may throw."""

NENETTE: Dice = (2, 2, 1)
_SCORING: dict[Dice, int] = {
    (4, 2, 1): 8,
    (1, 1, 1): 7,
    (6, 1, 1): 6,
    (6, 6, 6): 6,
    (5, 1, 1): 5,
    (5, 5, 5): 5,
    (4, 1, 1): 4,
    (4, 4, 4): 4,
    (3, 1, 1): 3,
    (3, 3, 3): 3,
    (2, 1, 1): 2,
    (2, 2, 2): 2,
    (6, 5, 4): 2,
    (5, 4, 3): 2,
    (4, 3, 2): 2,
    (3, 2, 1): 2,
}
_FACES_HIGH_TO_LOW = (6, 5, 4, 3, 2, 1)


def _hands(dice: int) -> list[Dice]:
    """All hands of so many dice, in descending order of their digits."""
    return list(combinations_with_replacement(_FACES_HIGH_TO_LOW, dice))


COMBINATIONS: tuple[Dice, ...] = (*_SCORING, *(dice for dice in _hands(3) if dice not in _SCORING))
"""The 56 combinations, best first."""
HANDS: tuple[Dice, ...] = tuple(hand for dice in range(4) for hand in _hands(dice))
"""Everything that can lie on the table: no, one, two or three dice."""
_STRENGTH = {dice: len(COMBINATIONS) - 1 - place for place, dice in enumerate(COMBINATIONS)}


def strength(dice: Dice) -> int:
    """0 (nénette) to 55 (421): the higher wins, the equal ties."""
    return _STRENGTH[dice]


def worth(dice: Dice, rules: "Quatre21Rules") -> int:
    """The fiches that a combination is worth."""
    return rules.value_of_421 if dice == (4, 2, 1) else _SCORING.get(dice, 1)


@cache
def throw(kept: Dice) -> Distribution[Dice]:
    """The three dice that throwing all but `kept` leads to, with their exact probabilities."""
    faces = product(_FACES_HIGH_TO_LOW, repeat=3 - len(kept))
    return Distribution.uniform(tuple(sorted((*kept, *thrown), reverse=True)) for thrown in faces)


@cache
def opening(players: int) -> Distribution[int]:
    """Who leads the first charge: everybody throws one die, the lowest leads, equals throw again among themselves.

    The rules treat all seats alike, so each leads equally often.
    """
    return Distribution.uniform(range(players))


@dataclass(frozen=True)
class Quatre21Rules:
    """Rule set of 421.

    Attributes:
        players: 2 to 6.
        fiches: in the bank at the start of a manche, 1 to 100.
        value_of_421: fiches that 421 is worth.
        nenette: fiches that 221 takes whatever the other threw; 0 makes it the lowest throw and nothing more.
        nenette_in_decharge: whether that counts in the décharge, too.
        nenette_capped: whether a nénette takes no more from the bank than there is; else the player with the best throw
            gives what is lacking.
        nenettes_tie: whether two nénettes are a tie; else each takes its fiches, in the order in which they fell.
        manches_to_lose: lost manches that lose the match; 1 makes a match of a single manche.
        next_manche_leader: "loser" of the last manche, or a new "opening".
        followers: throw "at_most" as often as the leader, or "exactly" as often (each time at least one die).
        kept_dice: "free" to be thrown again later, or "frozen".
        limit_after_tie: in the décharge a tie brings a "fresh" limit of three throws, or the limit of the tied round is
            "kept": nobody throws more often than its leader did.
        max_turns: turns of all players together after which a game is cut and drawn; None plays to the end.
    """

    players: int = 2
    fiches: int = 11
    value_of_421: int = 8
    nenette: int = 2
    nenette_in_decharge: bool = True
    nenette_capped: bool = True
    nenettes_tie: bool = True
    manches_to_lose: int = 2
    next_manche_leader: Literal["loser", "opening"] = "loser"
    followers: Literal["at_most", "exactly"] = "at_most"
    kept_dice: Literal["free", "frozen"] = "free"
    limit_after_tie: Literal["fresh", "kept"] = "fresh"
    max_turns: int | None = None

    def __post_init__(self) -> None:
        check_range("players", self.players, 2, 6)
        check_range("fiches", self.fiches, 1, 100)
        check_range("value_of_421", self.value_of_421, 1, 100)
        check_range("nenette", self.nenette, 0, 100)
        check_choice("nenette_in_decharge", self.nenette_in_decharge, (True, False))
        check_choice("nenette_capped", self.nenette_capped, (True, False))
        check_choice("nenettes_tie", self.nenettes_tie, (True, False))
        check_range("manches_to_lose", self.manches_to_lose, 1, 10)
        check_choice("next_manche_leader", self.next_manche_leader, ("loser", "opening"))
        check_choice("followers", self.followers, ("at_most", "exactly"))
        check_choice("kept_dice", self.kept_dice, ("free", "frozen"))
        check_choice("limit_after_tie", self.limit_after_tie, ("fresh", "kept"))
        if self.max_turns is not None:
            check_range("max_turns", self.max_turns, 1)


class Claims(NamedTuple):
    """What each throw of a round is to take, before anybody's fiches are counted.

    Rounds with equal claims are settled alike.

    Attributes:
        stakes: what each throw is to take, in the order in which they were thrown; 0 for those that take nothing.
        by_nenette: whether that is the price of a nénette, and not what the best throw is worth.
    """

    stakes: tuple[int, ...]
    by_nenette: bool

    @property
    def tied(self) -> bool:
        """Whether nobody takes anything, and the round is thrown again."""
        return not any(self.stakes)


class Best(NamedTuple):
    """The best throw of a round whose worst throws were equal and are thrown again: it keeps the round's value.

    Attributes:
        seat: who threw it, and gives.
        dice: the throw.
    """

    seat: int
    dice: Dice


class Settlement(NamedTuple):
    """What a round has changed. All lists are in the order in which the players threw: the leader stands first.

    Attributes:
        claims: what was to be taken.
        from_bank: the fiches that each has taken from the bank.
        from_others: those that each has received from another player.
        fiches: what each holds after it; where some threw again, last what the player with the best throw holds.
        bank: what is left there.
        leads: who leads the next round: who has taken; of several who have, the last to throw; where nobody has, the
            last to throw of those who threw the worst.
        giver: whose throw was the best; of equal ones, the first. Where some threw again, who threw it before them: the
            last place in `fiches`.
    """

    claims: Claims
    from_bank: tuple[int, ...]
    from_others: tuple[int, ...]
    fiches: tuple[int, ...]
    bank: int
    leads: int
    giver: int

    def gives(self, place: int) -> int:
        """Whose fiches the player at that place receives."""
        return _gives(self.giver, place, len(self.from_bank))


def _gives(giver: int, place: int, throws: int) -> int:
    """Whose throw was the best; but where that was the worst, too, since all threw the same, nobody's own."""
    return giver if giver != place else (place + 1) % throws


def worst_places(throws: Sequence[Dice]) -> list[int]:
    """Where the worst of these throws stand: more than one place if several threw it."""
    strengths = [strength(dice) for dice in throws]
    return [place for place, of in enumerate(strengths) if of == min(strengths)]


def claims(throws: Sequence[Dice], rules: Quatre21Rules, *, charge: bool, best: Dice | None = None) -> Claims:
    """Who is to take how much. Rules, 2: the worst throw takes what the best is worth, a nénette its own price.

    Args:
        throws: the final throw of each player.
        rules: the rule set.
        charge: whether fiches come from the bank.
        best: the round's best throw, where those who threw worst have thrown again; None: it is among `throws`.
    """
    worst = worst_places(throws)
    by_nenette = NENETTE in throws and rules.nenette > 0 and (charge or rules.nenette_in_decharge)
    if len(worst) > 1 and not (by_nenette and not rules.nenettes_tie):
        return Claims((0,) * len(throws), False)
    stake = rules.nenette if by_nenette else worth(best or max(throws, key=strength), rules)
    return Claims(tuple(stake if place in worst else 0 for place in range(len(throws))), by_nenette)


def settle(
    throws: Sequence[Dice], rules: Quatre21Rules, fiches: Sequence[int], bank: int, best: Dice | None = None
) -> Settlement:
    """Settles a round: who takes what from where, and who leads next.

    Args:
        throws: the final throw of each player, in the order in which they threw.
        rules: the rule set.
        fiches: what each of them holds, in that order, and last what the player with the `best` throw holds, if it is
            given.
        bank: what the bank holds: none in the décharge.
        best: see `claims`.
    """
    charge, places = bank > 0, range(len(throws))
    claimed = claims(throws, rules, charge=charge, best=best)
    from_bank, from_others, after, left = [0] * len(throws), [0] * len(throws), list(fiches), list(fiches)
    giver = len(throws) if best else max(places, key=lambda place: strength(throws[place]))
    for place in places:
        lacking = claimed.stakes[place]
        if charge:
            from_bank[place] = min(lacking, bank)
            bank -= from_bank[place]
            lacking -= from_bank[place]
            if rules.nenette_capped or not claimed.by_nenette:
                lacking = 0
        gives = _gives(giver, place, len(throws))
        from_others[place] = min(lacking, left[gives])
        left[gives] -= from_others[place]
        after[place] += from_bank[place] + from_others[place]
        after[gives] -= from_others[place]
    takers = [place for place in places if claimed.stakes[place]] or worst_places(throws)
    return Settlement(claimed, tuple(from_bank), tuple(from_others), tuple(after), bank, takers[-1], giver)
