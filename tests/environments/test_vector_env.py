"""What the vector environments promise besides the games themselves: seeds, shapes, copies, resets, errors."""

import copy
import pickle
import re
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO, Always
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

import nenette
from nenette.environments.vector import seating
from nenette.games import make_game

ALL = pytest.mark.parametrize("env_id", [SOLO, DEMI_ILES, QUATRE21])
SAME, NEXT = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP


def _play(env: Any, steps: int, seed: int = 0) -> list[tuple[bytes, ...]]:
    rng, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        actions = rng.integers(env.single_action_space.n, size=env.num_envs)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        parts = (observations, rewards, terminated, truncated, infos["action_mask"], infos["seat"])
        seen.append(tuple(part.tobytes() for part in parts))
    return seen


@ALL
def test_shapes_types_and_declarations(env_id: str) -> None:
    for mode in (NEXT, SAME):
        env = gym.make_vec(env_id, num_envs=7, autoreset_mode=mode)
        assert env.metadata["autoreset_mode"] is mode
        observations, infos = env.reset(seed=0)
        assert env.observation_space.contains(observations)
        assert infos["action_mask"].dtype == np.int8
        assert infos["_action_mask"].all()
        for _ in range(20):
            observations, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
            assert env.observation_space.contains(observations)
            assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
            assert rewards.shape == terminated.shape == truncated.shape == (7,)
            assert infos["action_mask"].shape == (7, env.single_action_space.n)
            assert infos["seat"].shape == (7,)
        masks = env.unwrapped.action_masks()
        assert masks.dtype == np.bool_
        assert (masks == infos["action_mask"]).all()
    assert gym.make_vec(env_id, autoreset_mode="SameStep").metadata["autoreset_mode"] is SAME
    assert gym.make_vec(env_id).metadata["autoreset_mode"] is NEXT


@ALL
def test_the_same_seed_gives_the_same_games_and_another_gives_others(env_id: str) -> None:
    walks = []
    for seed in (4, 4, 5):
        env = gym.make_vec(env_id, num_envs=6)
        env.reset(seed=seed)
        walks.append(_play(env, 40))
    assert walks[0] == walks[1] != walks[2]


@ALL
def test_a_slot_plays_the_same_whatever_the_number_of_slots_and_whenever_others_begin_again(env_id: str) -> None:
    few, many = gym.make_vec(env_id, num_envs=3), gym.make_vec(env_id, num_envs=50)
    few.reset(seed=9)
    many.reset(seed=9)
    rng = np.random.default_rng(0)
    for step in range(60):
        if step % 7 == 3:  # other slots begin again in one of them
            mask = np.zeros(50, dtype=np.bool_)
            mask[3 + step % 40] = True
            many.reset(options={"reset_mask": mask})
        actions = rng.integers(env_actions(many), size=50)
        one, other = few.step(actions[:3]), many.step(actions)
        for mine, theirs in zip(one[:4], other[:4], strict=True):
            assert mine.tobytes() == theirs[:3].tobytes()


def env_actions(env: Any) -> int:
    return int(env.single_action_space.n)


def test_a_list_of_seeds_seeds_each_slot_and_none_lets_one_go_on() -> None:
    env, other = gym.make_vec(QUATRE21, num_envs=3), gym.make_vec(QUATRE21, num_envs=3)
    env.reset(seed=[5, 5, 8])
    assert env.unwrapped._batch.words[0].tolist() == env.unwrapped._batch.words[1].tolist()
    other.reset(seed=5)
    assert env.unwrapped._batch.words[0].tolist() == other.unwrapped._batch.words[0].tolist()
    before = env.unwrapped._batch.words.copy()
    env.reset(seed=[5, None, 8])
    after = env.unwrapped._batch.words
    assert (before[[0, 2]] == after[[0, 2]]).all()
    assert (before[1] != after[1]).any()


def test_without_a_seed_games_go_on_with_their_streams_and_start_differently_each_time() -> None:
    starts = []
    for _ in range(2):
        env = gym.make_vec(QUATRE21, num_envs=40)
        starts.append(env.reset()[0].tobytes() + env.reset()[0].tobytes())
    assert starts[0] != starts[1]


