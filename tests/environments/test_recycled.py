"""Arrays are used again once nobody holds them, and never before."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21

from nenette.environments.vector.recycled import Recycled

LARGE = (100, 1000)


def test_an_array_that_is_let_go_is_used_again() -> None:
    recycled = Recycled(LARGE, np.float32)
    first = recycled.take()
    where = first.ctypes.data
    second = recycled.take()
    assert second.ctypes.data != where
    del first
    assert recycled.take().ctypes.data == where
    assert (second.shape, second.dtype) == (LARGE, np.float32)


@pytest.mark.parametrize(
    "hold",
    [
        lambda array: array,
        lambda array: array[3],
        lambda array: array.T[::2],
        lambda array: memoryview(array)[1:],
        lambda array: array.view(np.int32).ravel(),
        lambda array: [{"observation": array}],
    ],
)
def test_whatever_looks_at_an_array_keeps_it(hold: Callable[[Any], Any]) -> None:
    recycled = Recycled(LARGE, np.float32)
    array = recycled.take()
    array[:] = 5
    where, held = array.ctypes.data, hold(array)
    del array
    for _ in range(10):
        other = recycled.take()
        assert other.ctypes.data != where
        other[:] = 7
    assert held is not None


def test_small_arrays_and_copies_have_memory_of_their_own() -> None:
    for shape in ((3,), LARGE):
        recycled = Recycled(shape, np.bool_)
        taken = [recycled.take() for _ in range(8)]
        assert len({array.ctypes.data for array in taken}) == 8
        for twin in (copy.deepcopy(recycled), pickle.loads(pickle.dumps(recycled))):
            assert twin.take().shape == shape
            assert not any(np.shares_memory(twin.take(), array) for array in taken)


@pytest.mark.parametrize("env_id", [DEMI_ILES, QUATRE21])
def test_what_large_environments_return_stays_as_it_is(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=20_000, autoreset_mode="SameStep")
    observations, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    kept, before, addresses = [], [], set()
    for step in range(12):
        observations, rewards, terminated, truncated, infos = env.step(rng.integers(3, size=20_000))
        addresses.add(observations.ctypes.data)
        if step % 3 == 0:
            kept += [observations[17:], rewards, terminated, truncated, infos["action_mask"], infos["seat"]]
            before += [array.copy() for array in kept[-6:]]
            kept += [row for row in infos.get("final_obs", [])[:2000] if row is not None]
            before += [row.copy() for row in kept[len(before) :]]
    assert all((one == other).all() for one, other in zip(kept, before, strict=True))
    assert len(addresses) < 12
