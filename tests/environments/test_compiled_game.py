"""What compiled code plays in the single environment is, bit for bit, what Python plays: for every option."""

import copy
import json
import pickle
import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import CASES, DEMI_ILES, MORE, QUATRE21, SOLO, Always, Mixed, make, play_on
from gymnasium.error import ResetNeeded
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from slot_stream import give

from nenette.environments.compiled_game import CompiledGame
from nenette.environments.python_game import PythonGame
from nenette.environments.turn_based import TurnBasedEnv
from nenette.environments.vector.generators import address_of, integer_below, next_double

QUIET = [(env_id, {k: v for k, v in options.items() if k != "render_mode"}) for env_id, options in [*CASES, *MORE]]


def at_once(env: TurnBasedEnv) -> TurnBasedEnv:
    """Compiled from its next reset on, if it can be."""
    env.patience = 0  # type: ignore[misc]  for this one alone
    return env


def bits(env: TurnBasedEnv) -> Any:
    return env.np_random.bit_generator.state


@pytest.mark.parametrize(("env_id", "options"), QUIET, ids=str)
def test_compiled_code_plays_what_python_plays(env_id: str, options: dict[str, Any]) -> None:
    one, other = make(env_id, **options), at_once(make(env_id, **options))
    for seed in (0, None, 1):
        seen, expected = one.reset(seed=seed), other.reset(seed=seed)
        assert seen[0].tobytes() == expected[0].tobytes()
        assert seen[1].pop("action_mask").tolist() == expected[1].pop("action_mask").tolist()
        assert seen[1] == expected[1]
        for step, (mine, theirs) in enumerate(zip(play_on(one, 120, seed=3), play_on(other, 120, seed=3), strict=True)):
            assert mine == theirs, step
        assert bits(one) == bits(other)
        assert one.action_masks().tolist() == other.action_masks().tolist()
    assert type(one._playing) is PythonGame
    asked = options.get("opponents", "random")
    listed = asked if isinstance(asked, list) else [asked]
    tables = all(getattr(each, "fixed", isinstance(each, str)) for each in listed)
    large = options.get("players", 2) > 4 and listed == ["greedy"]  # more decisions than are written out
    assert type(other._playing) is (CompiledGame if tables and not large else PythonGame)


@pytest.mark.parametrize(
    ("env_id", "options", "steps"),
    [(SOLO, {}, 12_000), (DEMI_ILES, {"opponents": "optimal"}, 12_000), (QUATRE21, {"opponents": "a-fond"}, 4_000)],
    ids=str,
)
def test_over_many_thousand_steps(env_id: str, options: dict[str, Any], steps: int) -> None:
    one, other = make(env_id, **options), at_once(make(env_id, **options))
    one.reset(seed=8)
    other.reset(seed=8)
    assert list(play_on(one, steps, seed=1)) == list(play_on(other, steps, seed=1))
    assert bits(one) == bits(other)


def test_what_comes_back_has_the_types_of_the_python_environment() -> None:
    for env_id in (SOLO, DEMI_ILES, QUATRE21):
        for env in (make(env_id), at_once(make(env_id))):
            env.reset(seed=0)
            observation, reward, terminated, truncated, info = env.step(np.int64(1))
            assert (observation.dtype, info["action_mask"].dtype) == (np.float32, np.int8)
            assert [type(value) for value in (reward, terminated, truncated, info["seat"])] == [float, bool, bool, int]
            assert info.get("illegal_action") in (None, True)


def test_arrays_are_new_each_time() -> None:
    env = at_once(make(QUATRE21))
    kept = [env.reset(seed=0)]
    for _ in range(5):
        observation, _, _, _, info = env.step(7)
        kept.append((observation, info))
    before = [(observation.tobytes(), info["action_mask"].tobytes()) for observation, info in kept]
    list(play_on(env, 50, seed=0))
    assert before == [(observation.tobytes(), info["action_mask"].tobytes()) for observation, info in kept]
    kept[-1][1]["action_mask"][:] = 9
    assert env.action_masks().dtype == np.bool_
    assert env.action_masks().any()


def test_python_plays_until_it_pays_and_the_next_reset_hands_over() -> None:
    one, other = make(DEMI_ILES), make(DEMI_ILES)
    one.patience = 30  # type: ignore[misc]
    one.reset(seed=4)
    other.reset(seed=4)
    kinds = set()
    for step in range(100):
        assert list(play_on(one, 1, seed=step)) == list(play_on(other, 1, seed=step))
        kinds.add(type(one._playing))
    assert kinds == {PythonGame, CompiledGame}
    assert TurnBasedEnv.patience > 1000


