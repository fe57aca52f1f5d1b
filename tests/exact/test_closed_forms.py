"""Games whose values are known in closed form, those in which play may never end among them."""

import re

import numpy as np
import pytest
from made_up_games import LOSES, WINS, model_of_table, value_of_play

from nenette.exact import Unsolvable, best_response, model_of, solve_zero_sum
from nenette.games import make_game


def passes(position: int) -> tuple[int, str]:
    return position, "passes"


def attained(model, response, opponent=None):
    """The value of the rows that a response names, after a check that it is the value that it states."""
    values = value_of_play(model, model.pure(response.rows), opponent)
    np.testing.assert_allclose(values, response.values, atol=1e-12, rtol=1e-9)
    return values


@pytest.mark.parametrize("tries", [1, 2, 6, 1000, 10**6])
def test_a_chance_of_one_in_so_many_takes_as_many_turns(tries):
    waiting = {WINS: 1, 0: tries - 1} if tries > 1 else {WINS: 1}
    model = model_of_table([[waiting]], players=1, turn_reward=-1.0)
    assert attained(model, best_response(model))[0, 0] == pytest.approx(-tries, rel=1e-9)


def test_collecting_six_faces_takes_14_7_throws():
    # With k faces missing a throw finds one of them k times in 6: the coupon collector's 6 (1 + 1/2 + ... + 1/6).
    table = [[{found: found, found + 1: 6 - found} if found else {1: 6}] for found in range(5)]
    table += [[{5: 5, WINS: 1}]]
    model = model_of_table(table, players=1, turn_reward=-1.0)
    assert attained(model, best_response(model))[0, 0] == pytest.approx(-14.7, abs=1e-12)


def test_the_faster_of_two_ways_is_taken_though_it_begins_slowly():
    # One in 10 each turn (10 turns on average), or two turns for certain and then one in 2 (4 turns).
    table = [[{WINS: 1, 0: 9}, {1: 1}], [{2: 1}], [{WINS: 1, 2: 1}]]
    model = model_of_table(table, players=1, turn_reward=-1.0)
    response = best_response(model)
    assert attained(model, response)[:, 0] == pytest.approx([-4, -3, -2])
    assert model.row_action[response.rows[0]] == 1


def test_who_throws_a_six_first():
    # v = p - (1 - p) v, hence v = p / (2 - p): the first of two wins 6 games in 11.
    model = model_of_table([[{WINS: 1, passes(0): 5}]])
    equilibrium = solve_zero_sum(model)
    assert equilibrium.values[0] == pytest.approx(1 / 11, abs=1e-15)
    assert equilibrium.residual < 1e-15


def test_a_safe_and_a_risky_way_to_a_six():
    # v = (w - l) / (2 - w - l): 1/11 with w = 1/6 and l = 0; 1/17 with w = 1/3 and l = 1/4.
    model = model_of_table([[{WINS: 4, LOSES: 3, passes(0): 5}, {WINS: 1, passes(0): 5}]])
    equilibrium = solve_zero_sum(model)
    assert equilibrium.values[0] == pytest.approx(1 / 11, abs=1e-15)
    assert model.row_action[equilibrium.rows[0]] == 1


def test_equally_good_actions_are_settled_for_the_first():
    model = model_of_table([[{WINS: 1, passes(0): 5}, {WINS: 1, passes(0): 5}, {WINS: 2, passes(0): 10}]])
    assert solve_zero_sum(model).rows.tolist() == [0]


def test_a_long_wait_for_more_beats_less_at_once():
    # Leave now and win 6 games in 10, worth 1/5; or wait for an event of three in a million, two of them wins: 1/3.
    million = 10**6
    table = [[{WINS: 6, LOSES: 4}, {WINS: 2, LOSES: 1, 0: million - 3}]]
    model = model_of_table(table, players=1)
    response = best_response(model)
    assert attained(model, response)[0, 0] == pytest.approx(1 / 3, abs=1e-9)
    # Values that have all but stopped changing say little here: a hundred rounds of value iteration are still at 1/5.
    value = 0.0
    for _ in range(100):
        value = max(0.2, (1 + (million - 3) * value) / million)
    assert value == pytest.approx(0.2, abs=1e-4)


def test_for_two_a_long_wait_for_more_beats_less_at_once():
    million = 10**6
    model = model_of_table([[{WINS: 6, LOSES: 4}, {WINS: 2, LOSES: 1, 0: million - 3}]])
    assert solve_zero_sum(model).values[0] == pytest.approx(1 / 3, abs=1e-9)


