from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nenette.games import Distribution

weights = st.dictionaries(st.integers(-5, 5), st.integers(1, 50), min_size=1)
distributions = weights.map(Distribution.of)


class NoRandomness(np.random.Generator):
    """A generator that must not be asked."""

    def integers(self, *args: object, **kwargs: object) -> int:  # type: ignore[override]
        raise AssertionError("a random number was drawn")


@given(weights)
def test_probabilities_are_weights_over_their_sum(given_weights: dict[int, int]) -> None:
    distribution = Distribution.of(given_weights)
    assert distribution.total == sum(given_weights.values())
    assert len(distribution) == len(given_weights)
    assert dict(distribution) == {o: Fraction(w, sum(given_weights.values())) for o, w in given_weights.items()}
    assert sum(p for _, p in distribution) == 1


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_uniform_counts_what_is_listed_twice_twice(outcomes: list[int]) -> None:
    assert dict(Distribution.uniform(outcomes)) == {
        outcome: Fraction(n, len(outcomes)) for outcome, n in Counter(outcomes).items()
    }


@given(distributions)
def test_map_merges_equal_images(distribution: Distribution[int]) -> None:
    expected: dict[int, Fraction] = {}
    for outcome, probability in distribution:
        expected[outcome % 3] = expected.get(outcome % 3, Fraction(0)) + probability
    image = distribution.map(lambda outcome: outcome % 3)
    assert dict(image) == expected
    assert len(image.outcomes) == len(expected)


@given(distributions, st.lists(distributions, min_size=3, max_size=3))
def test_then_follows_the_tree_of_probabilities(first: Distribution[int], seconds: list[Distribution[int]]) -> None:
    expected: dict[int, Fraction] = {}
    for outcome, p in first:
        for after, q in seconds[outcome % 3]:
            expected[after] = expected.get(after, Fraction(0)) + p * q
    both = first.then(lambda outcome: seconds[outcome % 3])
    assert dict(both) == expected
    assert len(both.outcomes) == len(expected)


def test_a_coin_decides_which_die_is_thrown() -> None:
    coin = Distribution.uniform("ab")
    dice = {"a": Distribution.uniform([1, 2, 3]), "b": Distribution.of({3: 3, 4: 1})}
    assert dict(coin.then(dice.__getitem__)) == {
        1: Fraction(1, 6),
        2: Fraction(1, 6),
        3: Fraction(1, 6) + Fraction(3, 8),
        4: Fraction(1, 8),
    }


def test_a_certain_outcome_has_probability_1_and_draws_no_random_number() -> None:
    certain = Distribution.certain("rain")
    assert dict(certain) == {"rain": 1}
    assert certain.sample(NoRandomness(np.random.PCG64(0))) == "rain"
    with pytest.raises(AssertionError, match="a random number was drawn"):
        Distribution.uniform("ab").sample(NoRandomness(np.random.PCG64(0)))


def test_samples_have_the_probabilities_that_are_listed() -> None:
    distribution = Distribution.of({"rare": 1, "often": 6, "some": 3})
    rng = np.random.default_rng(5)
    counts = Counter(distribution.sample(rng) for _ in range(5000))
    for outcome, probability in distribution:
        expected = 5000 * float(probability)
        assert abs(counts[outcome] - expected) < 4 * (expected * (1 - float(probability))) ** 0.5


def test_equal_seeds_draw_equal_samples() -> None:
    distribution = Distribution.uniform(range(100))
    draws = [[distribution.sample(rng) for _ in range(20)] for rng in map(np.random.default_rng, (3, 3, 4))]
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]


@pytest.mark.parametrize(
    ("outcomes", "given_weights"),
    [((), ()), (("a",), ()), (("a", "b"), (1,)), (("a",), (0,)), (("a", "b"), (2, -1))],
)
def test_what_is_no_distribution_is_turned_down(outcomes: tuple[str, ...], given_weights: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^a distribution needs at least one outcome, each with a positive integer"):
        Distribution(outcomes, given_weights)


def test_there_is_no_distribution_over_nothing() -> None:
    with pytest.raises(ValueError, match=r"^a distribution needs at least one outcome"):
        Distribution.uniform([])
