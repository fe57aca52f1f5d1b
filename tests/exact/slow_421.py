"""A manche of 421 solved again: on the re-stated rules, with dense arrays, by value iteration from both ends."""

from itertools import product

import numpy as np
from numpy.typing import NDArray
from restatement import Rules421, quatre21_fiches, quatre21_thrown

Floats = NDArray[np.float64]

COMBINATIONS = sorted({tuple(sorted(dice, reverse=True)) for dice in product(range(1, 7), repeat=3)})


def _keepable(dice: tuple[int, ...]) -> set[tuple[int, ...]]:
    """What may stay on the table when at least one die is thrown again."""
    return {tuple(die for i, die in enumerate(dice) if keeps >> i & 1) for keeps in range(7)}


KEPT = sorted(set().union(*map(_keepable, COMBINATIONS)))
CAN_KEEP = np.array([[kept in _keepable(dice) for kept in KEPT] for dice in COMBINATIONS])
THROWS = np.array([[float(quatre21_thrown(kept).get(dice, 0)) for dice in COMBINATIONS] for kept in KEPT])
FIRST_THROW = THROWS[KEPT.index(())]


def best_turn(stopping: list[Floats | None]) -> Floats:
    """Worth of a turn to who takes it, from that of stopping after 1, 2, ... throws, (..., 56) (None: not allowed)."""
    worth = stopping[-1]
    for stopped in stopping[-2::-1]:
        again = np.where(CAN_KEEP, (worth @ THROWS.T)[..., None, :], -np.inf).max(axis=-1)
        worth = again if stopped is None else np.maximum(stopped, again)
    return worth @ FIRST_THROW


class SlowManche:
    """The chance that the leader of a round wins the manche."""

    def __init__(self, rules: Rules421) -> None:
        self.rules = rules
        total = rules.fiches
        # For each number of the leader's fiches and each pair of throws: what the next leader holds.
        self.next_held = np.zeros((total - 1, 56, 56), dtype=np.int64)
        self.leads_again = np.zeros((56, 56), dtype=bool)
        for (i, mine), (j, other) in product(enumerate(COMBINATIONS), repeat=2):
            taken = quatre21_fiches((mine, other), rules, charge=False)
            self.leads_again[i, j] = taken is not None and taken[0] == 0
            for own in range(1, total):
                held = own if self.leads_again[i, j] else total - own
                self.next_held[own - 1, i, j] = min(held + (taken[1] if taken else 0), total)

    def round(self, own: Floats, others: Floats) -> Floats:
        """(fiches - 1,): chances of a leader who holds 1, 2, ..., from those of the next round's.

        These are `own` where it leads again, and `others` where the other leads.
        """
        own, others = (np.concatenate([wins, [0.0]])[self.next_held - 1] for wins in (own, others))  # all held: lost
        leaders = np.where(self.leads_again, own, 1.0 - others)
        exactly = self.rules.followers == "exactly"
        stops = [1.0 - best_turn([None if exactly else 1.0 - leaders] * k + [1.0 - leaders]) for k in range(3)]
        return best_turn(stops)

    def bounds(self, width: float) -> tuple[Floats, Floats]:
        """The same in the end, from below and from above, at most `width` apart."""
        low, high = np.zeros(self.rules.fiches - 1), np.ones(self.rules.fiches - 1)
        while len(low) and (high - low).max() > width:
            low, high = self.round(low, high), self.round(high, low)
        return low, high

    def charge(self, wins: Floats) -> dict[tuple[int, int], float]:
        """Chances of the leader of a charge round, by (own fiches, the other's); `wins` are those of `bounds`."""
        total, chances = self.rules.fiches, dict[tuple[int, int], float]()
        kinds: dict[tuple[int, int] | None, float] = {}
        for (i, mine), (j, other) in product(enumerate(COMBINATIONS), repeat=2):
            taken = quatre21_fiches((mine, other), self.rules, charge=True)
            kinds[taken] = kinds.get(taken, 0.0) + FIRST_THROW[i] * FIRST_THROW[j]
        tie = kinds.pop(None)

        def next_leaders(own: int, other: int) -> float:
            if own == total:
                return 0.0
            return float(wins[own - 1]) if own + other == total else chances[own, other]

        for bank in range(1, total + 1):
            untied = {}
            for own in range(total - bank + 1):
                other = total - bank - own
                untied[own, other] = sum(
                    p
                    * (
                        next_leaders(own + min(n, bank), other)
                        if loser == 0
                        else 1 - next_leaders(other + min(n, bank), own)
                    )
                    for (loser, n), p in kinds.items()
                )
            for (own, other), here in untied.items():
                # After a tie the other leads: x = here + tie (1 - y) and y = there + tie (1 - x).
                chances[own, other] = (here + tie * (1 - untied[other, own] - tie)) / (1 - tie**2)
        return chances
