"""Statistics over seeds: what they must be for any scores, what is known by hand, and what seeds bring."""

import re

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from nenette_agents import statistics
from nenette_agents.statistics.bootstrap import percentiles

SCORES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-3, 1.5, allow_nan=False, width=32),
)
quick = settings(max_examples=30)


@given(SCORES, st.randoms(use_true_random=False))
@quick
def test_the_order_of_seeds_and_tasks_says_nothing(scores, shuffle):
    seeds, tasks = (shuffle.sample(range(n), n) for n in scores.shape)
    for statistic in statistics.AGGREGATES.values():
        assert statistic(scores[seeds][:, tasks]) == pytest.approx(statistic(scores), abs=1e-12)


@given(SCORES, st.floats(0.1, 3), st.floats(-2, 2))
@quick
def test_another_scale_of_scores_is_another_scale_of_figures(scores, scale, shift):
    for name in ("mean", "median", "interquartile mean"):
        statistic = statistics.AGGREGATES[name]
        assert statistic(scale * scores + shift) == pytest.approx(scale * statistic(scores) + shift, abs=1e-9)
    assert statistics.optimality_gap(scale * scores + shift, scale + shift) == pytest.approx(
        scale * statistics.optimality_gap(scores), abs=1e-9
    )


@given(SCORES)
@quick
def test_many_resamples_at_once_are_each_by_itself(scores):
    many = np.stack([scores, 2 * scores, scores[::-1]])
    for statistic in statistics.AGGREGATES.values():
        assert statistic(many) == pytest.approx([statistic(one) for one in many], abs=1e-12)


@given(SCORES)
@quick
def test_intervals_hold_resamples_and_lie_within_the_scores(scores):
    found = statistics.estimate(scores, statistics.mean, n_resamples=200)
    assert scores.min() - 1e-12 <= found.low <= found.high <= scores.max() + 1e-12
    assert found == statistics.estimate(scores, statistics.mean, n_resamples=200)
    wider = statistics.estimate(scores, statistics.mean, n_resamples=200, confidence=0.99)
    assert wider.low <= found.low
    assert found.high <= wider.high


def test_figures_known_by_hand():
    scores = np.array([[0.0, 0.4], [0.2, 1.2]])
    assert statistics.mean(scores) == pytest.approx(0.45)
    assert statistics.median(scores) == pytest.approx((0.1 + 0.8) / 2)
    assert statistics.interquartile_mean(scores) == pytest.approx(0.3)  # of 0, 0.2, 0.4, 1.2 the middle two
    assert statistics.optimality_gap(scores) == pytest.approx(1 - (0 + 0.2 + 0.4 + 1) / 4)


def test_seeds_that_agree_leave_no_doubt():
    scores = np.tile([0.3, 0.7, 0.9], (4, 1))
    for statistic in statistics.AGGREGATES.values():
        value, low, high = statistics.estimate(scores, statistic)
        assert value == low == high
    profile = statistics.performance_profile(scores, [0.5])
    assert profile.shares == profile.low == profile.high == pytest.approx(2 / 3)


def test_two_seeds_of_one_task_give_the_three_means_that_there_are():
    found = statistics.resampled([[0.0], [1.0]], statistics.mean, n_resamples=4000)
    assert set(found) == {0.0, 0.5, 1.0}
    # A binomial count of 4000 draws of probability one half lies within five standard deviations, 158, of 2000.
    assert abs((found == 0.5).sum() - 2000) < 158
    assert statistics.estimate([[0.0], [1.0]], statistics.mean) == (0.5, 0.0, 1.0)


def test_tasks_are_drawn_by_themselves():
    """Were a seed's row drawn whole, the mean of these would always be one half."""
    found = statistics.resampled([[0.0, 1.0], [1.0, 0.0]], statistics.mean, n_resamples=2000)
    assert set(found) == {0.0, 0.25, 0.5, 0.75, 1.0}
    assert found.std() == pytest.approx(np.sqrt(1 / 16), rel=0.1)  # two tasks, each of variance 1/8: (1/4) (1/8 + 1/8)


