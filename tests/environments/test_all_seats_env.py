"""What the vector environments promise with seats="all", besides the games themselves."""

import copy
import pickle
import re
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO
from gymnasium.error import ResetNeeded

from nenette.environments.vector.all_seats import AllSeatsVectorEnv

ALL = pytest.mark.parametrize(("env_id", "players"), [(DEMI_ILES, 2), (DEMI_ILES, 5), (QUATRE21, 2), (QUATRE21, 3)])


def _make(env_id: str, players: int = 2, games: int = 4, mode: str = "SameStep", **options: Any) -> Any:
    rules = {"players": players}
    return gym.make_vec(env_id, num_envs=games * players, seats="all", autoreset_mode=mode, **rules, **options)


def _play(env: Any, steps: int, seed: int = 0) -> list[tuple[bytes, ...]]:
    rng, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        masks = env.unwrapped.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        parts = (observations, rewards, terminated, truncated, infos["action_mask"], infos["seat"])
        seen.append(tuple(part.tobytes() for part in parts))
    return seen


@ALL
def test_one_seat_of_each_game_decides_and_the_others_can_only_pass(env_id: str, players: int) -> None:
    env = _make(env_id, players)
    n = env.single_action_space.n
    assert isinstance(env.unwrapped, AllSeatsVectorEnv)
    assert (env.unwrapped.passes, env.unwrapped.players) == (n - 1, players)
    observations, infos = env.reset(seed=0)
    for _ in range(300):
        assert env.observation_space.contains(observations)
        masks = infos["action_mask"].reshape(-1, players, n)
        assert masks.dtype == np.int8
        assert (masks[..., -1].sum(axis=1) == players - 1).all()
        assert (masks[..., -1] == (masks[..., :-1].sum(axis=2) == 0)).all()
        observations, rewards, terminated, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert "illegal_action" not in infos
        assert np.abs(rewards.reshape(-1, players).sum(axis=1)).max() < 1e-12
        for ends in (terminated, truncated):
            assert (ends.reshape(-1, players).min(axis=1) == ends.reshape(-1, players).max(axis=1)).all()


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_the_loser_is_paid_in_the_step_in_which_somebody_else_wins(mode: str) -> None:
    env = _make(DEMI_ILES, 3, games=30, mode=mode)
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(0)
    won = 0
    for _ in range(800):
        moved = infos["action_mask"][:, -1].reshape(-1, 3) == 0
        masks = infos["action_mask"]
        _, rewards, terminated, _, infos = env.step((rng.random(masks.shape) * masks).argmax(axis=1))
        for game in np.flatnonzero(terminated.reshape(-1, 3)[:, 0]):
            own = rewards.reshape(-1, 3)[game]
            assert own[moved[game]] == 1  # only a throw of one's own wins
            assert (own[~moved[game]] == -0.5).all()
            won += 1
    assert won > 10


def test_what_is_not_legal_is_replaced_and_reported() -> None:
    env, twin = _make(DEMI_ILES, games=1), _make(DEMI_ILES, games=1)
    for one in (env, twin):
        one.reset(seed=2)
    given = env.step(np.array([3, 1]))  # seat 0 is to move and passes, seat 1 throws a die
    expected = twin.step(np.array([0, 3]))
    for one, other in zip(given[:4], expected[:4], strict=True):
        assert one.tobytes() == other.tobytes()
    assert given[4]["illegal_action"].tolist() == given[4]["_illegal_action"].tolist() == [True, True]
    assert "illegal_action" not in expected[4]


@ALL
def test_a_game_plays_the_same_whatever_the_number_of_games_and_whenever_others_begin_again(
    env_id: str, players: int
) -> None:
    few, many = _make(env_id, players, games=2), _make(env_id, players, games=20)
    few.reset(seed=9)
    many.reset(seed=9)
    rng = np.random.default_rng(0)
    for step in range(80):
        if step % 7 == 3:
            mask = np.zeros(20 * players, dtype=np.bool_)
            first = (2 + step % 18) * players
            mask[first : first + players] = True
            many.reset(options={"reset_mask": mask})
        actions = rng.integers(many.single_action_space.n, size=20 * players)
        one, other = few.step(actions[: 2 * players]), many.step(actions)
        for mine, theirs in zip(one[:4], other[:4], strict=True):
            assert mine.tobytes() == theirs[: 2 * players].tobytes()


def test_a_list_of_seeds_has_one_for_each_slot_and_a_game_takes_that_of_its_seat_0() -> None:
    env, other = _make(QUATRE21, games=3).unwrapped, _make(QUATRE21, games=1).unwrapped
    env.reset(seed=[5, 6, 5, 7, 8, None])
    assert env._batch.words[0].tolist() == env._batch.words[1].tolist() != env._batch.words[2].tolist()
    other.reset(seed=5)
    assert env._batch.words[0].tolist() == other._batch.words[0].tolist()
    before = env._batch.words.copy()
    env.reset(seed=[5, None, None, 5, 8, None])
    assert (env._batch.words[1] != before[1]).any()  # it has played its opening and goes on
    assert (env._batch.words[[0, 2]] == before[[0, 2]]).all()


