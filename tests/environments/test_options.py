"""What may be asked of an environment, and what is said to whoever asks for something else."""

import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO, Always, fields_of, make, play_on
from gymnasium.error import NameNotFound, ResetNeeded

from nenette.environments.demi_iles import DemiIlesEnv
from nenette.environments.quatre21 import Quatre21Env

WRONG_VALUES: list[tuple[str, dict[str, Any], str]] = [
    (DEMI_ILES, {"players": 7}, "players is an integer from 2 to 6, not 7"),
    (DEMI_ILES, {"players": "3"}, "players is an integer from 2 to 6, not '3'"),
    (DEMI_ILES, {"seat": 2}, "seat is 'random' or an integer from 0 to 1, not 2"),
    (DEMI_ILES, {"seat": "first"}, "seat is 'random' or an integer from 0 to 1, not 'first'"),
    (DEMI_ILES, {"seat": True}, "seat is 'random' or an integer from 0 to 1, not True"),
    (DEMI_ILES, {"players": 3, "max_turns": 2}, "max_turns is an integer of at least 3, not 2"),
    (DEMI_ILES, {"max_turns": 0}, "max_turns is an integer of at least 1, not 0"),
    (
        DEMI_ILES,
        {"players": 4, "opponents": ["random", "greedy"]},
        "opponents is a name, a policy or a list of 1 or 3 of them, not a list of 2",
    ),
    (DEMI_ILES, {"opponents": []}, "opponents is a name, a policy or a list of 1 of them, not a list of 0"),
    (
        DEMI_ILES,
        {"opponents": 3},
        "an opponent is a policy's name, a run's path or a policy (with action_probabilities), not 3",
    ),
    (QUATRE21, {"episode": "mancha"}, "episode is one of 'match', 'manche', not 'mancha'; did you mean 'manche'?"),
    (
        QUATRE21,
        {"episode": "manche", "manches_to_lose": 2},
        "episode='manche' is played until 1 manche is lost, so manches_to_lose is 1, not 2",
    ),
    (QUATRE21, {"players": 7}, "players is an integer from 2 to 6, not 7"),
    (QUATRE21, {"max_turns": 1}, "max_turns is an integer of at least 2, not 1"),
    (
        QUATRE21,
        {"followers": "at most"},
        "followers is one of 'at_most', 'exactly', not 'at most'; did you mean 'at_most'?",
    ),
]


@pytest.mark.parametrize(("env_id", "options", "sentence"), WRONG_VALUES, ids=str)
def test_a_wrong_value_gets_one_sentence(env_id: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole text is compared
        gym.make(env_id, **options)
    assert str(caught.value) == sentence


@pytest.mark.filterwarnings("ignore:.*possible render_modes:UserWarning")  # Gymnasium's word, before ours
def test_a_wrong_render_mode_gets_one_sentence() -> None:
    with pytest.raises(
        ValueError, match=r"^render_mode is one of None, 'ansi', 'human', 'rgb_array', not 'ascii'; did"
    ):
        gym.make(QUATRE21, render_mode="ascii")


def test_numpys_integers_are_options() -> None:
    seven = np.int64(7)
    env = make(QUATRE21, fiches=seven, seat=np.int8(1), max_turns=np.uint16(50), nenette_in_decharge=np.True_)
    assert env.game.rules_id == make(QUATRE21, fiches=7).game.rules_id
    assert env.reset(seed=0)[1]["seat"] == 1
    options = {"num_envs": np.int32(6), "players": np.int64(3), "max_turns": seven, "max_episode_steps": seven}
    for more in ({"seat": np.int64(2)}, {"seats": "all"}):
        vector = gym.make_vec(DEMI_ILES, **options, **more)
        assert (type(vector.num_envs), vector.num_envs) == (int, 6)
        assert vector.unwrapped.game.rules_id == make(DEMI_ILES, players=3).game.rules_id
        vector.reset(seed=0)


def test_a_mistyped_opponent_gets_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"'gredy' .*; did you mean 'greedy'\?$"):
        gym.make(DEMI_ILES, opponents="gredy")
    with pytest.raises(ValueError, match=r"did you mean 'a-fond'\?$"):
        gym.make(QUATRE21, opponents=["a_fond"])


@pytest.mark.parametrize(
    ("env_id", "option", "known", "hint"),
    [
        (SOLO, "opponents", "render_mode, render_size, max_turns", ""),
        (
            DEMI_ILES,
            "oponents",
            "opponents, seat, render_mode, render_size, players, max_turns",
            "; did you mean 'opponents'?",
        ),
        (
            QUATRE21,
            "kept_dices",
            "episode, opponents, seat, render_mode, render_size, players",
            "; did you mean 'kept_dice'?",
        ),
        (
            QUATRE21,
            "frameskip",
            "episode, opponents, seat, render_mode, render_size, players",
            "; did you mean 'render_size'?",
        ),
    ],
)
def test_an_option_that_is_not_there_gets_the_nearest(env_id: str, option: str, known: str, hint: str) -> None:
    """After Python's own words, which TorchRL looks for: it tries `frameskip` everywhere."""
    with pytest.raises(TypeError) as caught:
        gym.make(env_id, **{option: 1})
    begins = f"{env_id} got an unexpected keyword argument {option!r} (it has {known}"
    assert str(caught.value).startswith(begins)
    assert f"){hint} was raised" in str(caught.value)  # Gymnasium adds what was given