def test_large_samples_have_the_interval_of_the_normal_distribution():
    rng = np.random.default_rng(5)
    scores = rng.normal(0.5, 0.1, size=(400, 2))
    found = statistics.estimate(scores, statistics.mean)
    half_width = 1.96 * np.sqrt(scores.var(axis=0).sum() / 400) / 2
    # A 2.5 % quantile of 5000 resamples has a standard error of 0.038 of their standard deviation: 2 % of 1.96 of them.
    assert found.low == pytest.approx(found.value - half_width, abs=0.1 * half_width)
    assert found.high == pytest.approx(found.value + half_width, abs=0.1 * half_width)


@given(SCORES)
@quick
def test_profiles_fall_from_all_runs_to_none(scores):
    at = np.linspace(-4, 2, 13)
    profile = statistics.performance_profile(scores, at, n_resamples=50)
    assert (profile.shares[0], profile.shares[-1]) == (1, 0)
    assert (np.diff(profile.shares) <= 0).all()
    assert ((profile.low <= profile.high) & (profile.low >= 0) & (profile.high <= 1)).all()


@given(SCORES, st.data())
@quick
def test_improvement_of_one_is_the_lack_of_the_others(scores, data):
    others = data.draw(arrays(np.float64, (3, scores.shape[1]), elements=st.sampled_from([-1.0, 0.0, 0.5])))
    one = statistics.probability_of_improvement(scores, others, n_resamples=20)
    other = statistics.probability_of_improvement(others, scores, n_resamples=20)
    assert one.value + other.value == pytest.approx(1)
    assert 0 <= one.low <= one.high <= 1
    assert statistics.probability_of_improvement(scores, scores, n_resamples=20).value == pytest.approx(0.5)


def test_the_better_by_far_is_better_for_certain():
    assert statistics.probability_of_improvement([[1.0], [2.0]], [[0.0], [0.5], [0.7]]) == (1, 1, 1)


def test_what_a_seed_gives_to_both_is_no_part_of_a_paired_difference():
    luck = np.random.default_rng(0).normal(size=(6, 3))
    found = statistics.paired_difference(luck + 0.25, luck)
    assert found.mean == pytest.approx((0.25, 0.25, 0.25))
    assert found.wins == 1
    unpaired = statistics.paired_difference(luck + 0.25, luck[::-1])
    assert unpaired.mean.high - unpaired.mean.low > 0.5


def test_as_many_seeds_as_are_needed_find_the_difference_as_often_as_they_should():
    """The formula, held against simulated trainings that it knows nothing of."""
    rng = np.random.default_rng(3)
    first, second = rng.normal(0.5, 0.2, size=(4000, 2)), rng.normal(0.4, 0.3, size=(4000, 2))
    n = statistics.seeds_to_tell_apart(first, second)
    # 2.8^2 * (2 * 0.2^2 + 2 * 0.3^2) / (2 * 0.1)^2 = 51; what 4000 seeds say of these figures is off by a few per cent.
    assert 45 <= n <= 57
    ours, theirs = rng.normal(0.5, 0.2, size=(2000, n, 2)), rng.normal(0.4, 0.3, size=(2000, n, 2))
    errors = np.sqrt((ours.var(axis=1, ddof=1) + theirs.var(axis=1, ddof=1)).sum(axis=-1) / n) / 2
    found = (statistics.mean(ours) - statistics.mean(theirs)) / errors > 1.96
    assert found.mean() == pytest.approx(0.8, abs=0.06)


@given(
    arrays(np.float64, (3, 2), elements=st.floats(0, 1, width=16)), st.sampled_from([0.25, 2.0, 8.0]), st.floats(-2, 2)
)
@quick
def test_seeds_needed_do_not_depend_on_the_scale_of_scores_and_fall_as_they_lie_further_apart(scores, scale, shift):
    other = scores[::-1] + 0.5
    needed = statistics.seeds_to_tell_apart(scores, other)
    assert needed is not None
    assert abs(statistics.seeds_to_tell_apart(scale * scores + shift, scale * other + shift) - needed) <= 1
    assert statistics.seeds_to_tell_apart(scores, other + 0.5) <= needed
    assert statistics.seeds_to_tell_apart(other, scores) == needed