@pytest.mark.parametrize(("env_id", "options"), [(SOLO, {}), (DEMI_ILES, {"players": 3}), (QUATRE21, {})], ids=str)
def test_games_go_on_in_python_and_back_at_any_step(env_id: str, options: dict[str, Any]) -> None:
    one, other = make(env_id, **options), at_once(make(env_id, **options))
    one.reset(seed=5)
    other.reset(seed=5)
    for step in range(120):
        assert list(play_on(one, step % 5, seed=step)) == list(play_on(other, step % 5, seed=step))
        assert one.snapshot() == other.snapshot()  # in Python from here on
        assert list(play_on(one, step % 3, seed=step)) == list(play_on(other, step % 3, seed=step))
        if step % 7 == 0:
            one.reset()
            other.reset()
            assert type(other._playing) is CompiledGame
            if step % 14 == 0:
                other = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))][step % 28 // 14](other)
                assert type(other._playing) is PythonGame


def test_short_scripts_load_no_compiler() -> None:
    code = (
        "import sys, gymnasium, nenette; env = gymnasium.make('nenette/421-v0'); env.reset(seed=0); env.step(0);"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_copy_leaves_the_original_in_compiled_code() -> None:
    env = at_once(make(QUATRE21))
    env.reset(seed=0)
    list(play_on(env, 40, seed=0))
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    assert type(env._playing) is CompiledGame
    went_on = list(play_on(env, 100, seed=1))
    for twin in twins:
        assert list(play_on(twin, 100, seed=1)) == went_on
        assert type(twin._playing) is CompiledGame  # it has begun a game since


def test_an_end_in_compiled_code_is_an_end_in_python() -> None:
    env = at_once(make(DEMI_ILES, seat=0, max_turns=2))
    env.reset(seed=0)
    env.step(0)
    snapshot = json.loads(json.dumps(env.snapshot()))
    twin = make(DEMI_ILES, seat=0, max_turns=2)
    twin.restore(snapshot)
    for over in (env, twin):
        with pytest.raises(ResetNeeded, match="the episode is over"):
            over.step(0)
    env.reset()
    env.step(0)
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step(0)
    with pytest.raises(ValueError, match="an action is an integer from 0 to 2, not 3"):
        env.reset() and env.step(3)


def test_other_opponents_take_over_in_mid_game() -> None:
    one, other = make(DEMI_ILES, seat=0), at_once(make(DEMI_ILES, seat=0))
    one.reset(seed=1)
    other.reset(seed=1)
    for opponents in ("greedy", Mixed(fixed=False), "blocker", Mixed(fixed=True)):
        assert list(play_on(one, 3, seed=0)) == list(play_on(other, 3, seed=0))
        for env in (one, other):
            env.set_opponents(opponents)
        assert list(play_on(one, 90, seed=0)) == list(play_on(other, 90, seed=0))
        assert type(other._playing) is (CompiledGame if getattr(opponents, "fixed", True) else PythonGame)


def test_another_generator_may_be_set_at_any_time() -> None:
    one, other = make(QUATRE21), at_once(make(QUATRE21))
    one.reset(seed=1)
    other.reset(seed=1)
    for env in (one, other):
        list(play_on(env, 7, seed=0))
        env.np_random = np.random.Generator(np.random.MT19937(3))
    assert list(play_on(one, 200, seed=0)) == list(play_on(other, 200, seed=0))
    assert type(other._playing) is CompiledGame
    give(other, 1, 0)  # what is no numpy Generator is drawn from in Python
    other.reset()
    assert type(other._playing) is PythonGame


def test_rendered_games_are_played_in_python() -> None:
    env = at_once(make(QUATRE21, render_mode="ansi"))
    env.reset(seed=0)
    assert type(env._playing) is PythonGame
    assert env.render()


def test_an_opponent_with_invalid_probabilities_plays_in_python() -> None:
    class Cheat(Always):
        fixed = True

        def action_probabilities(self, observations: Any, masks: Any) -> Any:
            return np.tile([0.0, 0.0, 2.0], (len(masks), 1))

    env = at_once(make(DEMI_ILES, opponents=Cheat(0), seat=0))
    env.reset(seed=0)
    assert type(env._playing) is PythonGame


@njit
def _drawn(address: int, bounds: Any, numbers: Any) -> None:
    for k in range(len(bounds)):
        numbers[k] = integer_below(address, bounds[k]) if bounds[k] else next_double(address)


@given(st.integers(0, 2**32), st.sampled_from([np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64]))
def test_compiled_code_draws_the_numbers_of_a_generator(seed: int, kind: type[np.random.BitGenerator]) -> None:
    """Small bounds, floats (0 stands for them), and bounds at which numbers are rejected."""
    bounds = np.random.default_rng(seed).choice([0, 1, 2, 3, 6, 36, 216, 3 << 30, (1 << 32) - 1], size=300)
    one, other = np.random.Generator(kind(seed)), np.random.Generator(kind(seed))  # type: ignore[call-arg]
    numbers = np.zeros(len(bounds))
    _drawn(address_of(one), bounds, numbers)
    assert numbers.tolist() == [other.integers(n) if n else other.random() for n in bounds.tolist()]
    assert str(one.bit_generator.state) == str(other.bit_generator.state)


def test_gymnasiums_wrappers_see_no_difference() -> None:
    walks = []
    for patience in (0, 10**9):
        env = gym.make(QUATRE21)
        env.unwrapped.patience = patience  # type: ignore[attr-defined]
        env.reset(seed=3)
        env.action_space.seed(3)
        walk = []
        for _ in range(100):
            observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            walk.append((observation.tobytes(), reward, terminated, truncated))
            if terminated or truncated:
                env.reset()
        walks.append(walk)
    assert walks[0] == walks[1]