@ALL
def test_arrays_are_the_callers_to_keep_unless_copy_is_false(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=4, autoreset_mode=SAME)
    returned = [env.reset(seed=0)[0]]
    for _ in range(60):
        observations, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
        returned += [observations, rewards, terminated, truncated, infos["action_mask"], infos["seat"]]
        returned += [row for row in infos.get("final_obs", []) if row is not None]
    kept = [array.copy() for array in returned]
    for _ in range(20):
        env.step(np.zeros(4, dtype=np.int64))
    assert all((one == other).all() for one, other in zip(returned, kept, strict=True))
    frugal = gym.make_vec(env_id, num_envs=4, copy=False)
    first, _ = frugal.reset(seed=0)
    second = frugal.step(np.zeros(4, dtype=np.int64))[0]
    assert first is second


def test_a_mask_that_is_written_to_changes_nothing() -> None:
    env = gym.make_vec(QUATRE21, num_envs=2)
    _, infos = env.reset(seed=0)
    infos["action_mask"][:] = 0
    env.unwrapped.action_masks()[:] = False
    assert env.unwrapped.action_masks().any(axis=1).all()


@ALL
def test_reset_mask_begins_new_games_in_some_slots_and_shows_the_others_as_they_are(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=5)
    env.reset(seed=1)
    for _ in range(2):
        observations, _, _, _, infos = env.step(np.full(5, 1))
    mask = np.array([True, False, False, True, False])
    words = env.unwrapped._batch.words.copy()
    again, info = env.reset(options={"reset_mask": mask})
    assert (again[~mask] == observations[~mask]).all()
    assert (info["action_mask"][~mask] == infos["action_mask"][~mask]).all()
    assert (env.unwrapped._batch.words[~mask] == words[~mask]).all()
    assert env.unwrapped._batch.status.tolist() == [1 if m else 2 for m in mask]


@ALL
def test_copies_and_pickles_play_on_alike(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=5)
    env.reset(seed=1)
    _play(env, 20)
    twins = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    played = _play(env, 30)
    assert all(_play(twin, 30) == played for twin in twins)


def test_other_opponents_take_over_from_their_next_move_on() -> None:
    env = gym.make_vec(DEMI_ILES, num_envs=3).unwrapped
    env.reset(seed=0)
    newcomer = Always(0)
    env.set_opponents(newcomer)
    env.step(np.zeros(3, dtype=np.int64))
    assert newcomer.asked >= 3


@pytest.mark.parametrize("env_id", [DEMI_ILES, QUATRE21])
def test_other_opponents_change_nothing_about_the_games_as_they_stand(env_id: str) -> None:
    env, twin = (gym.make_vec(env_id, num_envs=5, opponents="random", autoreset_mode=SAME) for _ in range(2))
    for one in (env, twin):
        one.reset(seed=1)
        _play(one, 20)
    assert env.unwrapped.action_masks().any()
    env.unwrapped.set_opponents(of_each=["optimal", "random", "random", "optimal", "random"])
    assert (env.unwrapped.action_masks() == twin.unwrapped.action_masks()).all()
    for key, value in env.unwrapped.state().items():
        assert (value == twin.unwrapped.state()[key]).all()
    env.unwrapped.set_opponents("random")
    assert _play(env, 30) == _play(twin, 30)


def test_who_changes_places_is_not_written_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("demi-iles")
    players = [nenette.load_opponent(name, game) for name in ("greedy", "optimal")]
    env = gym.make_vec(DEMI_ILES, num_envs=2, opponents_of_each=players).unwrapped
    asked = []
    monkeypatch.setattr(seating, "_asked", lambda *given: (asked.append(given), written(*given))[1])
    env.set_opponents(of_each=players[::-1])
    assert not asked
    env.set_opponents(of_each=["random", players[0]])
    assert env._seating.opponents[1].policy is players[0]


written = seating._asked


