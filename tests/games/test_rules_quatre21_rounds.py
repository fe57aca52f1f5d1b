"""Rounds worked by hand: who takes how much from where, who leads next, and when a manche is lost."""

from fractions import Fraction
from typing import Any

import pytest

from nenette.games import make_game
from nenette.games.quatre21 import Quatre21, State
from nenette.games.quatre21_rules import Dice

HALF = Fraction(1, 2)
D421, D111, D666, D611, D333, D665 = (4, 2, 1), (1, 1, 1), (6, 6, 6), (6, 1, 1), (3, 3, 3), (6, 6, 5)
D554, D211, NENETTE = (5, 5, 4), (2, 1, 1), (2, 2, 1)


def game_of_421(**rules: Any) -> Quatre21:
    game = make_game("421", **rules)
    assert isinstance(game, Quatre21)
    return game


def charge(bank: int, fiches: tuple[int, int], leader: int = 0, manches: tuple[int, int] = (0, 0)) -> State:
    return State(manches, fiches, bank, (leader, 1 - leader))


def decharge(fiches: tuple[int, int], leader: int = 0, manches: tuple[int, int] = (0, 0)) -> State:
    return State(manches, fiches, 0, (leader, 1 - leader), limit=3)


def falls(game: Quatre21, state: State, dice: Dice) -> State:
    """The dice in hand fall so that the table shows `dice`, after which nothing is left to chance."""
    assert dict(game.chance(state, 7))[dice] > 0
    (after,) = game.follow(state, 7, dice).outcomes
    return after


def chooses(game: Quatre21, state: State, action: int) -> State:
    assert action in game.legal_actions(state)
    (after,) = game.outcomes(state, action).outcomes
    return after


def sec(game: Quatre21, state: State, leaders: Dice, followers: Dice) -> State:
    """A whole round in which each player throws once: in the décharge the leader stops at once."""
    state = falls(game, state, leaders)
    if state.dice:
        state = chooses(game, state, 0)
    return falls(game, state, followers)


# Charge


def test_charge_the_sources_example_554_takes_3_fiches_for_333() -> None:
    game = game_of_421()
    assert sec(game, charge(11, (0, 0)), D554, D333) == charge(8, (3, 0), leader=0)
    assert sec(game, charge(11, (0, 0)), D333, D554) == charge(8, (0, 3), leader=1)


def test_charge_no_more_is_taken_than_the_bank_has_and_the_decharge_is_led_by_the_loser() -> None:
    game = game_of_421()
    assert sec(game, charge(3, (0, 8)), D554, D111) == decharge((3, 8), leader=0)
    assert sec(game, charge(3, (8, 0)), D111, D554) == decharge((8, 3), leader=1)


def test_charge_nobody_decides_anything() -> None:
    game = game_of_421()
    state = charge(11, (0, 0))
    assert game.legal_actions(state) == (7,)
    after = falls(game, state, D665)
    assert game.legal_actions(after) == (7,)
    assert game.seat(after) == 1


def test_charge_666_loses_to_611_though_both_are_worth_6() -> None:
    assert sec(game_of_421(), charge(11, (0, 0)), D666, D611) == charge(5, (6, 0), leader=0)


def test_charge_a_tie_moves_no_fiche_and_is_led_by_whoever_threw_last() -> None:
    game = game_of_421()
    assert sec(game, charge(7, (4, 0), leader=0), D333, D333) == charge(7, (4, 0), leader=1)
    assert sec(game, charge(7, (4, 0), leader=1), D333, D333) == charge(7, (4, 0), leader=0)


def test_charge_a_bank_that_empties_into_one_hand_loses_the_manche_at_once() -> None:
    game = game_of_421()
    assert sec(game, charge(3, (8, 0)), D665, D421) == charge(11, (0, 0), leader=0, manches=(1, 0))
    assert sec(game, charge(3, (8, 0), leader=1), D421, D665) == charge(11, (0, 0), leader=0, manches=(1, 0))


def test_charge_with_one_fiche_in_the_bank_the_first_loser_loses_the_manche() -> None:
    game = game_of_421(fiches=1)
    assert sec(game, charge(1, (0, 0)), D665, D421) == charge(1, (0, 0), leader=0, manches=(1, 0))


# Décharge


def test_decharge_the_worst_receives_from_the_best_and_leads() -> None:
    game = game_of_421()
    assert sec(game, decharge((5, 6)), D111, NENETTE) == decharge((3, 8), leader=1)
    assert sec(game, decharge((5, 6)), D333, D665) == decharge((2, 9), leader=1)
    assert sec(game, decharge((5, 6)), D665, D333) == decharge((8, 3), leader=0)


