"""421: what a seat sees, as features."""

from collections.abc import Sequence

import numpy as np

from nenette.games.observation import Feature, bit, one_hot
from nenette.games.quatre21_rules import COMBINATIONS, HANDS, MAX_THROWS, Dice, Quatre21Rules, strength, worth

__all__ = ["FOR_TWO", "features"]


FOR_TWO = 2


def features(rules: Quatre21Rules) -> list[Feature]:
    """The fields of an observation, in the order of `Quatre21.encode`."""
    throws: list[Dice] = [(), *reversed(COMBINATIONS)]
    if rules.players == FOR_TWO:
        others = ["the other's"]
        turns = [bit("it is the other's move"), bit("the other leads")]
        this_round = [_dice_feature("the leader's throw", throws, rules)]
    else:
        players = ["the next player", *(f"player +{k}" for k in range(2, rules.players))]
        others = [f"{player}'s" for player in players]
        turns = [
            one_hot("seats until the player to move", rules.players),
            one_hot("seats until the leader", rules.players),
        ]
        this_round = [
            *(bit(f"{player} in this round") for player in ("you are", *(f"{other} is" for other in players))),
            *(_dice_feature(f"{whose} throw", throws, rules) for whose in ("own", *others)),
            _dice_feature("the weakest throw", throws, rules),
        ]
    return [
        *(one_hot(f"{whose} fiches de manche", rules.manches_to_lose + 1) for whose in ("own", *others)),
        *(one_hot(f"{whose} fiches", rules.fiches + 1) for whose in ("own", *others)),
        one_hot("fiches in the bank", rules.fiches + 1),
        *turns,
        *this_round,
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
