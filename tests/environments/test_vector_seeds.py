"""Every slot has a random stream of its own, however it is seeded; a reset that is refused changes nothing."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO, Mixed
from gymnasium.error import ResetNeeded

FORMS: list[tuple[str, dict[str, Any]]] = [
    (SOLO, {}),
    (DEMI_ILES, {}),
    (QUATRE21, {}),
    (DEMI_ILES, {"seats": "all"}),
    (QUATRE21, {"seats": "all"}),
]
FORM = pytest.mark.parametrize(("env_id", "options"), FORMS, ids=str)


def _made(env_id: str, options: dict[str, Any]) -> Any:
    return gym.make_vec(env_id, num_envs=4, **options).unwrapped


@FORM
def test_slots_that_nobody_has_seeded_get_streams_of_their_own(env_id: str, options: dict[str, Any]) -> None:
    for seeds in ([None] * 4, [None, None, 7, None], [3, None, None, None]):
        words = []
        for _ in range(2):
            env = _made(env_id, options)
            env.reset(seed=seeds)
            words.append(env.state()["words"])
            assert words[-1].any(axis=1).all(), "a stream that is never left: every die shows the same for ever"
        per_stream = np.array(seeds)[:: 4 // len(words[0])]
        for stream, seed in enumerate(per_stream):
            same = words[0][stream].tolist() == words[1][stream].tolist()
            assert same == (seed is not None)


@FORM
def test_a_stream_that_has_begun_goes_on_where_no_seed_is_given(env_id: str, options: dict[str, Any]) -> None:
    env, twin = _made(env_id, options), _made(env_id, options)
    for one, again in ((env, None), (twin, [None] * 4)):
        one.reset(seed=5)
        one.step(np.zeros(4, dtype=np.int64))
        one.reset(seed=again)
    assert env.state()["words"].tolist() == twin.state()["words"].tolist()


REFUSED: list[tuple[Any, Any, str]] = [
    (-1, None, "seed is an integer of at least 0, not -1"),
    (True, None, "seed is an integer of at least 0, not True"),
    (1.5, None, "seed is None, an integer of at least 0 or a list of them, not 1.5"),
    ("1234", None, "seed is None, an integer of at least 0 or a list of them, not '1234'"),
    ([1, 2, 3], None, "seed is an integer or a list of num_envs=4, one for each slot, not of 3"),
    ([1, 2, -3, None], None, "the seed of slot 2 is an integer of at least 0, not -3"),
    ([1, 2, 3, 0.5], None, "the seed of slot 3 is an integer of at least 0, not 0.5"),
    (1, np.array([True, True, False]), "reset_mask is a bool array of shape (4,) with at least one True, not an array"),
]


@FORM
@pytest.mark.parametrize("begun", [False, True])
def test_a_reset_that_is_refused_changes_nothing(env_id: str, options: dict[str, Any], begun: bool) -> None:
    env = _made(env_id, options)
    if begun:
        env.reset(seed=0)
        env.step(np.zeros(4, dtype=np.int64))
    before = env.state()
    for seed, mask, sentence in REFUSED:
        with pytest.raises(ValueError) as caught:  # noqa: PT011  the text is compared
            env.reset(seed=seed, options=None if mask is None else {"reset_mask": mask})
        assert str(caught.value).startswith(sentence)
    if not begun:
        with pytest.raises(ResetNeeded, match="reset_mask leaves out"):
            env.reset(seed=1, options={"reset_mask": np.array([True, True, False, False])})
        with pytest.raises(ResetNeeded, match="no episode has begun"):
            env.step(np.zeros(4, dtype=np.int64))
    for name, array in env.state().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


class Failing(Mixed):
    """Answers until it does not any more."""

    fails = False

    def action_probabilities(self, observations: Any, masks: Any) -> Any:
        if self.fails:
            raise KeyboardInterrupt
        return super().action_probabilities(observations, masks)


@pytest.mark.parametrize(("env_id", "options"), [(DEMI_ILES, {"seat": 1}), (QUATRE21, {})])
def test_an_opponent_that_fails_leaves_the_games_as_they_were(env_id: str, options: dict[str, Any]) -> None:
    opponent = Failing(fixed=False)
    env = gym.make_vec(env_id, num_envs=40, opponents=opponent, **options).unwrapped
    env.reset(seed=0)
    for _ in range(2):
        env.step(env.action_masks().argmax(axis=1))
    before, masks = env.state(), env.action_masks()
    opponent.fails = True
    with pytest.raises(KeyboardInterrupt):
        env.step(masks.argmax(axis=1))
    if env_id == DEMI_ILES:  # 421 begins with throws that leave no choice
        with pytest.raises(KeyboardInterrupt):
            env.reset(seed=9)
    for name, array in env.state().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
    np.testing.assert_array_equal(env.action_masks(), masks)
    opponent.fails = False
    env.step(masks.argmax(axis=1))


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
def test_numpys_integers_are_seeds(kind: Any) -> None:
    env, twin = _made(QUATRE21, {}), _made(QUATRE21, {})
    assert env.reset(seed=kind(7))[0].tobytes() == twin.reset(seed=7)[0].tobytes()
    assert env.reset(seed=np.arange(4, dtype=kind))[0].tobytes() == twin.reset(seed=[0, 1, 2, 3])[0].tobytes()
    one, other = gym.make(QUATRE21), gym.make(QUATRE21)
    assert one.reset(seed=kind(7))[0].tobytes() == other.reset(seed=7)[0].tobytes()