def test_decharge_no_more_is_given_than_the_best_holds_and_that_loses_the_manche() -> None:
    game = game_of_421()
    assert sec(game, decharge((5, 6)), D421, D665) == charge(11, (0, 0), leader=1, manches=(0, 1))
    assert sec(game, decharge((9, 2)), D665, D211) == charge(11, (0, 0), leader=0, manches=(1, 0))
    assert sec(game, decharge((8, 3)), D665, D211) == decharge((10, 1), leader=0)


def test_decharge_a_tie_starts_a_round_with_a_fresh_limit_led_by_whoever_threw_last() -> None:
    assert sec(game_of_421(), decharge((5, 6)), D333, D333) == decharge((5, 6), leader=1)


def test_decharge_the_leader_may_throw_three_times_and_take_up_a_die_kept_before() -> None:
    game = game_of_421()
    state = falls(game, decharge((5, 6)), (6, 4, 2))
    assert game.legal_actions(state) == (0, 1, 2, 3, 4, 5, 6, 7)
    in_hand = chooses(game, state, 0b001)
    assert in_hand.dice == (4, 2)
    assert game.legal_actions(in_hand) == (7,)
    again = falls(game, in_hand, (4, 4, 2))
    assert (again.thrown, again.limit, game.seat(again)) == (2, 3, 0)
    assert game.legal_actions(again) == (0, 1, 2, 3, 4, 5, 6, 7)
    last = falls(game, chooses(game, again, 0b100), (4, 4, 4))  # the 2 was kept before
    assert last.throws == ((4, 4, 4),)
    assert (game.seat(last), last.limit, last.thrown, last.dice) == (1, 3, 0, ())


@pytest.mark.parametrize("leaders_throws", [1, 2, 3])
def test_decharge_the_follower_may_throw_as_often_as_the_leader_and_stop_before(leaders_throws: int) -> None:
    game = game_of_421()
    state = falls(game, decharge((5, 6)), D554)
    for _ in range(leaders_throws - 1):
        state = falls(game, chooses(game, state, 7), D554)
    if leaders_throws < 3:
        state = chooses(game, state, 0)
    assert (state.limit, state.throws) == (leaders_throws, (D554,))
    after = falls(game, state, D665)
    if leaders_throws == 1:
        assert after == decharge((6, 5), leader=0)  # it had to be content with its one throw
    else:
        assert game.legal_actions(after) == (0, 1, 2, 3, 4, 5, 6, 7)
        assert chooses(game, after, 0) == decharge((6, 5), leader=0)


def test_decharge_after_the_last_throw_nothing_is_left_to_decide() -> None:
    game = game_of_421()
    state = State((0, 0), (5, 6), 0, (0, 1), (D554,), limit=2, thrown=1, dice=(6, 6))
    assert falls(game, state, D665) == decharge((6, 5), leader=0)


# Nénette


@pytest.mark.parametrize("best", [D421, D111, D665, (3, 2, 2)])
def test_charge_a_nenette_takes_2_whatever_the_other_threw(best: Dice) -> None:
    assert sec(game_of_421(), charge(11, (0, 0)), NENETTE, best) == charge(9, (2, 0), leader=0)
    assert sec(game_of_421(), charge(11, (0, 0)), best, NENETTE) == charge(9, (0, 2), leader=1)


def test_charge_a_nenette_takes_no_more_than_the_bank_has() -> None:
    assert sec(game_of_421(), charge(1, (4, 6)), NENETTE, D421) == decharge((5, 6), leader=0)


@pytest.mark.parametrize("best", [D421, D111, D665])
def test_decharge_a_nenette_takes_2_from_the_other_whatever_it_threw(best: Dice) -> None:
    assert sec(game_of_421(), decharge((5, 6)), NENETTE, best) == decharge((7, 4), leader=0)


def test_decharge_a_nenette_takes_no_more_than_the_other_holds() -> None:
    assert sec(game_of_421(), decharge((10, 1)), NENETTE, D421) == charge(11, (0, 0), leader=0, manches=(1, 0))
    assert sec(game_of_421(nenette=5), decharge((7, 4)), NENETTE, D665) == charge(11, (0, 0), manches=(1, 0))


@pytest.mark.parametrize("before", [charge(7, (4, 0)), decharge((5, 6))])
def test_two_nenettes_are_a_tie(before: State) -> None:
    assert sec(game_of_421(), before, NENETTE, NENETTE) == before._replace(order=(1, 0))