def test_mean_returns_against_an_equal_player_are_zero() -> None:
    env = gym.make_vec(QUATRE21, num_envs=512, episode="manche", fiches=4, opponents="random", autoreset_mode=SAME)
    _, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    returns = []
    for _ in range(100):
        preferences = rng.random(infos["action_mask"].shape) * infos["action_mask"]
        _, rewards, terminated, truncated, infos = env.step(preferences.argmax(axis=1))
        assert "illegal_action" not in infos
        returns.append(rewards[terminated | truncated])
    games = np.concatenate(returns)
    assert len(games) > 3000
    assert abs(games.mean()) < 4 / len(games) ** 0.5


class Cheat:
    name = "cheat"

    def __init__(self, *, fixed: bool) -> None:
        self.fixed = fixed

    def action_probabilities(self, observations: Any, masks: Any) -> Any:
        return np.full(masks.shape, 1 / masks.shape[1]) * 2


@pytest.mark.parametrize("fixed", [False, True])
def test_an_opponent_with_invalid_probabilities_gets_a_sentence(fixed: bool) -> None:
    with pytest.raises(ValueError, match="policy 'cheat' gave the probabilities"):
        gym.make_vec(DEMI_ILES, num_envs=2, seat=1, opponents=Cheat(fixed=fixed)).reset(seed=0)


@pytest.mark.parametrize(
    ("env_id", "options", "error", "text"),
    [
        (DEMI_ILES, {"num_envs": 0}, ValueError, "num_envs is an integer of at least 1, not 0"),
        (DEMI_ILES, {"seat": 2}, ValueError, "seat is 'random' or an integer from 0 to 1, not 2"),
        (DEMI_ILES, {"player": 3}, TypeError, "nenette/DemiIles-v0 got an unexpected keyword argument 'player'"),
        (DEMI_ILES, {"max_episode_steps": 0}, ValueError, "max_episode_steps is an integer of at least 1, not 0"),
        (QUATRE21, {"autoreset_mode": "SameStop"}, ValueError, "did you mean 'SameStep'?"),
        (QUATRE21, {"episode": "game"}, ValueError, "an episode is one of|episode is one of"),
        (QUATRE21, {"render_mode": "ansy"}, ValueError, "did you mean 'ansi'?"),
        (QUATRE21, {"opponents": "a-font"}, ValueError, "did you mean 'a-fond'"),
        (
            QUATRE21,
            {"num_envs": 3, "opponents_of_each": ["random"]},
            ValueError,
            "opponents_of_each is a list of num_envs=3, one for each slot, not of 1",
        ),
    ],
)
def test_bad_options_get_one_sentence(env_id: str, options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        gym.make_vec(env_id, **options)


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        ([0, 3], "an action is an integer from 0 to 2, not 3"),
        ([-1, 0], "an action is an integer from 0 to 2, not -1"),
        ([0], "actions are 2 integers, not an array of shape (1,) and type int64"),
        ([0.0, 1.0], "actions are 2 integers, not an array of shape (2,) and type float64"),
    ],
)
def test_bad_actions_get_one_sentence_and_change_nothing(actions: list[Any], text: str) -> None:
    env = gym.make_vec(DEMI_ILES, num_envs=2)
    env.reset(seed=0)
    before = env.unwrapped._batch.places.copy()
    with pytest.raises(ValueError, match=re.escape(text)):
        env.step(np.array(actions))
    assert (env.unwrapped._batch.places == before).all()


def test_stepping_before_a_reset_gets_one_sentence() -> None:
    env = gym.make_vec(DEMI_ILES, num_envs=2)
    with pytest.raises(ResetNeeded, match=re.escape("no episode has begun: call reset() first")):
        env.step(np.zeros(2, dtype=np.int64))
    with pytest.raises(ResetNeeded, match=re.escape("no episode has begun: call reset() first")):
        env.unwrapped.action_masks()
    with pytest.raises(ResetNeeded, match="reset_mask leaves out"):
        env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ValueError, match="reset_mask is a bool array"):
        env.reset(options={"reset_mask": np.array([1, 0])})
