"""Rounds of 421 for three and more worked by hand: who throws again, who gives, who sits out, who leads next."""

from fractions import Fraction
from typing import Any

import pytest

from nenette.games.quatre21 import Quatre21, Quatre21Rules, State
from nenette.games.quatre21_rules import Best, Dice

D421, D111, D554, D333, D665, D664, NENETTE = (
    (4, 2, 1),
    (1, 1, 1),
    (5, 5, 4),
    (3, 3, 3),
    (6, 6, 5),
    (6, 6, 4),
    (2, 2, 1),
)
NOBODY = (0, 0, 0)


def game_for(players: int = 3, **rules: Any) -> Quatre21:
    return Quatre21(Quatre21Rules(players=players, **rules))


def thrown(game: Quatre21, state: State, *throws: Dice) -> State:
    """What comes of a round in which everybody throws once and these dice fall, in the order of the throws."""
    for dice in throws:
        assert dict(game.chance(state, 7))[dice] > 0
        (state,) = game.follow(state, 7, dice).outcomes
        if state.dice == dice:
            (state,) = game.follow(state, 0, None).outcomes
    return state


def test_the_worst_of_three_takes_what_the_best_is_worth_and_leads_round_the_table() -> None:
    start = State(NOBODY, NOBODY, 11, (1, 2, 0))
    assert thrown(game_for(), start, D333, D111, D665) == State(NOBODY, (7, 0, 0), 4, (0, 1, 2))


def test_equal_best_throws_are_worth_what_one_is_and_the_first_thrower_gives() -> None:
    start = State(NOBODY, (5, 3, 3), 0, (1, 2, 0), limit=3)
    assert thrown(game_for(), start, D333, D333, D665) == State(NOBODY, (8, 0, 3), 0, (0, 2), limit=3)


def test_those_who_threw_worst_together_throw_again_alone_and_the_best_throw_keeps_its_worth() -> None:
    game = game_for(4)
    start = State((0, 0, 0, 0), (4, 3, 2, 2), 0, (2, 3, 0, 1), limit=3)
    again = thrown(game, start, D665, D111, D665, D333)
    assert again == State((0, 0, 0, 0), (4, 3, 2, 2), 0, (0, 2), limit=3, best=Best(3, D111))
    assert game.legal_actions(again) == (7,)
    # A throw better than the round's best is no new best: the player who had it gives, as much as there is.
    assert thrown(game, again, D421, D554) == State((0, 0, 0, 0), (4, 3, 4, 0), 0, (2, 0, 1), limit=3)


def test_the_tied_throw_until_one_of_them_is_worst() -> None:
    game = game_for(4)
    start = State((0, 0, 0, 0), (0, 0, 0, 0), 11, (0, 1, 2, 3))
    three = thrown(game, start, D665, D665, D333, D665)
    assert three == State((0, 0, 0, 0), (0, 0, 0, 0), 11, (3, 0, 1), best=Best(2, D333))
    two = thrown(game, three, D554, D111, D554)
    assert two == State((0, 0, 0, 0), (0, 0, 0, 0), 11, (1, 3), best=Best(2, D333))
    same = thrown(game, two, D664, D664)
    assert same == two._replace(order=(3, 1))
    assert thrown(game, same, D664, D665) == State((0, 0, 0, 0), (0, 0, 0, 3), 8, (3, 0, 1, 2))


def test_where_all_threw_the_same_the_round_begins_anew_led_by_the_last() -> None:
    start = State(NOBODY, (4, 4, 3), 0, (1, 2, 0), limit=3)
    assert thrown(game_for(), start, D333, D333, D333) == start._replace(order=(0, 1, 2))


@pytest.mark.parametrize(("limit_after_tie", "limit"), [("fresh", 3), ("kept", 1)])
def test_the_tied_have_a_fresh_limit_unless_it_is_kept(limit_after_tie: str, limit: int) -> None:
    start = State(NOBODY, (4, 4, 3), 0, (1, 2, 0), limit=3)
    after = thrown(game_for(limit_after_tie=limit_after_tie), start, D665, D333, D665)
    assert (after.order, after.limit) == ((0, 1), limit)


def test_a_nenette_takes_its_own_price_also_of_those_who_throw_again() -> None:
    game = game_for()
    start = State(NOBODY, (4, 4, 3), 0, (0, 1, 2), limit=3)
    assert thrown(game, start, D421, D665, NENETTE) == State(NOBODY, (2, 4, 5), 0, (2, 0, 1), limit=3)
    again = thrown(game, start, D111, NENETTE, NENETTE)
    assert again == State(NOBODY, (4, 4, 3), 0, (2, 1), limit=3, best=Best(0, D111))
    assert thrown(game, again, NENETTE, D665) == State(NOBODY, (2, 4, 5), 0, (2, 0, 1), limit=3)
    assert thrown(game, again, D664, D665) == State(NOBODY, (0, 4, 7), 0, (2, 1), limit=3)


def test_two_nenettes_that_do_not_tie_take_one_after_the_other_what_is_there() -> None:
    game = game_for(nenettes_tie=False)
    start = State(NOBODY, (3, 4, 4), 0, (2, 0, 1), limit=3)
    assert thrown(game, start, NENETTE, D665, NENETTE) == State(NOBODY, (0, 5, 6), 0, (1, 2), limit=3)


def test_who_holds_nothing_when_the_bank_is_empty_sits_out() -> None:
    game = game_for()
    start = State(NOBODY, (5, 0, 4), 2, (0, 1, 2))
    after = thrown(game, start, D665, D333, D554)
    assert after == State(NOBODY, (5, 0, 6), 0, (2, 0), limit=3)
    assert thrown(game, after, D665, D554) == State(NOBODY, (6, 0, 5), 0, (0, 2), limit=3)


def test_the_manche_is_lost_by_whoever_ends_up_with_everything_and_the_others_share_the_win() -> None:
    game = game_for()
    start = State((0, 0, 1), (4, 0, 7), 0, (2, 0), limit=3)
    lost = thrown(game, start, D665, D111)
    assert lost == State((0, 0, 2), NOBODY, 11, (2, 0, 1))
    assert game.returns(lost) == (0.5, 0.5, -1.0)
    next_manche = thrown(game, start._replace(fiches=(7, 0, 4), order=(0, 2)), D665, D111)
    assert next_manche == State((1, 0, 1), NOBODY, 11, (0, 1, 2))


def test_a_new_opening_is_led_by_each_equally_often() -> None:
    game = game_for(5, next_manche_leader="opening", fiches=1)
    start = State((0,) * 5, (0,) * 5, 1, (0, 1, 2, 3, 4), throws=(D111, D554, D664, D333))
    outcomes = dict(game.follow(start, 7, D665))
    assert {state.order[0]: p for state, p in outcomes.items()} == dict.fromkeys(range(5), Fraction(1, 5))


def test_what_lies_on_the_table_is_seen_from_every_seat() -> None:
    game = game_for(4)
    state = State((0, 1, 0, 0), (4, 3, 2, 2), 0, (0, 2), (D554,), 2, 1, (6, 4, 1), 0, Best(3, D111))
    for seat in range(4):
        seen = dict(zip(game.codec.names, game.encode(state, seat), strict=True))
        assert seen["seats until the player to move"] == (2 - seat) % 4
        assert seen["own fiches"] == state.fiches[seat]
        assert bool(seen["own throw"]) == (seat in (0, 3))
        assert seen["you are in this round"] == (seat in (0, 2))
        assert seen["the weakest throw"] > 0