def test_with_nenette_0_a_221_is_just_the_lowest() -> None:
    game = game_of_421(nenette=0)
    assert sec(game, charge(11, (0, 0)), NENETTE, D421) == charge(3, (8, 0), leader=0)
    assert sec(game, charge(11, (0, 0)), NENETTE, D665) == charge(10, (1, 0), leader=0)
    assert sec(game, decharge((5, 6)), NENETTE, D111) == charge(11, (0, 0), manches=(1, 0))
    assert sec(game, charge(11, (0, 0)), NENETTE, NENETTE) == charge(11, (0, 0), leader=1)


def test_without_nenette_in_decharge_it_counts_in_the_charge_alone() -> None:
    game = game_of_421(nenette_in_decharge=False)
    assert sec(game, charge(11, (0, 0)), NENETTE, D421) == charge(9, (2, 0), leader=0)
    assert sec(game, decharge((2, 9)), NENETTE, D421) == decharge((10, 1), leader=0)
    assert sec(game, decharge((2, 9)), NENETTE, D665) == decharge((3, 8), leader=0)


# Manches and the match


def test_21_fiches_and_10_for_421() -> None:
    game = game_of_421(fiches=21, value_of_421=10)
    assert {state.bank for state in game.initial().outcomes} == {21}
    assert sec(game, charge(21, (0, 0)), D421, D665) == charge(11, (0, 10), leader=1)
    assert sec(game, charge(11, (0, 10)), D421, D665) == charge(1, (0, 20), leader=1)
    assert sec(game, charge(1, (0, 20)), D421, D665) == charge(21, (0, 0), leader=1, manches=(0, 1))
    assert sec(game, charge(11, (0, 10)), D111, D665) == charge(4, (0, 17), leader=1)


def test_the_second_lost_manche_loses_the_match() -> None:
    game = game_of_421()
    after = sec(game, decharge((9, 2), manches=(1, 1)), D665, D211)
    assert after.manches == (2, 1)
    assert game.returns(after) == (-1.0, 1.0)
    assert game.returns(sec(game, decharge((9, 2), manches=(0, 1)), D665, D211)) is None


def test_one_manche_to_lose_makes_a_match_of_a_single_manche() -> None:
    after = sec(game_of_421(manches_to_lose=1), decharge((2, 9)), D211, D665)
    assert after.manches == (0, 1)
    assert game_of_421(manches_to_lose=1).returns(after) == (1.0, -1.0)
    assert game_of_421().returns(after) is None


def test_the_next_manche_is_led_by_the_loser_or_whoever_wins_the_opening() -> None:
    stop = decharge((2, 9), leader=0)._replace(throws=(D211,), limit=2, thrown=1, dice=D665)
    fresh = charge(11, (0, 0), leader=1, manches=(0, 1))
    assert dict(game_of_421().outcomes(stop, 0)) == {fresh: 1}
    by_opening = game_of_421(next_manche_leader="opening").outcomes(stop, 0)
    assert dict(by_opening) == {fresh: HALF, fresh._replace(order=(0, 1)): HALF}


def test_the_first_manche_is_led_by_whoever_wins_the_opening() -> None:
    assert dict(game_of_421().initial()) == {charge(11, (0, 0), leader=0): HALF, charge(11, (0, 0), leader=1): HALF}


# Variants of throwing


def test_a_follower_who_must_throw_exactly_as_often_cannot_stop_before() -> None:
    game = game_of_421(followers="exactly")
    led = chooses(game, falls(game, chooses(game, falls(game, decharge((5, 6)), D554), 7), D554), 0)
    assert led.limit == 2
    once = falls(game, led, D421)
    assert game.legal_actions(once) == (1, 2, 3, 4, 5, 6, 7)
    assert falls(game, chooses(game, once, 0b001), (2, 2, 1)) == decharge((3, 8), leader=1)


def test_the_leader_may_stop_whenever_also_where_followers_throw_exactly_as_often() -> None:
    game = game_of_421(followers="exactly")
    assert game.legal_actions(falls(game, decharge((5, 6)), D421)) == (0, 1, 2, 3, 4, 5, 6, 7)


def test_a_frozen_die_cannot_be_thrown_again() -> None:
    game = game_of_421(kept_dice="frozen")
    first = falls(game, decharge((5, 6)), (6, 4, 2))
    assert game.legal_actions(first) == (0, 1, 2, 3, 4, 5, 6, 7)  # nothing has been kept yet
    second = falls(game, chooses(game, first, 0b001), (4, 2, 2))  # 4 and 2 kept
    assert second.frozen == 0b011
    assert game.legal_actions(second) == (0, 0b100)
    third = falls(game, chooses(game, second, 0b100), D421)
    assert third.frozen == 0
    assert third.throws == (D421,)