def test_seeds_needed_where_nothing_is_in_doubt():
    one, other = [[0.1], [0.1], [0.1]], [[0.2], [0.2]]
    assert statistics.seeds_to_tell_apart(one, other) == 2
    assert statistics.seeds_to_tell_apart(one, one) is None
    assert statistics.seeds_to_tell_apart([[0.0], [1.0]], [[1.0], [0.0]]) is None
    assert statistics.seeds_to_tell_apart([[0.0], [1.0]], [[1e-9], [1.0]]) is None


def test_curves_are_straight_between_their_points():
    assert list(statistics.at_steps([0, 100, 300], [0.0, 1.0, 0.0], [50, 200, 300, 302])) == [0.5, 0.5, 0.0, 0.0]
    assert statistics.area_under_curve([0, 100, 300], [0.0, 1.0, 0.0]) == pytest.approx(0.5)
    assert statistics.area_under_curve([10], [0.4]) == 0.4


@given(arrays(np.float64, 5, elements=st.floats(-1, 1)), st.integers(1, 4))
@quick
def test_the_area_under_a_curve_is_that_of_its_parts(scores, cut):
    steps = np.array([10.0, 20, 40, 80, 160])
    parts = [(steps[: cut + 1], scores[: cut + 1]), (steps[cut:], scores[cut:])]
    lengths = [xs[-1] - xs[0] for xs, _ in parts]
    means = [statistics.area_under_curve(*part) for part in parts]
    assert statistics.area_under_curve(steps, scores) == pytest.approx(np.dot(lengths, means) / sum(lengths), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8))
@quick
def test_kendalls_tau_is_scipys(pairs):
    one, other = zip(*pairs, strict=True)
    expected = scipy.stats.kendalltau(one, other).statistic
    found = statistics.kendall_tau(one, other)
    assert found is None if np.isnan(expected) else found == pytest.approx(expected)


def test_halves_agree_where_every_seed_ranks_alike_and_not_where_one_half_is_the_other_way_round():
    scores = [np.full((10, 2), mean) for mean in (0.1, 0.5, 0.9)]
    assert statistics.halves_agreement(scores) == 1
    turned = [np.concatenate([one[:5], 1 - one[5:]]) for one in scores]
    assert statistics.halves_agreement(turned) == -1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: statistics.estimate([0.1, 0.2], statistics.mean), "scores have the shape (seeds, tasks)"),
        (lambda: statistics.estimate(np.zeros((0, 3)), statistics.mean), "not (0, 3)"),
        (lambda: statistics.estimate([[np.nan]], statistics.mean), "a score is a finite number, and one of these"),
        (lambda: statistics.paired_difference([[1.0]], [[1.0], [2.0]]), "there are 1 of the one and 2"),
        (lambda: statistics.probability_of_improvement([[1.0]], [[1.0, 2.0]]), "and have 1 and 2"),
        (lambda: statistics.seeds_to_tell_apart([[1.0, 2.0]], [[1.0]]), "and have 2 and 1"),
        (lambda: statistics.seeds_to_tell_apart([[1.0]], [[1.0]]), "from two seeds on, and one was given"),
        (lambda: statistics.seeds_to_tell_apart([[1.0]] * 2, [[1.0]] * 2, power=1), "power is a probability between"),
        (lambda: percentiles(np.zeros(3), 95), "a confidence lies between 0 and 1, and 95 was given"),
        (lambda: statistics.at_steps([0, 10], [0.0, 1.0], [20]), "goes from step 0 to 10, and 20 to 20 were wanted"),
        (lambda: statistics.area_under_curve([10, 10], [0.0, 1.0]), "the steps of a curve increase"),
        (lambda: statistics.area_under_curve([], []), "and at least one, not (0,) and (0,)"),
        (lambda: statistics.kendall_tau([1.0], [1.0, 2.0]), "not (1,) and (2,)"),
        (lambda: statistics.halves_agreement([np.zeros((1, 2))]), "two halves need two seeds at least"),
        (lambda: statistics.halves_agreement([np.zeros((2, 2)), np.zeros((4, 2))]), "their numbers differ"),
    ],
)
def test_what_cannot_be_is_one_sentence(call, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        call()
