"""Equilibria for several probabilities of trembling: searches, and the table of them."""

import json

import numpy as np
import pytest
from made_up_many import all_pure, random_many, slow_values

from nenette.exact.many.equilibrium import find_equilibrium
from nenette.exact.many.trembles import compare, main, search


def test_a_search_that_ends_has_found_an_equilibrium():
    rng = np.random.default_rng(4)
    for _ in range(2):
        model = random_many(rng, 3, 3, ends=0.6).trembling(0.25)
        found = search(model)
        assert found.ended
        assert found.margin > 0
        everybody = model.pure(found.rows)
        alone = slow_values(model, [everybody] * 3, 1)
        others = [slow_values(model, [everybody, own, everybody], 1) for own in all_pure(model)]
        assert np.max(others, axis=0) == pytest.approx(alone, abs=1e-12)
        again = search(model, start=found.rows)
        assert (again.ended, again.rounds) == (True, 1)


def test_a_search_that_is_broken_off_says_so():
    model = random_many(np.random.default_rng(4), 3, 3, ends=0.6).trembling(0.25)
    start = model.row_start[:-1]
    assert not np.array_equal(find_equilibrium(model).rows, start)
    found = search(model, start=start, rounds=1)
    assert (found.ended, found.rounds) == (False, 1)
    assert found.would_change > 0
    assert found.margin < 0
    np.testing.assert_array_equal(found.rows, start)


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


@pytest.mark.slow
def test_hands_that_tremble_one_time_in_ten_have_one_equilibrium(capsys):
    main(["1/10", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["ended"], found["different"]) == (2, 1)
    assert abs(found["nash_conv"]) < 1e-12
    assert found["values"] == pytest.approx([4.98e-05, 1.33e-04, -1.82e-04], abs=1e-6)
