"""What the replay buffer keeps, how it draws, and that it goes on where its state was taken."""

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import chisquare

from nenette_agents.algorithms.dqn.decisions import Steps
from nenette_agents.algorithms.dqn.replay import MaskedReplayBuffer
from nenette_agents.algorithms.dqn.storage import CompactRows, Priorities, SumTree, corrections, weights_of_errors

SLOTS, SIZE, ACTIONS = 3, 5, 10
GOES_ON = {"terminated": np.zeros(SLOTS, dtype=np.bool_), "truncated": np.zeros(SLOTS, dtype=np.bool_)}
EVERYTHING = {"n_steps": 3, "priorities": Priorities(), "pass_action": 4}


def buffer(capacity: int = 50, **options: Any) -> MaskedReplayBuffer:
    space = spaces.Box(0, 1, (SIZE,), np.float32)
    return MaskedReplayBuffer(capacity, space, spaces.Discrete(ACTIONS), "cpu", SLOTS, **{"seed": 0, **options})


def some_steps(rng: np.random.Generator) -> Steps:
    masks = rng.random((SLOTS, ACTIONS)) < 0.5
    masks[:, 0] = True
    ends = rng.random(SLOTS)
    return Steps(
        rng.integers(57, size=(SLOTS, SIZE)).astype(np.float32) / np.float32(56),
        masks,
        rng.integers(ACTIONS, size=SLOTS),
        rng.standard_normal(SLOTS).astype(np.float32),
        ends < 0.1,
        ends > 0.9,
        rng.integers(57, size=(SLOTS, SIZE)).astype(np.float32) / np.float32(56),
        masks[::-1].copy(),
    )


def test_a_ring_keeps_the_newest_transitions_as_they_were():
    ring, rng = buffer(10), np.random.default_rng(0)
    history = [
        some_steps(rng)._replace(terminated=np.zeros(SLOTS, bool), truncated=np.zeros(SLOTS, bool)) for _ in range(9)
    ]
    for steps in history:
        ring.add(steps)
    assert ring.full
    assert ring.size() == 10
    # 8 steps of 3 slots are finished; of the first of the last four only slot 2's is left.
    kept = [(t, slot) for t in range(8) for slot in range(SLOTS)][-10:]
    batch = ring.sample(400)
    met = set()
    for k, place in enumerate(batch.places.tolist()):
        t, slot = next(pair for pair in kept if (pair[0] * SLOTS + pair[1]) % 10 == place)
        met.add((t, slot))
        now, then = history[t], history[t + 1]
        np.testing.assert_array_equal(batch.observations[k], now.observations[slot])
        np.testing.assert_array_equal(batch.next_observations[k], then.observations[slot])
        np.testing.assert_array_equal(batch.next_masks[k], then.masks[slot])
        assert int(batch.actions[k]) == now.actions[slot]
        assert float(batch.returns[k]) == now.rewards[slot]
        assert float(batch.discounts[k]) == np.float32(0.99)
    assert met == set(kept)
    assert batch.next_masks.dtype == torch.bool
    assert (batch.weights == 1).all()


def test_all_are_drawn_alike_without_priorities():
    ring, rng = buffer(40), np.random.default_rng(0)
    for _ in range(20):
        ring.add(some_steps(rng))
    counts = np.bincount(ring.sample(40_000).places, minlength=40)
    assert chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("options", [{}, EVERYTHING], ids=["plain", "all"])
@pytest.mark.parametrize("taken_after", [2, 13, 40])
def test_it_goes_on_where_its_state_was_taken(options, taken_after):
    def go_on(ring: MaskedReplayBuffer, rng: np.random.Generator, steps: int) -> list[Any]:
        drawn = []
        for _ in range(steps):
            ring.add(some_steps(rng))
            if ring.size():
                ring.anneal(1 - ring.size() / 100)
                batch = ring.sample(8)
                ring.set_errors(batch.places, rng.standard_normal(8))
                drawn.append([np.asarray(part).tolist() for part in batch])
        return drawn

    first, rng = buffer(**options), np.random.default_rng(0)
    go_on(first, rng, taken_after)
    state = first.state()
    assert all(isinstance(array, np.ndarray) for array in state.values())
    second, again = buffer(**{**options, "seed": 1}), np.random.default_rng(0)
    second.load_state({name: array.copy() for name, array in state.items()})
    again.bit_generator.state = rng.bit_generator.state
    assert go_on(second, again, 30) == go_on(first, rng, 30)


def test_a_state_of_another_buffer_is_turned_down():
    ring, rng = buffer(), np.random.default_rng(0)
    for _ in range(30):
        ring.add(some_steps(rng))
    state = ring.state()
    with pytest.raises(ValueError, match="a replay buffer of another size or kind"):
        buffer(priorities=Priorities()).load_state(state)
    with pytest.raises(ValueError, match="masks of 60 transitions are expected"):
        buffer(60).load_state(state)
    with pytest.raises(ValueError, match="kept as 6 words of 64 bits"):
        buffer().load_state(state | {"generator": np.zeros(3, np.uint64)})
    with pytest.raises(ValueError, match="do not go with 1 levels"):
        buffer().load_state(state | {"observations.levels": np.zeros(1, np.float32)})


def test_what_is_impossible_gets_a_sentence():
    with pytest.raises(ValueError, match="a buffer of 2 has no room for a step of each of 3 environments"):
        buffer(2)
    with pytest.raises(ValueError, match="nothing can be drawn from an empty replay buffer"):
        buffer().sample(1)


