"""Whoever asks for something that there is not gets one sentence."""

import pytest

pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from gymnasium.error import ResetNeeded

from nenette.pettingzoo import demi_iles_v0, quatre21_v0

WRONG: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (demi_iles_v0.env, {"players": 7}, "players is an integer from 2 to 6, not 7"),
    (demi_iles_v0.env, {"players": 3, "max_turns": 2}, "max_turns is an integer of at least 3, not 2"),
    (demi_iles_v0.parallel_env, {"max_cycles": 0}, "max_cycles is an integer of at least 1, not 0"),
    (
        quatre21_v0.env,
        {"render_mode": "ansy"},
        "render_mode is one of None, 'ansi', 'human', not 'ansy'; did you mean 'ansi'?",
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
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert told == "nenette.pettingzoo needs PettingZoo: in a clone of nenette, pip install '.[pettingzoo]'\n"
