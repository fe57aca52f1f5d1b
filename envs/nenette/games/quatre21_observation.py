"""421: what a seat sees, as features."""

from collections.abc import Sequence

import numpy as np

from nenette.games.observation import Feature, bit, one_hot
from nenette.games.quatre21_rules import COMBINATIONS, HANDS, MAX_THROWS, Dice, Quatre21Rules, strength, worth

__all__ = ["features"]


def features(rules: Quatre21Rules) -> list[Feature]:
    """The fields of an observation, in the order of `Quatre21.encode`."""
    leaders: list[Dice] = [(), *reversed(COMBINATIONS)]
    return [
        one_hot("own fiches de manche", rules.manches_to_lose + 1),
        one_hot("the other's fiches de manche", rules.manches_to_lose + 1),
        one_hot("own fiches", rules.fiches + 1),
        one_hot("the other's fiches", rules.fiches + 1),
        one_hot("fiches in the bank", rules.fiches + 1),
        bit("it is the other's move"),
        bit("the other leads"),
        _dice_feature("the leader's throw", leaders, rules),
        one_hot("throws allowed, less one,", MAX_THROWS),
        one_hot("throws made", MAX_THROWS),
        _dice_feature("dice on the table", HANDS, rules),
        _frozen_feature(),
    ]


def _dice_feature(name: str, values: Sequence[Dice], rules: Quatre21Rules) -> Feature:
    """Each die's face as a one-hot block, then the strength and the worth of three dice, scaled to (0, 1]."""
    best = max(worth(dice, rules) for dice in COMBINATIONS)
    table = np.zeros((len(values), 3 * 6 + 2), dtype=np.float32)
    for row, dice in zip(table, values, strict=True):
        for i, die in enumerate(dice):
            row[6 * i + die - 1] = 1
        if len(dice) == 3:
            row[18] = (strength(dice) + 1) / len(COMBINATIONS)
            row[19] = worth(dice, rules) / best
    code = np.array([face * 7.0**i for i in range(3) for face in range(1, 7)] + [0.0, 0.0])
    labels = [f"{name}: die {i} is {face}" for i in range(1, 4) for face in range(1, 7)]
    return Feature(name, table, code, (*labels, f"{name}: strength", f"{name}: worth"))


def _frozen_feature() -> Feature:
    table = np.array([[mask >> i & 1 for i in range(3)] for mask in range(8)], dtype=np.float32)
    return Feature("frozen dice", table, np.array([1.0, 2.0, 4.0]), tuple(f"die {i} is frozen" for i in range(1, 4)))
