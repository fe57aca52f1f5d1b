"""Whoever asks for something that there is not gets one sentence."""

import pytest

pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from nenette.pettingzoo import demi_iles_v0, quatre21_v0

WRONG: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (demi_iles_v0.env, {"players": 7}, "players is an integer from 2 to 6, not 7"),
    (demi_iles_v0.env, {"players": 3, "max_turns": 2}, "max_turns is an integer of at least 3, not 2"),
    (demi_iles_v0.parallel_env, {"max_cycles": 0}, "max_cycles is an integer of at least 1, not 0"),
    (
        quatre21_v0.env,
        {"render_mode": "ansy"},
        "render_mode is one of None, 'ansi', 'human', 'rgb_array', not 'ansy'; did you mean 'ansi'?",
    ),
    (
        quatre21_v0.parallel_env,
        {"episode": "mancha"},
        "episode is one of 'match', 'manche', not 'mancha'; did you mean 'manche'?",
    ),
    (
        quatre21_v0.env,
        {"forced_throws": "play"},
        "forced_throws is one of 'played', 'asked', not 'play'; did you mean 'played'?",
    ),
]


@pytest.mark.parametrize(("make", "options", "sentence"), WRONG, ids=[case[2] for case in WRONG])
def test_a_wrong_value(make: Callable[..., Any], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole text is compared
        make(**options)
    assert str(caught.value) == sentence


def test_a_wrong_option() -> None:
    with pytest.raises(
        TypeError,
        match=r"^demi_iles_v0 got an unexpected keyword argument 'player' \(it has .*\); did you mean 'players'\?$",
    ):
        demi_iles_v0.env(player=3)
    with pytest.raises(
        TypeError, match=r"^quatre21_v0 got an unexpected keyword argument 'opponents' \(it has episode, "
    ):
        quatre21_v0.parallel_env(opponents="random")


def test_a_wrong_step() -> None:
    env = demi_iles_v0.env()
    with pytest.raises(ResetNeeded, match=r"^no game has begun: call reset\(\) first$"):
        env.observe("player_0")
    with pytest.raises(ResetNeeded, match=r"^the game is over, or none has begun: call reset\(\) before step\(\)$"):
        env.step(0)
    env.reset()
    for action in (3, -1, None, 0.5):
        with pytest.raises(ValueError, match=rf"^an action is an integer from 0 to 2, not {action}$"):
            env.step(action)
    with pytest.raises(ValueError, match=r"^an agent is one of 'player_0', 'player_1', not 'player_2'; did you mean"):
        env.observe("player_2")


def test_a_wrong_joint_step() -> None:
    env = quatre21_v0.parallel_env()
    with pytest.raises(ResetNeeded, match=r"^the game is over, or none has begun: call reset\(\) before step\(\)$"):
        env.step({})
    env.reset()
    with pytest.raises(ValueError, match=r"^step takes an action of every agent, that of player_1 is missing$"):
        env.step({"player_0": 0})
    with pytest.raises(ValueError, match=r"^an agent is one of 'player_0', 'player_1', not 'player_9'; did you mean"):
        env.step({"player_0": 0, "player_1": 0, "player_9": 0})
    with pytest.raises(ValueError, match=r"^an action is an integer from 0 to 8, not 9$"):
        env.step({"player_0": 9, "player_1": 0})


def test_without_pettingzoo_it_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['pettingzoo'] = None\n"
        "try:\n    import nenette.pettingzoo\nexcept ImportError as error:\n    print(error)"
    )
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert printed == "nenette.pettingzoo needs PettingZoo: in a clone of nenette, pip install '.[pettingzoo]'\n"


def test_whatever_is_asked_before_the_first_reset_says_so() -> None:
    env = quatre21_v0.env(render_mode="ansi")
    for call in (env.last, env.agent_iter, env.render, env.state, lambda: env.observe("player_0"), lambda: env.step(0)):
        with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
            call()
    for name in ("agent_selection", "rewards", "terminations", "truncations", "infos"):
        with pytest.raises(AttributeError, match=rf"^no game has begun, so there is no {name}: call reset\(\) first$"):
            getattr(env, name)
    with pytest.raises(AttributeError, match=r"^'TurnsEnv' object has no attribute 'nothing'$"):
        env.nothing  # noqa: B018
    parallel = quatre21_v0.parallel_env(render_mode="ansi")
    for call in (parallel.render, parallel.state, lambda: parallel.step({})):
        with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
            call()


def test_last_after_all_have_left_says_so() -> None:
    env = demi_iles_v0.env(max_cycles=1)
    env.reset(seed=np.int64(0))
    for _ in env.agent_iter():
        *_, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else 0)
    with pytest.raises(ResetNeeded, match=r"^the game is over, or none has begun: call reset\(\) before last\(\)$"):
        env.last()


def test_flat_observations_have_the_mask_in_the_info_only() -> None:
    for form in ("env", "parallel_env"):
        flat, full = getattr(quatre21_v0, form)(observations="flat"), getattr(quatre21_v0, form)()
        flat.reset(seed=1)
        full.reset(seed=1)
        agent = "player_1"
        assert flat.observation_space(agent) == full.observation_space(agent)["observation"]
    parallel = quatre21_v0.parallel_env(observations="flat", render_mode="rgb_array", max_cycles=np.int64(30))
    full = quatre21_v0.parallel_env()
    (seen, infos), (whole, _) = parallel.reset(seed=1), full.reset(seed=1)
    while parallel.agents:
        for agent, observation in seen.items():
            assert parallel.observation_space(agent).contains(observation)
            assert observation.tobytes() == whole[agent]["observation"].tobytes()
            assert infos[agent]["action_mask"].tolist() == whole[agent]["action_mask"].tolist()
        actions = {agent: int(infos[agent]["action_mask"].argmax()) for agent in parallel.agents}
        seen, *_, infos = parallel.step(actions)
        whole, *_ = full.step(actions)
    with pytest.raises(
        ValueError, match=r"^observations is one of 'dict', 'flat', not 'flatt'; did you mean 'flat'\?$"
    ):
        quatre21_v0.env(observations="flatt")
