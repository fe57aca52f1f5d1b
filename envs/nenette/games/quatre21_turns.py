"""421's turns as a graph, and its rounds by kind: made once from the rules, for all code that writes the game out as
tables.

A turn looks the same whatever the fiches are, and what a round does depends on its throws only through what is claimed.
"""

from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nenette.games.quatre21 import Quatre21, State
from nenette.games.quatre21_rules import COMBINATIONS, Claims, Dice, Quatre21Rules, claims

__all__ = ["COMBINATION_INDEX", "Level", "explore_turn", "kinds_of_rounds", "stakes_of_rounds"]

COMBINATION_INDEX = {dice: index for index, dice in enumerate(COMBINATIONS)}


@dataclass
class Level:
    """Positions within a turn that are alike: all dice on the table after so many throws, or all dice taken up.

    An edge ends in a position of the next level, or ends the turn with a combination.
    """

    positions: list[State] = field(default_factory=list)
    row_position: list[int] = field(default_factory=list)
    row_action: list[int] = field(default_factory=list)
    edge_row: list[int] = field(default_factory=list)
    edge_target: list[int] = field(default_factory=list)
    edge_ends_turn: list[bool] = field(default_factory=list)
    edge_probability: list[float] = field(default_factory=list)
    thrown: int = 0
    """Throws made once an edge that ends the turn is taken."""


def explore_turn(game: Quatre21, start: State) -> list[Level]:
    """All positions of the turn that begins in `start`, level by level."""
    levels = []
    positions = {start: 0}
    while positions:
        level, following = Level(list(positions)), dict[State, int]()
        for index, state in enumerate(level.positions):
            for action in game.legal_actions(state):
                row = len(level.row_action)
                level.row_position.append(index)
                level.row_action.append(action)
                for fallen, probability in game.chance(state, action):
                    after = game.follow(state, action, fallen).outcomes[0]
                    goes_on = after.thrown > 0
                    final = state.dice if fallen is None else fallen
                    target = following.setdefault(after, len(following)) if goes_on else COMBINATION_INDEX[final]
                    level.edge_row.append(row)
                    level.edge_target.append(target)
                    level.edge_ends_turn.append(not goes_on)
                    level.edge_probability.append(float(probability))
                    if not goes_on:
                        level.thrown = state.thrown + (fallen is not None)
        levels.append(level)
        positions = following
    return levels


def kinds_of_rounds(game: Quatre21, *, charge: bool) -> tuple[NDArray[np.int64], list[tuple[Dice, Dice]]]:
    """Rounds that are settled alike wherever they are played are of one kind.

    Returns:
        int64, (56, 56): the kind of each pair of combinations, the leader's and the follower's; and of each kind an
        example.
    """
    kinds: dict[Claims, int] = {}
    examples: list[tuple[Dice, Dice]] = []
    kind_of = np.empty((len(COMBINATIONS), len(COMBINATIONS)), dtype=np.int64)
    for (i, leader), (j, follower) in product(enumerate(COMBINATIONS), repeat=2):
        kind = kinds.setdefault(claims((leader, follower), game.rules, charge=charge), len(examples))
        if kind == len(examples):
            examples.append((leader, follower))
        kind_of[i, j] = kind
    return kind_of, examples


def stakes_of_rounds(rules: Quatre21Rules) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """What a round of any number of players is about: it depends on its best and its worst throw alone.

    Returns:
        int32, (2, 2, 56, 56): what each of those who threw worst is to take, in the décharge (0) and in the charge (1),
        if one (0) or several (1) threw it, by the best combination and the worst; 0: a tie. And bool, (2, 2, 56, 56):
        whether that is the price of a nénette.
    """
    n = len(COMBINATIONS)
    stakes, by_nenette = np.zeros((2, 2, n, n), dtype=np.int32), np.zeros((2, 2, n, n), dtype=np.bool_)
    for charge, (b, best), (w, worst) in product((0, 1), enumerate(COMBINATIONS), enumerate(COMBINATIONS)):
        for several, other in ((0, COMBINATIONS[0]), (1, worst)):
            if several or worst != other:  # the best combination is never the worst of different ones
                claimed = claims((other, worst), rules, charge=bool(charge), best=best)
                stakes[charge, several, b, w] = claimed.stakes[1]
                by_nenette[charge, several, b, w] = claimed.by_nenette
    return stakes, by_nenette