def test_for_ever_beats_an_exit_that_loses():
    model = model_of_table([[{0: 1}, {WINS: 1, LOSES: 3}]], players=1)
    response = best_response(model)
    assert attained(model, response)[0, 0] == 0
    assert response.rows.tolist() == [0]


def test_an_exit_that_wins_is_really_taken():
    # Round and round 0, 1, 2 is free, and so is waiting anywhere; the only exit that pays leaves from 2.
    table = [[{0: 1}, {1: 1}], [{1: 1}, {2: 1}], [{2: 1}, {0: 1}, {WINS: 3, LOSES: 1}]]
    model = model_of_table(table, players=1)
    response = best_response(model)
    assert attained(model, response)[:, 0] == pytest.approx([0.5, 0.5, 0.5])
    assert model.row_action[response.rows].tolist() == [1, 1, 2]


def test_the_best_of_several_exits_is_taken():
    table = [[{1: 1}, {WINS: 5, LOSES: 3}], [{0: 1}, {WINS: 3, LOSES: 1}], [{0: 1}, {WINS: 9, LOSES: 1}]]
    model = model_of_table(table, players=1)
    assert attained(model, best_response(model))[:, 0] == pytest.approx([0.5, 0.5, 0.8])


def test_before_the_choice_to_stay_chance_may_win_or_lose():
    # From 0 half of the games are lost, the others come to 1, where one stays for ever rather than lose.
    model = model_of_table([[{LOSES: 1, 1: 1}], [{1: 1}, {LOSES: 1}]], players=1)
    assert attained(model, best_response(model))[:, 0] == pytest.approx([-0.5, 0.0])


def test_for_two_nobody_must_leave():
    # Each may pass for ever; leaving loses two games in three.
    model = model_of_table([[{passes(0): 1}, {WINS: 1, LOSES: 2}]])
    always_passes, always_leaves = model.pure(np.array([0])), model.pure(np.array([1]))
    assert attained(model, best_response(model, always_passes), always_passes).tolist() == [[0.0, 0.0]]
    # Against one who leaves, passing is worth 1/3, and what it does itself is worth the same to the responder.
    assert attained(model, best_response(model, always_leaves), always_leaves)[0] == pytest.approx([1 / 3, 1 / 3])


def test_for_two_the_one_who_can_wait_is_paid_for_it():
    # The opponent passes, but errs once in a thousand. Waiting is a win for certain, and an exit that pays is not.
    model = model_of_table([[{passes(0): 1}, {WINS: 3, LOSES: 1}, {LOSES: 1}]])
    errs = np.array([0.999, 0.0, 0.001])
    response = best_response(model, errs)
    assert attained(model, response, errs)[0] == pytest.approx([1.0, 1.0])
    assert response.rows.tolist() == [0]


def test_for_two_a_component_spans_both_sides():
    # 0 and 1 are passed to and fro; only from 1, on the responder's own move, is there an exit that pays.
    table = [[{passes(1): 1}, {passes(0): 1}], [{passes(0): 1}, {passes(1): 1}, {WINS: 2, LOSES: 1}]]
    model = model_of_table(table)
    opponent = np.array([0.5, 0.5, 0.5, 0.5, 0.0])
    assert attained(model, best_response(model, opponent), opponent) == pytest.approx(np.full((2, 2), 1 / 3))


def test_what_is_refused():
    loop = model_of_table([[{0: 1}, {WINS: 1}]], players=1, turn_reward=-1.0)
    with pytest.raises(Unsolvable, match=r"^the best response is undefined: the game can go on for ever at a cost$"):
        best_response(loop)
    with pytest.raises(
        Unsolvable, match=r"^made-up can be kept going for ever: only a refinement of it has an optimum"
    ):
        solve_zero_sum(model_of_table([[{passes(0): 1}, {WINS: 1}]]))
    with pytest.raises(Unsolvable, match=r"^made-up can be kept going for ever"):
        solve_zero_sum(model_of_table([[{WINS: 1}]], players=1))
    for name, rules, sentence in [
        ("demi-iles-solo", {}, "demi-iles-solo has 12.6 million states, too many to be written out"),
        ("demi-iles", {"players": 3}, "demi-iles is solved for two players; with 3 it is no zero-sum game of two"),
    ]:
        with pytest.raises(Unsolvable, match=f"^{re.escape(sentence)}$"):
            model_of(make_game(name, **rules))
