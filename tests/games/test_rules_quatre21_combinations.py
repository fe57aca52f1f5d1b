from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from restatement import LISTED, Rules421, quatre21_opening, quatre21_rank, quatre21_thrown, quatre21_worth

from nenette.games.quatre21 import Quatre21Rules
from nenette.games.quatre21_rules import (
    COMBINATIONS,
    HANDS,
    NENETTE,
    Dice,
    claims,
    opening,
    strength,
    throw,
    worth,
)

ALL_KEPT = [hand for n in range(4) for hand in combinations_with_replacement((6, 5, 4, 3, 2, 1), n)]


@pytest.mark.parametrize("kept", ALL_KEPT)
def test_a_throw_has_the_probabilities_of_ordered_dice(kept: Dice) -> None:
    assert dict(throw(kept)) == quatre21_thrown(kept)


def test_the_hands_are_all_that_can_lie_on_the_table() -> None:
    assert sorted(HANDS) == sorted(ALL_KEPT)
    assert len(HANDS) == len(set(HANDS)) == 84


def test_every_throw_of_three_dice_ranks_as_on_the_rules_page() -> None:
    for dice in product(range(1, 7), repeat=3):
        shown = tuple(sorted(dice, reverse=True))
        assert strength(shown) == 55 - quatre21_rank(dice)
        assert COMBINATIONS[quatre21_rank(dice)] == shown


@pytest.mark.parametrize("value_of_421", [1, 8, 10])
def test_every_throw_is_worth_what_the_rules_page_says(value_of_421: int) -> None:
    for dice in COMBINATIONS:
        expected = quatre21_worth(dice, Rules421(value_of_421=value_of_421))
        assert worth(dice, Quatre21Rules(value_of_421=value_of_421)) == expected


def test_the_listed_combinations_come_first_in_the_order_listed() -> None:
    assert ["".join(map(str, dice)) for dice in COMBINATIONS[:16]] == [name for name, _ in LISTED]
    assert [worth(dice, Quatre21Rules()) for dice in COMBINATIONS[:16]] == [fiches for _, fiches in LISTED]


def test_the_others_descend_from_665_to_the_nenette() -> None:
    assert COMBINATIONS[16:19] == ((6, 6, 5), (6, 6, 4), (6, 6, 3))
    assert COMBINATIONS[-3:] == ((3, 3, 1), (3, 2, 2), (2, 2, 1))
    assert len(COMBINATIONS) == len(set(COMBINATIONS)) == 56
    assert strength(NENETTE) == 0
    assert strength((4, 2, 1)) == 55


def test_three_dice_show_421_six_times_in_216_and_a_triple_once() -> None:
    probabilities = dict(throw(()))
    assert probabilities[4, 2, 1] == Fraction(6, 216)
    assert probabilities[6, 6, 6] == Fraction(1, 216)
    assert probabilities[NENETTE] == Fraction(3, 216)
    assert dict(throw((4, 2)))[4, 2, 1] == Fraction(1, 6)
    assert dict(throw((2,)))[2, 2, 1] == Fraction(2, 36)
    assert dict(throw((5, 4, 3))) == {(5, 4, 3): 1}


def test_the_opening_favours_nobody() -> None:
    assert dict(opening(2)) == quatre21_opening() == {0: Fraction(1, 2), 1: Fraction(1, 2)}
    counts = Counter(min(range(3), key=dice.__getitem__) for dice in product(range(6), repeat=3) if _one_lowest(dice))
    assert len(set(counts.values())) == 1
    assert dict(opening(3)) == dict.fromkeys(range(3), Fraction(1, 3))


def _one_lowest(dice: tuple[int, ...]) -> bool:
    return dice.count(min(dice)) == 1


@pytest.mark.parametrize(
    ("throws", "stakes"),
    [
        ([(5, 5, 4), (3, 3, 3)], (3, 0)),
        ([(4, 2, 1), NENETTE], (0, 2)),
        ([NENETTE, NENETTE], (0, 0)),
        ([(6, 1, 1), (6, 6, 6)], (0, 6)),  # worth the same, yet not equal
    ],
)
def test_the_worst_throw_takes_unless_it_is_shared(throws: list[Dice], stakes: tuple[int, ...]) -> None:
    assert claims(throws, Quatre21Rules(), charge=True).stakes == stakes