def test_priorities_are_drawn_in_proportion_and_weighed_against_it():
    ring, rng = buffer(7, priorities=Priorities(alpha=0.7, beta=0.4)), np.random.default_rng(0)
    for _ in range(5):
        ring.add(some_steps(rng))
    errors = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0])
    ring.set_errors(np.arange(7), -errors)
    probabilities = (errors + 1e-3) ** 0.7
    probabilities /= probabilities.sum()
    batch = ring.sample(100_000)
    counts = np.bincount(batch.places, minlength=7)
    assert chisquare(counts, probabilities * counts.sum()).pvalue > 1e-3
    assert counts.min() > 0
    expected = (7 * probabilities) ** -0.4 / (7 * probabilities[0]) ** -0.4
    np.testing.assert_allclose(batch.weights[:, 0], expected[batch.places], rtol=1e-5)
    ring.anneal(0.5)
    assert ring.beta == pytest.approx(0.7)
    ring.anneal(0.0)
    # Fully corrected: as if all were drawn alike.
    batch = ring.sample(100_000)
    shares = np.bincount(batch.places, batch.weights[:, 0].numpy(), minlength=7)
    np.testing.assert_allclose(shares / shares.sum(), 1 / 7, rtol=0.05)


def test_what_is_new_is_drawn_as_if_its_error_were_the_largest_ever():
    ring, rng = buffer(30, priorities=Priorities(alpha=1.0)), np.random.default_rng(0)
    still = some_steps(rng)._replace(**GOES_ON)
    for _ in range(3):
        ring.add(still)
    ring.set_errors(np.arange(6), np.array([9.0, 1, 1, 1, 1, 1]))
    ring.set_errors(np.array([0]), np.array([1.0]))
    ring.add(still)
    counts = np.bincount(ring.sample(64_000).places, minlength=9)
    np.testing.assert_allclose(counts / 64_000, np.array([1] * 6 + [9] * 3) / 33, rtol=0.1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.data())
def test_the_tree_sums_and_finds(capacity, data):
    weights = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.5, 1, 3]), min_size=capacity, max_size=capacity)))
    weights[data.draw(st.integers(0, capacity - 1))] = 2.0
    tree = SumTree(capacity)
    tree.set(np.arange(capacity), np.ones(capacity))
    tree.set(np.arange(capacity), weights)
    assert tree.total == weights.sum()  # sums of halves are exact
    shares = np.append(np.linspace(0, 1, 50, endpoint=False), np.nextafter(1, 0))
    found = tree.draw(shares)
    np.testing.assert_array_equal(found, np.searchsorted(weights.cumsum(), shares * tree.total, side="right"))
    assert (weights[tree.draw(np.array([0.0, 1.0]))] > 0).all()  # rounding may make a share of just below 1 all of it
    assert tree.largest == max(1.0, weights.max())


def test_of_a_place_given_twice_the_last_counts():
    tree = SumTree(4)
    tree.set(np.array([1, 1, 3]), np.array([5.0, 2.0, 1.0]))
    np.testing.assert_array_equal(tree.weights(np.arange(4)), [0, 2, 0, 1])
    assert tree.total == 3


def test_corrections_without_beta_are_one():
    np.testing.assert_array_equal(corrections(np.array([0.1, 0.9]), 2, 0.0), [1, 1])
    np.testing.assert_array_equal(weights_of_errors(np.array([0.0, 7.0]), 0.0), [1, 1])


@settings(max_examples=60, deadline=None)
@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 30), st.just(4)),
        elements=st.one_of(
            st.integers(0, 56).map(lambda k: float(np.float32(k / 56))), st.floats(-2, 2, width=32), st.just(1e-6)
        ),
    )
)
def test_rows_are_read_as_they_were_written_whatever_they_are(rows):
    kept = CompactRows(len(rows), 4)
    for place, row in enumerate(rows):
        kept.write(np.array([place]), row[None])
    np.testing.assert_array_equal(kept.read(np.arange(len(rows))), rows)
    other = CompactRows(len(rows), 4)
    other.load_state(kept.state(len(rows)))
    np.testing.assert_array_equal(other.read(np.arange(len(rows))), rows)
    other.write(np.array([0]), rows[-1:])
    np.testing.assert_array_equal(other.read(np.array([0])), rows[-1:])


@pytest.mark.parametrize(
    ("values", "compact"),
    [
        (np.linspace(0, 1, 256), True),
        (np.linspace(0, 1, 257), False),
        ([0.5, 0.5 + 1e-7], False),
        ([0.0, -1.0], False),
        ([np.nan, 1.0], False),
    ],
    ids=["256 numbers", "257 numbers", "two close ones", "a negative one", "none"],
)
def test_rows_of_few_numbers_take_a_byte_each(values, compact):
    rows = np.array(values, dtype=np.float32)[:, None]
    kept = CompactRows(len(rows), 1)
    kept.write(np.arange(len(rows)), rows)
    assert kept.nbytes == len(rows) * (1 if compact else 4)
    np.testing.assert_array_equal(kept.read(np.arange(len(rows))), rows)


@pytest.mark.parametrize("name", ["421-dqn", "demi-iles-solo-dqn"])
def test_observations_of_the_games_take_a_byte_each(small_config, name):
    from nenette_agents.config.loading import load_config
    from nenette_agents.training.build import build

    config = load_config(small_config(name), ["dqn.learning_starts=200", "dqn.buffer_size=200"])
    model: Any = build(config).learner
    model.learn(250)
    size, actions = model.observation_space.shape[0], model.action_space.n
    assert model.replay_buffer.nbytes == 200 * (2 * size + (actions + 7) // 8 + 3 * 4)