def test_dice_thrown_all_together_freeze_none() -> None:
    game = game_of_421(kept_dice="frozen")
    again = falls(game, chooses(game, falls(game, decharge((5, 6)), D554), 7), D554)
    assert again.frozen == 0
    assert game.legal_actions(again) == (0, 1, 2, 3, 4, 5, 6, 7)


def test_a_follower_starts_with_no_die_frozen() -> None:
    game = game_of_421(kept_dice="frozen")
    second = falls(game, chooses(game, falls(game, decharge((5, 6)), (6, 4, 2)), 0b001), (4, 2, 2))
    handed_over = chooses(game, second, 0)
    assert (handed_over.frozen, handed_over.dice, handed_over.limit) == (0, (), 2)
    assert game.legal_actions(falls(game, handed_over, D554)) == (0, 1, 2, 3, 4, 5, 6, 7)


# Other readings


def test_a_nenette_that_is_not_capped_takes_what_the_bank_lacks_from_the_other() -> None:
    game = game_of_421(nenette_capped=False)
    assert sec(game, charge(1, (4, 6)), NENETTE, D421) == decharge((6, 5), leader=0)
    assert sec(game, charge(1, (4, 6)), D421, NENETTE) == decharge((3, 8), leader=1)
    assert sec(game, charge(2, (4, 5)), NENETTE, D421) == decharge((6, 5), leader=0)
    assert sec(game, charge(1, (10, 0)), D421, NENETTE) == decharge((9, 2), leader=1)
    assert sec(game, charge(1, (9, 1)), NENETTE, D421) == charge(11, (0, 0), leader=0, manches=(1, 0))


def test_only_a_nenette_takes_more_than_the_bank_has() -> None:
    assert sec(game_of_421(nenette_capped=False), charge(1, (4, 6)), D665, D421) == decharge((5, 6), leader=0)
    no_price = game_of_421(nenette_capped=False, nenette=0)
    assert sec(no_price, charge(1, (4, 6)), NENETTE, D421) == decharge((5, 6), leader=0)


@pytest.mark.parametrize(
    ("rules", "before", "after"),
    [
        ({}, charge(7, (4, 0)), charge(3, (6, 2), leader=1)),
        ({}, charge(3, (4, 4)), decharge((6, 5), leader=1)),
        ({}, charge(1, (4, 6)), decharge((5, 6), leader=1)),
        ({}, charge(1, (10, 0)), charge(11, (0, 0), leader=0, manches=(1, 0))),
        ({"nenette_capped": False}, charge(3, (4, 4)), decharge((5, 6), leader=1)),
        ({"nenette_capped": False}, charge(1, (10, 0)), decharge((9, 2), leader=1)),
        ({}, decharge((5, 6)), decharge((5, 6), leader=1)),
        ({}, decharge((10, 1)), decharge((9, 2), leader=1)),
        ({"nenette": 0}, charge(7, (4, 0)), charge(7, (4, 0), leader=1)),
        ({"nenette_in_decharge": False}, decharge((10, 1)), decharge((10, 1), leader=1)),
    ],
)
def test_two_nenettes_that_are_no_tie_take_two_each(rules: Any, before: State, after: State) -> None:
    assert sec(game_of_421(nenettes_tie=False, **rules), before, NENETTE, NENETTE) == after


def test_a_tie_may_keep_the_limit_of_its_round() -> None:
    game = game_of_421(limit_after_tie="kept")
    assert sec(game, decharge((5, 6)), D333, D333) == decharge((5, 6), leader=1)._replace(limit=1)
    state = falls(game, decharge((5, 6)), D554)
    state = chooses(game, falls(game, chooses(game, state, 7), D333), 0)
    tied = chooses(game, falls(game, state, D333), 0)
    assert tied == decharge((5, 6), leader=1)._replace(limit=2)
    assert sec(game, tied, D333, D665).limit == 3
    assert sec(game, charge(7, (4, 0)), D333, D333) == charge(7, (4, 0), leader=1)


def test_where_two_nenettes_are_no_tie_they_keep_no_limit() -> None:
    game = game_of_421(limit_after_tie="kept", nenettes_tie=False)
    assert sec(game, decharge((5, 6)), NENETTE, NENETTE).limit == 3
