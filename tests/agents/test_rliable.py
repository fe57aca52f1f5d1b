"""Our statistics against rliable, the package of the paper whose definitions they follow, on the same data.

rliable draws its resamples from NumPy's global generator, whatever random state it is given. So it is handed the draws
of ours, and the intervals agree to the last digits; that its own draws are of the same kind is checked beside it.
"""

import sys
from importlib.machinery import PathFinder
from itertools import chain
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from nenette_agents import statistics
from nenette_agents.statistics.bootstrap import rows

RESAMPLES = 60
AGGREGATES = {
    "interquartile mean": "aggregate_iqm",
    "median": "aggregate_median",
    "mean": "aggregate_mean",
    "optimality gap": "aggregate_optimality_gap",
}
SHAPES = [(5, 13), (10, 3), (2, 1), (3, 7)]


def made_up(shape, seed=0):
    """Scores with ties among them, as exact scores have, some above 1 and some below 0."""
    return np.random.default_rng(seed).normal(0.7, 0.4, size=shape).round(1)


@pytest.fixture(scope="module")
def rliable():
    pytest.importorskip("rliable", reason="an extra that is not installed here")
    with pytest.MonkeyPatch.context() as patch:
        if "arch" not in sys.modules:
            # The newest arch that rliable admits cannot be imported beside pandas 3, for the sake of models that
            # rliable does not use: its bootstrap is imported without what stands around it.
            package = ModuleType("arch")
            package.__path__ = list(PathFinder.find_spec("arch").submodule_search_locations)
            patch.setitem(sys.modules, "arch", package)
        from rliable import library, metrics
    return SimpleNamespace(library=library, metrics=metrics)


@pytest.fixture
def same_draws(monkeypatch):
    """Lets rliable draw what ours draws from the generator of this seed, one resample after the other."""

    def draw(*shapes, seed):
        numbers = np.prod([shape[0] for shape in shapes]) * shapes[0][1]
        blocks = rows(RESAMPLES, np.random.default_rng(seed), *shapes, numbers=numbers)
        drawn = chain.from_iterable(zip(*block, strict=True) for block in blocks)
        each = chain.from_iterable(drawn)

        def choice(n, shape, replace):
            taken = next(each)
            assert (taken.shape, replace) == (shape, True)
            return taken

        monkeypatch.setattr(np.random, "choice", choice)

    return draw


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates_and_their_intervals_are_rliables(rliable, same_draws, name, shape):
    scores, theirs = made_up(shape), getattr(rliable.metrics, AGGREGATES[name])
    same_draws(shape, seed=7)
    points, intervals = rliable.library.get_interval_estimates(
        {"one": scores}, lambda each: np.array([theirs(each)]), reps=RESAMPLES
    )
    ours = statistics.estimate(scores, statistics.AGGREGATES[name], n_resamples=RESAMPLES, rng=7)
    assert ours == pytest.approx([points["one"][0], *intervals["one"][:, 0]], abs=1e-12)


def test_profiles_and_their_bands_are_rliables(rliable, same_draws):
    scores, thresholds = made_up((5, 13)), np.linspace(-0.5, 1.5, 21)
    same_draws(scores.shape, seed=8)
    shares, bands = rliable.library.create_performance_profile({"one": scores}, thresholds, reps=RESAMPLES)
    ours = statistics.performance_profile(scores, thresholds, n_resamples=RESAMPLES, rng=8)
    assert ours.shares == pytest.approx(shares["one"])
    assert np.stack([ours.low, ours.high]) == pytest.approx(bands["one"], abs=1e-12)


@pytest.mark.parametrize("seeds", [(5, 5), (10, 3)], ids=str)
def test_probabilities_of_improvement_and_their_intervals_are_rliables(rliable, same_draws, seeds):
    first, second = made_up((seeds[0], 4)), made_up((seeds[1], 4), seed=1)
    same_draws(first.shape, second.shape, seed=9)
    points, intervals = rliable.library.get_interval_estimates(
        {"one": [first, second]},
        lambda *both: np.array([rliable.metrics.probability_of_improvement(*both)]),
        reps=RESAMPLES,
    )
    ours = statistics.probability_of_improvement(first, second, n_resamples=RESAMPLES, rng=9)
    assert ours == pytest.approx([points["one"][0], *intervals["one"][:, 0]], abs=1e-12)


def test_what_rliable_draws_itself_is_of_the_same_kind(rliable, monkeypatch):
    """With its own draws its interval is ours but for the noise of both, which other draws of ours show."""
    scores = made_up((5, 4))
    monkeypatch.setattr(np.random, "choice", np.random.RandomState(1).choice)
    _, intervals = rliable.library.get_interval_estimates(
        {"one": scores}, lambda each: np.array([rliable.metrics.aggregate_mean(each)]), reps=1000
    )
    ours = np.array(
        [statistics.estimate(scores, statistics.mean, n_resamples=1000, rng=seed)[1:] for seed in range(40)]
    )
    noise = ours.std(axis=0)
    assert (np.abs(intervals["one"][:, 0] - ours.mean(axis=0)) < 5 * noise).all()
    assert (noise < 0.1 * np.ptp(ours.mean(axis=0))).all()
