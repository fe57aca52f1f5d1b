"""How an episode goes: where it begins, what the environment plays by itself, what it is worth and where it ends."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from environment_cases import CASES, DEMI_ILES, QUATRE21, SOLO, Always, exact_mean, fields_of, make
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from slow_episode import Seen, slow_episode

from nenette.environments.turn_based import TurnBasedEnv, nearest_legal
from nenette.policies import make_policy

CASE = pytest.mark.parametrize(("env_id", "options"), CASES, ids=str)


def _random_actions(env: TurnBasedEnv, seed: int) -> Iterator[int]:
    rng = np.random.default_rng(seed)
    while True:
        yield int(rng.integers(env.game.n_actions))


def _seen(observation: Any, info: dict[str, Any], *ending: Any) -> Seen:
    reward, terminated, truncated = ending or (0.0, False, False)
    mask = info["action_mask"].tolist()
    return Seen(observation.tobytes(), mask, reward, terminated, truncated, "illegal_action" in info)


@pytest.mark.parametrize(
    ("env_id", "options"), [case for case in CASES if case[1].get("max_turns", 0) is not None], ids=str
)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1))
def test_episodes_go_as_a_slow_loop_over_the_rules_says(env_id: str, options: dict[str, Any], seed: int) -> None:
    env = make(env_id, **options)
    asked = options.get("opponents", "random")
    listed = asked if isinstance(asked, list) else [asked]
    others = [make_policy(one, env.game) if isinstance(one, str) else one for one in listed]
    if len(others) == 1:
        others *= env.game.players
    seat = 0 if env_id == SOLO else options.get("seat", "random")
    rng, mine, theirs = np.random.default_rng(seed), _random_actions(env, seed), _random_actions(env, seed)
    for again in (False, True):  # a second episode goes on with the same random numbers
        expected = list(slow_episode(env.game, others, None if seat == "random" else seat, theirs, rng))
        played = [_seen(*env.reset(seed=None if again else seed))]
        while not (played[-1].terminated or played[-1].truncated):
            observation, reward, terminated, truncated, info = env.step(next(mine))
            played.append(_seen(observation, info, reward, terminated, truncated))
        assert played == expected


@CASE
def test_the_same_seed_gives_the_same_episode(env_id: str, options: dict[str, Any]) -> None:
    episodes = []
    for seed in (3, 3, 4):
        env = make(env_id, **options)
        seen = [_seen(*env.reset(seed=seed))]
        for action, _ in zip(_random_actions(env, 0), range(30), strict=False):
            observation, reward, terminated, truncated, info = env.step(action)
            seen.append(_seen(observation, info, reward, terminated, truncated))
            if terminated or truncated:
                break
        episodes.append(seen)
    assert episodes[0] == episodes[1]
    assert len(episodes[0]) == 2 or episodes[0] != episodes[2]


@CASE
def test_masks_are_fresh_and_never_empty(env_id: str, options: dict[str, Any]) -> None:
    env = make(env_id, **options)
    _, info = env.reset(seed=1)
    masks = [info["action_mask"]]
    for action, _ in zip(_random_actions(env, 1), range(100), strict=False):
        _, _, terminated, truncated, info = env.step(action)
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].any()
        assert env.action_masks().dtype == np.bool_
        assert (env.action_masks() == info["action_mask"]).all()
        if terminated:
            assert info["action_mask"].all()
        masks.append(info["action_mask"])
        if terminated or truncated:
            env.reset()
    assert not any(np.shares_memory(one, other) for one, other in pairwise(masks))
    masks[0][:] = 9
    assert max(int(mask.max()) for mask in masks[1:]) == 1


def test_an_episode_begins_with_a_throw_that_leaves_no_choice() -> None:
    env = make(QUATRE21)
    for seed in range(10):
        observation, info = env.reset(seed=seed)
        fields = fields_of(env, observation)
        assert info["action_mask"].tolist() == [0, 0, 0, 0, 0, 0, 0, 1]
        assert fields["it is the other's move"] == 0
        assert fields["the other leads"] == int(fields["the leader's throw"] > 0)  # and has thrown, if it leads


def test_after_it_only_decisions_are_asked_for() -> None:
    env = make(QUATRE21)
    env.reset(seed=0)
    for action, _ in zip(_random_actions(env, 0), range(300), strict=False):
        _, _, terminated, _, info = env.step(action)
        assert info["action_mask"].sum() > 1
        if terminated:
            env.reset()


def test_a_manche_without_any_decision_is_an_episode_of_one_step() -> None:
    env = make(QUATRE21, episode="manche", fiches=1)
    returns = []
    for seed in range(1500):
        env.reset(seed=seed)
        _, reward, terminated, _, _ = env.step(7)
        assert terminated
        returns.append(reward)
    assert set(returns) == {1.0, -1.0}
    assert abs(np.mean(returns)) < 4 / len(returns) ** 0.5  # both seats alike: exactly 0


def test_mean_returns_are_the_exact_ones_only_with_the_episodes_that_have_no_decision() -> None:
    env = make(QUATRE21, episode="manche", fiches=2, seat=0, opponents=Always(0))
    policy = make_policy("a-fond", env.game)
    returns, decided = [], []
    observation, info = env.reset(seed=0)
    for _ in range(4000):
        steps, terminated, reward = 0, False, 0.0
        while not terminated:
            action = policy.action_probabilities(observation[None], info["action_mask"][None])[0].argmax()
            observation, reward, terminated, _, info = env.step(action)
            steps += 1
        returns.append(reward)
        decided.append(steps > 1)
        observation, info = env.reset()
    exact = exact_mean(env.game, policy, Always(0))
    error = 4 / len(returns) ** 0.5
    assert abs(np.mean(returns) - exact) < error
    assert 0.1 < np.mean(decided) < 0.9
    assert abs(np.mean(np.array(returns)[decided]) - exact) > 2 * error  # without the others the mean would be wrong


def test_a_drawn_seat_is_each_seat_equally_often() -> None:
    env = make(DEMI_ILES, players=6)
    env.reset(seed=0)
    seats = [env.reset()[1]["seat"] for _ in range(1200)]
    assert chisquare(np.bincount(seats, minlength=6)).pvalue > 0.001


def test_a_given_seat_is_kept_and_decides_who_starts() -> None:
    for seat in range(4):
        opponent = Always(0)
        env = make(DEMI_ILES, players=4, seat=seat, opponents=opponent)
        for again in range(1, 4):
            assert env.reset()[1]["seat"] == seat
            assert opponent.asked == again * seat


def test_equal_players_win_equally_often_from_a_drawn_seat() -> None:
    env = make(QUATRE21, episode="manche", fiches=4, opponents=Always(0))
    env.reset(seed=0)
    returns = []
    for _ in range(1500):
        terminated, reward = False, 0.0
        while not terminated:
            _, reward, terminated, _, _ = env.step(0)
        returns.append(reward)
        env.reset()
    assert abs(np.mean(returns)) < 4 / len(returns) ** 0.5


@pytest.mark.parametrize(
    ("max_turns", "steps", "seats_to_go"),
    [(6, 2, 2), (7, 2, 0), (8, 3, 1)],  # seat 1 learns: turns 2, 5 and 8 are its own
)
def test_a_game_is_cut_when_everybodys_turns_are_used_up(max_turns: int, steps: int, seats_to_go: int) -> None:
    env = make(DEMI_ILES, players=3, seat=1, opponents=Always(0), max_turns=max_turns)
    env.reset(seed=0)
    for step in range(1, steps + 1):
        observation, reward, terminated, truncated, info = env.step(0)
        assert (reward, terminated, truncated) == (0.0, False, step == steps)
    assert fields_of(env, observation)["seats until the player to move"] == seats_to_go
    assert info["action_mask"].tolist() == [1, 1, 1]


def test_a_cut_match_shows_whose_move_it_was() -> None:
    env = make(QUATRE21, max_turns=3, seat=0)
    movers = set()
    for seed in range(20):
        env.reset(seed=seed)
        observation, reward, terminated, truncated, info = env.step(7)
        assert (reward, terminated, truncated) == (0.0, False, True)
        theirs = fields_of(env, observation)["it is the other's move"]
        assert info["action_mask"].tolist() == ([1] * 8 if theirs else [0] * 7 + [1])
        movers.add(theirs)
    assert movers == {0, 1}


def test_the_solo_game_costs_one_a_turn_and_is_cut() -> None:
    env = make(SOLO, max_turns=5)
    env.reset(seed=0)
    ends = [env.step(2)[1:4] for _ in range(5)]
    assert ends == [(-1.0, False, False)] * 4 + [(-1.0, False, True)]


def test_the_solo_game_ends_when_all_has_been_seen() -> None:
    env = make(SOLO, max_turns=None)
    env.reset(seed=0)
    env.restore({**env.snapshot(), "fields": [20, *[1] * 20]})
    total, terminated, steps = 0.0, False, 0
    actions = _random_actions(env, 0)
    while not terminated:
        observation, reward, terminated, truncated, _ = env.step(next(actions))
        total, steps = total + reward, steps + 1
        assert not truncated
    assert total == -steps
    assert fields_of(env, observation)["score"] == 21


def test_a_forbidden_action_is_replaced_by_the_nearest_and_reported() -> None:
    one, other = make(QUATRE21), make(QUATRE21)
    one.reset(seed=2)
    other.reset(seed=2)
    forbidden, legal = one.step(0), other.step(7)
    assert forbidden[4].pop("illegal_action") is True
    assert "illegal_action" not in legal[4]
    assert _seen(forbidden[0], forbidden[4], *forbidden[1:4]) == _seen(legal[0], legal[4], *legal[1:4])


@pytest.mark.parametrize(
    ("action", "legal", "nearest"),
    [(0, (7,), 7), (0, (1, 2, 3, 4, 5, 6, 7), 1), (7, (0, 1, 4, 5), 5), (2, (0, 1, 4, 5), 0), (3, (0, 4), 0)],
)
def test_nearest_means_the_fewest_dice_and_then_the_lowest_number(
    action: int, legal: tuple[int, ...], nearest: int
) -> None:
    assert nearest_legal(action, legal) == nearest
