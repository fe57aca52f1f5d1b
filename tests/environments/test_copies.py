"""An environment in the middle of a game, copied in any way, goes on as the original does."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from environment_cases import CASES, DEMI_ILES, QUATRE21, Always, make, play_on

from nenette.environments.turn_based import TurnBasedEnv


def _deep(env: TurnBasedEnv, options: dict[str, Any]) -> TurnBasedEnv:
    return copy.deepcopy(env)


def _pickled(env: TurnBasedEnv, options: dict[str, Any]) -> TurnBasedEnv:
    twin = pickle.loads(pickle.dumps(env))
    assert isinstance(twin, TurnBasedEnv)
    return twin


def _restored(env: TurnBasedEnv, options: dict[str, Any]) -> TurnBasedEnv:
    twin = make(type(env).env_id, **options)
    observation, info = twin.restore(json.loads(json.dumps(env.snapshot())))
    assert info["action_mask"].tolist() == env.action_masks().tolist()
    assert twin.observation_space.contains(observation)
    return twin


@pytest.mark.parametrize("copied", [_deep, _pickled, _restored])
@pytest.mark.parametrize(("env_id", "options"), CASES, ids=str)
def test_a_copy_goes_on_as_the_original(
    env_id: str, options: dict[str, Any], copied: Callable[[TurnBasedEnv, dict[str, Any]], TurnBasedEnv]
) -> None:
    env = make(env_id, **options)
    env.reset(seed=11)
    for steps in (1, 6, 17):
        list(play_on(env, steps, seed=steps))
        twin = copied(env, options)
        if env.render_mode:
            assert twin.render() == env.render()
        went_on = list(play_on(env, 25, seed=0))
        assert list(play_on(twin, 25, seed=0)) == went_on


def test_a_copy_does_not_move_with_the_original() -> None:
    env = make(DEMI_ILES)
    env.reset(seed=0)
    for copied in (_deep, _pickled, _restored):
        twin = copied(env, {})
        before = twin.snapshot()
        list(play_on(env, 10, seed=0))
        assert twin.snapshot() == before


def test_a_game_can_be_taken_back_to_a_snapshot() -> None:
    env = make(QUATRE21)
    env.reset(seed=0)
    list(play_on(env, 5, seed=0))
    snapshot = env.snapshot()
    first = list(play_on(env, 40, seed=1))
    env.restore(snapshot)
    assert list(play_on(env, 40, seed=1)) == first


def test_the_end_of_a_game_is_part_of_a_snapshot() -> None:
    env = make(DEMI_ILES, players=2, seat=0, opponents=Always(0), max_turns=2)
    env.reset(seed=0)
    assert env.step(0)[3]
    twin = make(DEMI_ILES, players=2, seat=0, opponents=Always(0), max_turns=2)
    twin.restore(env.snapshot())
    with pytest.raises(Exception, match="the episode is over"):
        twin.step(0)


def test_a_snapshot_of_another_game_is_refused() -> None:
    env, other = make(QUATRE21), make(QUATRE21, fiches=21)
    other.reset(seed=0)
    theirs, ours = other.game.rules_id, env.game.rules_id
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole text is compared
        env.restore(other.snapshot())
    assert str(caught.value) == (
        f"the snapshot is of '421' with rules '{theirs}', this environment plays '421' with rules '{ours}'"
    )


def test_a_named_opponent_is_pickled_as_its_name() -> None:
    env = make(DEMI_ILES, opponents="blocker")
    env.reset(seed=0)
    list(play_on(env, 200, seed=0))
    assert len(pickle.dumps(env._opponents)) < 500