def test_gymnasium_knows_the_names() -> None:
    with pytest.raises(NameNotFound, match="Did you mean: `DemiIles`"):
        gym.make("nenette/DemiIle-v0")


def test_options_are_keywords() -> None:
    with pytest.raises(TypeError, match="positional argument"):
        Quatre21Env("manche")
    assert DemiIlesEnv(players=3, seat=2).game.players == 3


@pytest.mark.parametrize("action", [8, -1, 1.0, "0", None, np.array([1])])
def test_an_action_outside_of_the_space_gets_one_sentence(action: Any) -> None:
    env = make(QUATRE21)
    env.reset(seed=0)
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole text is compared
        env.step(action)
    assert str(caught.value) == f"an action is an integer from 0 to 7, not {action!r}"


@pytest.mark.parametrize("action", [1, np.int64(1), np.array(1)])
def test_an_action_may_be_any_kind_of_integer(action: Any) -> None:
    env = make(SOLO)
    env.reset(seed=0)
    assert env.step(action)[1] == -1.0


def test_calls_before_reset_and_after_the_end_say_so() -> None:
    env = make(SOLO, max_turns=1, render_mode="ansi")
    for call in (lambda: env.step(0), env.render, env.snapshot, env.action_masks):
        with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
            call()
    env.reset()
    env.step(0)
    with pytest.raises(ResetNeeded, match=r"the episode is over, or none has begun: call reset\(\) before step\(\)"):
        env.step(0)


def test_rendering_without_a_mode_warns() -> None:
    env = make(SOLO)
    env.reset()
    with pytest.warns(UserWarning, match='render_mode="ansi" or "rgb_array"'):
        assert env.render() is None


def test_opponents_sit_in_turn_order_after_the_learner() -> None:
    next_one, last = Always(0, "next"), Always(0, "last")
    env = make(DEMI_ILES, players=3, seat=1, opponents=[next_one, last])
    env.reset(seed=0)
    assert (next_one.asked, last.asked) == (0, 1)  # seat 0 has thrown: the last one after seat 1
    env.step(0)
    assert (next_one.asked, last.asked) == (1, 2)


def test_one_opponent_fills_all_other_seats() -> None:
    for opponents in (Always(0), [Always(0)]):
        env = make(DEMI_ILES, players=4, seat=0, opponents=opponents)
        env.reset(seed=0)
        env.step(0)
        everywhere = opponents[0] if isinstance(opponents, list) else opponents
        assert everywhere.asked == 3


def test_opponents_can_be_replaced() -> None:
    first, second = Always(0), Always(0)
    env = make(DEMI_ILES, seat=0, opponents=first)
    env.reset(seed=0)
    env.step(0)
    env.set_opponents(second)
    env.step(0)
    assert (first.asked, second.asked) == (1, 1)


def test_an_opponent_who_cheats_is_named() -> None:
    class Cheat(Always):
        def action_probabilities(self, observations: Any, masks: Any) -> Any:
            return np.tile(np.eye(8)[0], (len(masks), 1))

    env = make(QUATRE21, opponents=Cheat(0, "cheat"), followers="exactly")
    env.reset(seed=0)
    sentence = r"the opponent 'cheat' chose action 0 in State\(.*\), where 1, 2, .* are legal"
    with pytest.raises(ValueError, match=sentence):
        list(play_on(env, 1000, seed=0))


def test_what_never_changes_is_asked_once_a_state() -> None:
    opponent = Always(0)
    opponent.fixed = True
    env = make(DEMI_ILES, seat=0, opponents=opponent)
    env.reset(seed=0)
    for _ in range(5):
        env.step(0)  # 0-0 each time
    assert opponent.asked == 1


def test_max_turns_may_be_endless() -> None:
    env = make(DEMI_ILES, max_turns=None, opponents=Always(0), seat=0)
    env.reset(seed=0)
    assert not any(env.step(0)[3] for _ in range(500))


def test_features_are_labelled() -> None:
    for env_id in (SOLO, DEMI_ILES, QUATRE21):
        env = make(env_id)
        observation, _ = env.reset(seed=0)
        assert env.observation_space.shape == (len(env.game.codec.labels),) == observation.shape
        assert fields_of(env, observation).keys() == set(env.game.codec.names)


@pytest.mark.parametrize(
    ("env_id", "options", "size"),
    [
        (SOLO, {}, 42),
        (DEMI_ILES, {}, 46),
        (DEMI_ILES, {"players": 6}, 138),
        (QUATRE21, {}, 93),
        (QUATRE21, {"episode": "manche"}, 91),
    ],
)
def test_observations_have_the_documented_size(env_id: str, options: dict[str, Any], size: int) -> None:
    assert make(env_id, **options).observation_space.shape == (size,)


def test_importing_the_package_is_light() -> None:
    heavy = "'scipy', 'safetensors', 'pydantic', 'torch', 'flint', 'numba', 'nenette.games', 'nenette.policies'"
    code = f"import sys, nenette; print([m for m in ({heavy}) if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
