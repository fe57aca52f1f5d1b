"""421 for two to six players, with ordered dice enumerated one by one.

A state is described by the same ten things as in the package (a plain tuple of them compares equal), but what comes
next is worked out anew. Bookkeeping that the rules leave open and the package chooses: a finished match shows a cleared
table with the loser first, and of equal dice those on the left are the frozen ones.

What a throw is worth and what falls is worked out once for each throw and then remembered: thousands of states ask.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

Dice = tuple[int, ...]

# In the order of the rules page, best first.
LISTED = [
    ("421", 8), ("111", 7), ("611", 6), ("666", 6), ("511", 5), ("555", 5), ("411", 4), ("444", 4),
    ("311", 3), ("333", 3), ("211", 2), ("222", 2), ("654", 2), ("543", 2), ("432", 2), ("321", 2),
]  # fmt: skip
NENETTE = (2, 2, 1)


@dataclass(frozen=True)
class Rules421:
    """The fields of the rules page, with its defaults."""

    players: int = 2
    fiches: int = 11
    value_of_421: int = 8
    nenette: int = 2
    nenette_in_decharge: bool = True
    manches_to_lose: int = 2
    next_manche_leader: str = "loser"
    followers: str = "at_most"
    kept_dice: str = "free"
    nenette_capped: bool = True
    nenettes_tie: bool = True
    limit_after_tie: str = "fresh"


class State421(NamedTuple):
    manches: tuple[int, ...]
    fiches: tuple[int, ...]
    bank: int
    order: tuple[int, ...]
    throws: tuple[Dice, ...] = ()
    limit: int = 1
    thrown: int = 0
    dice: Dice = ()
    frozen: int = 0
    best: tuple[int, Dice] | None = None  # while the tied throw again: who threw best, and what


def _high_to_low(dice: Dice) -> Dice:
    return tuple(sorted(dice, reverse=True))


def _best_first() -> list[str]:
    listed = [name for name, _ in LISTED]
    others = set()
    for dice in product((1, 2, 3, 4, 5, 6), repeat=3):
        name = "".join(str(face) for face in _high_to_low(dice))
        if name not in listed:
            others.add(name)
    return listed + sorted(others, key=int, reverse=True)


_BEST_FIRST = _best_first()


@cache
def quatre21_rank(dice: Dice) -> int:
    """Place among the 56 combinations, the best being 0 (421) and the worst 55 (nénette)."""
    return _BEST_FIRST.index("".join(str(face) for face in _high_to_low(dice)))


@cache
def quatre21_worth(dice: Dice, rules: Rules421) -> int:
    """Fiches that a combination is worth."""
    name = "".join(str(face) for face in _high_to_low(dice))
    if name == "421":
        return rules.value_of_421
    return dict(LISTED).get(name, 1)


def quatre21_fiches(throws: tuple[Dice, Dice], rules: Rules421, *, charge: bool) -> tuple[int, int] | None:
    """(which of the two throws takes, how many fiches if there are enough); None for a tie."""
    first, second = quatre21_rank(throws[0]), quatre21_rank(throws[1])
    if first == second:
        return None
    loser = 0 if first > second else 1
    nenette_counts = rules.nenette > 0 and (charge or rules.nenette_in_decharge)
    if _high_to_low(throws[loser]) == NENETTE and nenette_counts:
        return loser, rules.nenette
    return loser, quatre21_worth(throws[1 - loser], rules)


@cache
def quatre21_thrown(kept: Dice) -> dict[Dice, Fraction]:
    """What three dice show, high to low, once all but `kept` are thrown."""
    probabilities: dict[Dice, Fraction] = defaultdict(Fraction)
    in_hand = 3 - len(kept)
    for faces in product((1, 2, 3, 4, 5, 6), repeat=in_hand):
        probabilities[_high_to_low(kept + faces)] += Fraction(1, 6**in_hand)
    return dict(probabilities)


@cache
def quatre21_opening(players: int = 2) -> dict[int, Fraction]:
    """Who leads: the lower die of two; equal dice are thrown again, which leaves the unequal pairs, all as likely.

    More players: whoever comes first in a line of them drawn at random; the dice know no seat from another.
    """
    if players == 2:
        unequal = [(a, b) for a in range(1, 7) for b in range(1, 7) if a != b]
        two: dict[int, Fraction] = defaultdict(Fraction)
        for a, b in unequal:
            two[0 if a < b else 1] += Fraction(1, len(unequal))
        return dict(two)
    return {seat: Fraction(1, players) for seat in range(players)}


def _round_the_table(first: int, who: set[int], players: int) -> tuple[int, ...]:
    seats, at = [], first
    for _ in range(players):
        if at in who:
            seats.append(at)
        at = 0 if at + 1 == players else at + 1
    return tuple(seats)


def _new_manche(manches: tuple[int, ...], leader: int, rules: Rules421) -> State421:
    everybody = set(range(rules.players))
    nothing = tuple(0 for _ in everybody)
    return State421(manches, nothing, rules.fiches, _round_the_table(leader, everybody, rules.players))


def quatre21_start(rules: Rules421) -> dict[State421, Fraction]:
    """How a match starts."""
    nothing = tuple(0 for _ in range(rules.players))
    return {_new_manche(nothing, leader, rules): p for leader, p in quatre21_opening(rules.players).items()}


def quatre21_legal(state: State421, rules: Rules421) -> set[int]:
    """Actions: bit i throws die i of the table again, 0 stops; dice in hand must be thrown (7)."""
    if len(state[7]) < 3:
        return {7}
    _, _, _, _, throws, _, _, _, frozen, _ = state
    legal = set()
    for action in range(8):
        touches_a_frozen_die = any(action >> i & 1 and frozen >> i & 1 for i in range(3))
        must_throw = rules.followers == "exactly" and len(throws) >= 1
        if not touches_a_frozen_die and not (action == 0 and must_throw):
            legal.add(action)
    return legal


def quatre21_outcomes(state: State421, action: int, rules: Rules421) -> dict[State421, Fraction]:
    """The states that a legal action leads to, with their probabilities."""
    state = State421(*state)
    if len(state.dice) == 3 and action != 0:  # take up the dice chosen
        kept = tuple(state.dice[i] for i in range(3) if not action >> i & 1)
        return {state._replace(dice=kept, frozen=0): Fraction(1)}
    if len(state.dice) == 3:
        return _turn_ends(state, state.dice, state.thrown, rules)
    probabilities: dict[State421, Fraction] = defaultdict(Fraction)
    for dice, probability in quatre21_thrown(state.dice).items():
        thrown = state.thrown + 1
        if thrown == state.limit:
            after = _turn_ends(state, dice, thrown, rules)
        else:
            frozen = _frozen(state.dice, dice) if rules.kept_dice == "frozen" else 0
            after = {state._replace(dice=dice, thrown=thrown, frozen=frozen): Fraction(1)}
        for s, p in after.items():
            probabilities[s] += probability * p
    return dict(probabilities)


def _frozen(kept: Dice, dice: Dice) -> int:
    """The bits of the kept dice, each found leftmost among those not yet taken."""
    places: list[int] = []
    for face in kept:
        places.append(next(i for i in range(3) if dice[i] == face and i not in places))
    return sum(1 << i for i in places)


def _turn_ends(state: State421, dice: Dice, thrown: int, rules: Rules421) -> dict[State421, Fraction]:
    throws = (*state.throws, dice)
    if len(throws) == len(state.order):
        return _round_ends(state, throws, rules)
    may = thrown if len(throws) == 1 else state.limit  # the others throw at most as often as the first has
    return {state._replace(throws=throws, limit=may, thrown=0, dice=(), frozen=0): Fraction(1)}


def _round_ends(state: State421, throws: tuple[Dice, ...], rules: Rules421) -> dict[State421, Fraction]:
    in_charge = state.bank > 0
    nenette_counts = rules.nenette > 0 and (in_charge or rules.nenette_in_decharge)
    ranks = [quatre21_rank(dice) for dice in throws]
    worst = [seat for seat, rank in zip(state.order, ranks, strict=True) if rank == max(ranks)]
    is_nenette = nenette_counts and ranks.count(55) > 0
    first_of_best = min(range(len(throws)), key=lambda place: (ranks[place], place))
    best = state.best if state.best is not None else (state.order[first_of_best], throws[first_of_best])
    last = [seat for seat in state.order if seat in worst][-1]
    if len(worst) > 1 and not (is_nenette and not rules.nenettes_tie):
        return {_tied(state, worst, last, best, rules): Fraction(1)}
    # Each of the worst takes, in the order of their throws, of each other no more than was there before.
    fiches, bank = list(state.fiches), state.bank
    purses = list(state.fiches)
    for seat in worst:
        wanted = rules.nenette if is_nenette else quatre21_worth(best[1], rules)
        if in_charge:
            got = min(bank, wanted)
            bank, fiches[seat] = bank - got, fiches[seat] + got
            wanted = wanted - got if is_nenette and not rules.nenette_capped else 0
        pays = best[0] if best[0] != seat else state.order[1]  # the best throw is its own only if all are the same
        moved = min(wanted, purses[pays])
        purses[pays] -= moved
        fiches[seat] += moved
        fiches[pays] -= moved
    for seat in range(rules.players):
        if fiches[seat] == rules.fiches:
            return _manche_ends(state.manches, seat, rules)
    plays = {seat for seat in range(rules.players) if bank > 0 or fiches[seat] > 0}
    order = _round_the_table(last, plays, rules.players)
    limit = 1 if bank > 0 else 3
    return {State421(state.manches, tuple(fiches), bank, order, limit=limit): Fraction(1)}


def _tied(state: State421, worst: list[int], last: int, best: tuple[int, Dice], rules: Rules421) -> State421:
    """The tied throw again, whoever threw last first; where all are, it is a new round."""
    limit = 1 if state.bank > 0 else state.limit if rules.limit_after_tie == "kept" else 3
    everybody_tied = state.best is None and len(worst) == len(state.order)
    order = _round_the_table(last, set(worst), rules.players)
    again = None if everybody_tied else best
    return State421(state.manches, state.fiches, state.bank, order, limit=limit, best=again)


def _manche_ends(manches: tuple[int, ...], loser: int, rules: Rules421) -> dict[State421, Fraction]:
    lost = tuple(count + 1 if seat == loser else count for seat, count in enumerate(manches))
    if lost[loser] == rules.manches_to_lose or rules.next_manche_leader == "loser":
        return {_new_manche(lost, loser, rules): Fraction(1)}
    return {_new_manche(lost, leader, rules): p for leader, p in quatre21_opening(rules.players).items()}