@ALL
def test_reset_mask_begins_new_games_and_shows_the_others_as_they_are(env_id: str, players: int) -> None:
    env = _make(env_id, players, mode="NextStep")
    env.reset(seed=1)
    for _ in range(3):
        observations, _, _, _, infos = env.step(np.zeros(4 * players, dtype=np.int64))
    mask = np.repeat([True, False, False, True], players)
    again, info = env.reset(options={"reset_mask": mask})
    assert (again[~mask] == observations[~mask]).all()
    assert (info["action_mask"][~mask] == infos["action_mask"][~mask]).all()
    assert (again[mask] != observations[mask]).any()
    with pytest.raises(ValueError, match=re.escape("reset_mask is the same for all seats of a game, and slots 0 to")):
        env.reset(options={"reset_mask": np.arange(4 * players) == 0})


@ALL
def test_copies_pickles_and_states_play_on_alike(env_id: str, players: int) -> None:
    env = _make(env_id, players)
    env.reset(seed=1)
    _play(env, 30)
    taken = _make(env_id, players)
    taken.unwrapped.load_state(env.unwrapped.state())
    twins = copy.deepcopy(env), pickle.loads(pickle.dumps(env)), taken
    played = _play(env, 60)
    assert all(_play(twin, 60) == played for twin in twins)


def test_a_state_that_does_not_fit_gets_one_sentence() -> None:
    env = _make(QUATRE21).unwrapped
    with pytest.raises(ValueError, match="places is missing or no array"):
        env.load_state({})
    with pytest.raises(ValueError, match="seats are those of slots other than 4 games'"):
        env.load_state(_make(QUATRE21, games=3).unwrapped.state())
    env.reset(seed=0)
    kept = env.state()
    kept["places"][2, -1] = 4
    with pytest.raises(ValueError, match="slot 2 stands where no game of 421 can"):
        env.load_state(kept)


@ALL
def test_arrays_are_the_callers_to_keep_unless_copy_is_false(env_id: str, players: int) -> None:
    env = _make(env_id, players)
    observations, infos = env.reset(seed=0)
    kept, copies = [], []
    for _ in range(80):
        observations, rewards, terminated, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
        kept += [observations, rewards, terminated, truncated, infos["action_mask"], infos["seat"]]
        copies += [array.copy() for array in kept[-6:]]
    assert all((one == other).all() for one, other in zip(kept, copies, strict=True))
    frugal = _make(env_id, players, copy=False)
    first, _ = frugal.reset(seed=0)
    assert frugal.step(np.zeros(4 * players, dtype=np.int64))[0] is first


@pytest.mark.parametrize(
    ("env_id", "options", "error", "text"),
    [
        (QUATRE21, {"num_envs": 3}, ValueError, "so it is a multiple of 2, the number of players, not 3"),
        (
            DEMI_ILES,
            {"num_envs": 4, "players": 3},
            ValueError,
            "so it is a multiple of 3, the number of players, not 4",
        ),
        (QUATRE21, {}, ValueError, "so it is a multiple of 2, the number of players, not 1"),
        (QUATRE21, {"num_envs": 0}, ValueError, "num_envs is an integer of at least 1, not 0"),
        (QUATRE21, {"seats": "al"}, ValueError, "seats is one of 'one', 'all', not 'al'; did you mean 'all'?"),
        (QUATRE21, {"opponents": "random"}, ValueError, "every seat is a slot: opponents cannot be chosen"),
        (DEMI_ILES, {"seat": 0}, ValueError, "every seat is a slot: seat cannot be chosen"),
        (DEMI_ILES, {"num_envs": 2, "player": 2}, TypeError, "got an unexpected keyword argument 'player'"),
        (QUATRE21, {"num_envs": 2, "render_mode": "ansy"}, ValueError, "did you mean 'ansi'?"),
        (SOLO, {}, TypeError, "nenette/DemiIlesSolo-v0 got an unexpected keyword argument 'seats'"),
    ],
)
def test_bad_options_get_one_sentence(env_id: str, options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=re.escape(text)):
        gym.make_vec(env_id, **{"seats": "all", **options})


def test_bad_calls_get_one_sentence() -> None:
    env = _make(DEMI_ILES, games=1)
    with pytest.raises(ResetNeeded, match=re.escape("no episode has begun: call reset() first")):
        env.step(np.zeros(2, dtype=np.int64))
    with pytest.raises(ResetNeeded, match="reset_mask leaves out"):
        _make(DEMI_ILES, games=2).reset(options={"reset_mask": np.array([True, True, False, False])})
    env.reset(seed=0)
    with pytest.raises(ValueError, match="an action is an integer from 0 to 3, not 4"):
        env.step(np.array([4, 3]))
    with pytest.raises(ValueError, match="with seats='all' every seat is a slot: there are no opponents"):
        env.unwrapped.set_opponents("random")
