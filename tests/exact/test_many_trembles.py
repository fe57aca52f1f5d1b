"""Equilibria for several probabilities of trembling: searches, and the table of them."""

import json

import numpy as np
import pytest
from made_up_many import all_pure, random_many, slow_values

from nenette.exact.many.equilibrium import find_equilibrium
from nenette.exact.many.trembles import compare, main, search


def _other_rows(model):
    """Another action than that of the equilibrium in every state."""
    rows = find_equilibrium(model).rows
    return model.pure(model.row_start[:-1] + (rows - model.row_start[:-1] + 1) % np.diff(model.row_start))


def test_a_search_that_ends_has_found_an_equilibrium():
    rng = np.random.default_rng(4)
    for _ in range(2):
        model = random_many(rng, 3, 3, ends=0.6).trembling(0.25)
        other = _other_rows(model)
        found = search(model, start=other)
        assert found.ended
        assert found.rounds > 1
        assert found.margin > 0
        everybody = found.behaviour
        alone = slow_values(model, [everybody] * 3, 1)
        others = [slow_values(model, [everybody, own, everybody], 1) for own in all_pure(model)]
        assert np.max(others, axis=0) == pytest.approx(alone, abs=1e-12)
        again = search(model, start=found.behaviour)
        assert (again.ended, again.rounds) == (True, 1)


def test_a_search_that_is_broken_off_says_so():
    model = random_many(np.random.default_rng(4), 3, 3, ends=0.6).trembling(0.25)
    start = _other_rows(model)
    found = search(model, start=start, rounds=1)
    assert (found.ended, found.rounds) == (False, 1)
    assert found.would_change > 0
    assert found.margin < 0
    np.testing.assert_array_equal(found.behaviour, start)


def test_who_would_always_rather_do_otherwise_mixes():
    model = random_many(np.random.default_rng(38), 3, 2, ends=0.6).trembling(0.1)
    assert not any(search(model, start=everybody, rounds=1).ended for everybody in all_pure(model))
    found = search(model)
    assert found.ended
    mixed = (found.behaviour > 0) & (found.behaviour < 1)
    assert mixed.sum() == 2  # both actions of one state
    alone = slow_values(model, [found.behaviour] * 3, 1)
    others = [slow_values(model, [found.behaviour, own, found.behaviour], 1) for own in all_pure(model)]
    assert np.max(others, axis=0) == pytest.approx(alone, abs=1e-10)


def test_every_epsilon_is_searched_from_the_one_before_and_from_scratch():
    model = random_many(np.random.default_rng(4), 3, 3, ends=0.6)
    first, second = compare(model, ["1/4", "1/5"], starts=2)
    assert (first.epsilon, first.searches, first.changed) == ("1/4", 2, None)
    assert (second.epsilon, second.searches, len(second.rounds)) == ("1/5", 3, 3)
    for one in (first, second):
        assert one.ended >= 1
        assert one.nash_conv == pytest.approx(0, abs=1e-12)
        assert sum(one.values) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("epsilon", ["0", "1", "2/0", "x", "nan"])
def test_what_is_no_probability_gets_a_sentence(epsilon, capsys):
    with pytest.raises(SystemExit) as left:
        main([epsilon])
    assert left.value.code == 2
    assert f"a probability above 0 and below 1 was expected, such as 1/100, not {epsilon!r}" in capsys.readouterr().err


@pytest.mark.slow(reason="three searches for an equilibrium of three, from scratch; smaller games are searched above")
def test_hands_that_tremble_one_time_in_ten_have_one_equilibrium(capsys):
    main(["1/10", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["ended"], found["different"], found["mixing"]) == (3, 1, 0)
    assert abs(found["nash_conv"]) < 1e-12
    assert found["values"] == pytest.approx([4.98e-05, 1.33e-04, -1.82e-04], abs=1e-6)
