"""The games of a vector environment as a state: taken out and put back, they go on as they would have."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import nenette  # noqa: F401  registers the environments

GAMES = {
    "421": ("nenette/421-v0", {"opponents": ["optimal"], "fiches": 3, "manches_to_lose": 2}),
    "421-opening": ("nenette/421-v0", {"opponents": ["random"], "next_manche_leader": "opening", "seat": "random"}),
    "421-3": ("nenette/421-v0", {"players": 3, "opponents": ["random"], "fiches": 3, "manches_to_lose": 1}),
    "demi-iles": ("nenette/DemiIles-v0", {"opponents": ["greedy"]}),
    "demi-iles-3": ("nenette/DemiIles-v0", {"opponents": ["random"], "players": 3, "max_turns": 20}),
    "demi-iles-solo": ("nenette/DemiIlesSolo-v0", {"max_turns": 40}),
}
MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP]


def made(name, mode=AutoresetMode.SAME_STEP, slots=16, **options):
    env_id, arguments = GAMES[name]
    return gym.make_vec(env_id, num_envs=slots, autoreset_mode=mode, **arguments, **options)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", GAMES)
def test_games_go_on_from_a_state_as_they_would_have(name, mode):
    env, other = made(name, mode), made(name, mode, copy=False)
    draw = np.random.default_rng(0)
    env.reset(seed=1)
    over = 0
    for step in range(200):
        if step % 7 == 0:  # at the end of games, too
            other.load_state(env.state())
            np.testing.assert_array_equal(other.action_masks(), env.action_masks())
        actions = draw.integers(0, env.single_action_space.n, env.num_envs)
        expected, given = env.step(actions), other.step(actions)
        for left, right in zip(expected[:4], given[:4], strict=True):
            np.testing.assert_array_equal(left, right)
        over += expected[2].sum() + expected[3].sum()
    assert over > 10


def test_a_state_is_a_copy():
    env = made("421")
    env.reset(seed=1)
    state = env.state()
    before = {name: array.copy() for name, array in state.items()}
    for _ in range(5):
        env.step(np.zeros(16, dtype=np.int64))
    for name, array in state.items():
        np.testing.assert_array_equal(array, before[name])


def test_the_state_before_the_first_game_may_be_put_back():
    env, other = made("421"), made("421")
    other.reset(seed=3)
    other.load_state(env.state())
    with pytest.raises(gym.error.ResetNeeded):
        other.action_masks()


@pytest.fixture(scope="module")
def standing():
    """Games that have begun, made once for all states that they refuse: making them takes longer than refusing one."""
    known = {}

    def begun(name):
        if name not in known:
            known[name] = made(name)
            known[name].reset(seed=1)
        return known[name]

    return begun


def set_to(key, value, where=...):
    def change(state):
        state[key] = state[key].copy()
        state[key][where] = value

    return change


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("421", lambda s: s.pop("seats"), "seats is missing or no array"),
        ("421", lambda s: s.update(words=[1]), "words is missing or no array"),
        ("421", lambda s: s.update(places=np.ma.masked_equal(s["places"], 0)), "places is missing or no array"),
        ("421", lambda s: s.clear(), "places is missing or no array"),
        ("421", lambda s: s.update(status=s["status"][1:]), r"status is uint8 \(15,\), and uint8 \(16,\) is expected"),
        ("421", lambda s: s.update(seats=s["seats"].astype(np.int8)), r"seats is int8 \(16,\), and int64 \(16,\)"),
        ("421", set_to("status", 0, 3), "a slot's status is FRESH, PLAYING or OVER, or all are NEVER"),
        ("421", set_to("status", 9, 3), "a slot's status is FRESH, PLAYING or OVER, or all are NEVER"),
        ("421", set_to("status", 3, 4), "slot 4 stands where no game of 421 can"),
        ("421", set_to("seats", 2, 3), "a learner's seat is an integer from 0 to 1"),
        ("421", set_to("words", 0, 3), "a random stream is in the one state that it never leaves"),
        *[("421", set_to("places", value, (5, k)), "slot 5 stands where") for k in range(6) for value in (-1, 1 << 30)],
        ("421", set_to("places", 8, (5, 0)), "slot 5 stands where"),  # two fiches de manche each: over
        *[("421-3", set_to("places", value, (5, k)), "slot 5 stands") for k in range(17) for value in (-1, 1 << 30)],
        ("421-3", set_to("places", 8, (5, 14)), "slot 5 stands where"),  # nobody throws but who is to move
        ("421-3", set_to("places", 2, (5, 13)), "slot 5 stands where"),  # the best throw of nobody's
        *[("demi-iles", set_to("places", value, (5, k)), "slot 5 ") for k in range(3) for value in (-1, 21)],
        *[("demi-iles-solo", set_to("places", value, (5, k)), "slot 5 ") for k in range(2) for value in (-1, 1 << 30)],
    ],
)
def test_a_state_that_cannot_be_is_refused_and_nothing_changes(name, change, sentence, standing):
    env = standing(name)
    state = env.state()
    before = {key: array.copy() for key, array in state.items()}
    change(state)
    with pytest.raises(ValueError, match=f"^{sentence}"):
        env.load_state(state)
    for key, array in env.state().items():
        np.testing.assert_array_equal(array, before[key])


@pytest.mark.parametrize("options", [{}, {"seats": "all"}], ids=str)
@pytest.mark.parametrize(
    "state", [None, [1, 2], 3, "places" * 1000, np.zeros(3)], ids=lambda state: type(state).__name__
)
def test_what_is_no_dictionary_is_refused_in_one_line(state, options):
    env = gym.make_vec("nenette/421-v0", num_envs=2, **options).unwrapped
    with pytest.raises(ValueError, match=r"^a state is a dictionary of arrays, not .{0,120}$"):
        env.load_state(state)


def test_a_leader_s_node_in_the_follower_s_turn_is_refused():
    env = made("421")
    env.reset(seed=1)
    for _ in range(10):
        env.step(np.zeros(16, dtype=np.int64))
    state = env.state()
    state["places"][5, 3] ^= 1
    with pytest.raises(ValueError, match=r"^slot 5 stands where no game of 421 can$"):
        env.load_state(state)
