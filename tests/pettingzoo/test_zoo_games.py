"""What agents see, may do and get: the same game in the single environment and in both forms."""

import pytest

pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")

import sys
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
from zoo_cases import CASES, named, play_aec, play_parallel, seen

from nenette.environments.opponents import seat_opponents
from nenette.environments.pictures import scene_of
from nenette.environments.turn_based import TurnBasedEnv
from nenette.pettingzoo import demi_iles_v0, quatre21_v0

SINGLE = {"demi_iles_v0": ("nenette/DemiIles-v0", "greedy"), "quatre21_v0": ("nenette/421-v0", "cautious")}
AS_ALONE = [case for case in CASES if not case[1].keys() & {"forced_throws", "max_cycles"}]


@pytest.mark.parametrize(("module", "options"), AS_ALONE, ids=named)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_walks_as_it_does_in_the_single_environment(
    module: ModuleType, options: dict[str, Any], seat: int
) -> None:
    """The other seats are played by hand as the single environment plays them, with the same random numbers."""
    env_id, opponents = SINGLE[named(module)]
    single = gym.make(env_id, seat=seat, opponents=opponents, disable_env_checker=True, **options).unwrapped
    assert isinstance(single, TurnBasedEnv)
    env = module.env(**options)
    others = seat_opponents(env.game, opponents)
    agent = f"player_{seat}"
    rng = np.random.default_rng(seat)

    def to_the_seats_move() -> None:
        while env.agent_selection != agent and not any(env.terminations.values()) and not any(env.truncations.values()):
            mover = env.possible_agents.index(env.agent_selection)
            legal = tuple(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist())
            opponent = others[(mover - seat - 1) % env.game.players]
            choice = legal[0] if len(legal) == 1 else opponent.act(env._table.state, legal, env._table.rng)
            env.step(choice)

    for game in range(8):
        observation, info = single.reset(seed=game)
        env.reset(seed=game)
        over = False
        while not over:
            to_the_seats_move()
            assert seen(env.observe(agent)) == seen({"observation": observation, **info})
            action = int(rng.integers(env.game.n_actions))
            observation, reward, ended, cut, info = single.step(action)
            env.step(action)
            illegal = env.infos[agent].get("illegal_action", False)
            to_the_seats_move()
            assert (env._cumulative_rewards[agent], env.terminations[agent], env.truncations[agent], illegal) == (
                reward,
                ended,
                cut,
                info.get("illegal_action", False),
            )
            over = ended or cut
        assert seen(env.observe(agent)) == seen({"observation": observation, **info})


@pytest.mark.parametrize(("module", "options"), [case for case in CASES if "max_cycles" not in case[1]], ids=named)
def test_both_forms_play_the_same_game(module: ModuleType, options: dict[str, Any]) -> None:
    turns, parallel = module.env(render_mode="ansi", **options), module.parallel_env(render_mode="ansi", **options)
    turns.reset(seed=3)
    parallel.reset(seed=3)
    ends = 0
    for one, other in zip(play_aec(turns, 400, seed=4), play_parallel(parallel, 400, seed=4), strict=True):
        over = any(one[3].values()) or any(one[4].values())
        ends += over
        assert (one[0], *one[2:]) == (other[0], *other[2:])
        for (observation, mask), (same, masked) in zip(one[1], other[1], strict=True):
            assert observation == same
            passes = bool(masked[-1])
            assert masked == ((0,) * len(mask) if passes else mask) + (int(passes),)
            assert not passes or set(mask) == {int(over)}
    assert ends


@pytest.mark.parametrize(
    ("module", "players"), [(demi_iles_v0, 2), (demi_iles_v0, 3), (quatre21_v0, 2), (quatre21_v0, 3)], ids=named
)
def test_the_end_pays_everybody(module: ModuleType, players: int) -> None:
    env = module.env(players=players, max_turns=None)
    alone = set()
    rng = np.random.default_rng(0)
    for game in range(12):
        env.reset(seed=game)
        got = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, ended, _, info = env.last()
            got[agent] += reward
            env.step(None if ended else rng.choice(np.flatnonzero(info["action_mask"])))
        assert not env.agents
        one = 1.0 if module is demi_iles_v0 else -1.0  # one wins, or one loses
        assert sorted(got.values(), reverse=one < 0) == [-one / (players - 1)] * (players - 1) + [one]
        alone.add(max(got, key=lambda agent: one * got[agent]))
    assert len(alone) > 1


def test_only_the_mover_may_act() -> None:
    turns, parallel = quatre21_v0.env(), quatre21_v0.parallel_env()
    turns.reset(seed=0)
    observations, infos = parallel.reset(seed=0)
    mover = turns.agent_selection
    (other,) = set(turns.agents) - {mover}
    assert turns.observe(mover)["action_mask"].tolist() == [0] * 7 + [1]
    assert turns.observe(other)["action_mask"].tolist() == [0] * 8
    assert observations[mover]["action_mask"].tolist() == infos[mover]["action_mask"].tolist() == [0] * 7 + [1, 0]
    assert observations[other]["action_mask"].tolist() == infos[other]["action_mask"].tolist() == [0] * 8 + [1]


def test_forced_throws_are_played_but_for_each_agents_first() -> None:
    env = quatre21_v0.env(fiches=21)
    asked = quatre21_v0.env(fiches=21, forced_throws="asked")
    for game in range(10):
        env.reset(seed=game)
        asked.reset(seed=game)
        first = dict.fromkeys(env.possible_agents, True)
        while not any(env.terminations.values()):
            agent = env.agent_selection
            choices = env.infos[agent]["action_mask"].sum()
            assert (choices == 1) == first[agent]
            first[agent] = False
            action = int(np.flatnonzero(env.infos[agent]["action_mask"])[-1])
            env.step(action)
            while asked.agent_selection != agent or asked.infos[agent]["action_mask"].sum() != choices:
                asked.step(7)
            asked.step(action)
        while not any(asked.terminations.values()):
            asked.step(7)
        assert asked.rewards == env.rewards
        assert sum(asked._table.acted) > sum(env._table.acted)


def test_what_is_forbidden_is_replaced_and_said() -> None:
    env = quatre21_v0.parallel_env()
    observations, _ = env.reset(seed=0)
    (mover,) = (agent for agent, sight in observations.items() if not sight["action_mask"][-1])
    (other,) = set(env.agents) - {mover}
    *_, infos = env.step({mover: 3, other: 0})
    assert infos[mover]["illegal_action"]
    assert infos[other]["illegal_action"]
    *_, infos = env.step({mover: 8, other: 7})
    assert infos[mover].keys() == {"action_mask", "seat"}
    same = demi_iles_v0.parallel_env()
    same.reset(seed=0)
    *_, infos = same.step({"player_0": 3, "player_1": 3})
    assert infos["player_0"]["illegal_action"]
    assert same.state()[:22].argmax() == 0  # a pass of the mover throws no die


def test_the_account_names_agents() -> None:
    env = demi_iles_v0.env(players=3, render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == (
        "Everybody is on 0; Player 0 starts.\n"
        "  [ Player 0: 0 · Player 1: 0 · Player 2: 0 ]  Player 0 chooses: no die, one, or two?\n"
    )
    env.step(0)
    assert env.render().startswith("Player 0 stays at 0.\n")


def test_a_human_is_shown_each_step(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """In a window; where there is no pygame it is printed."""
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = quatre21_v0.parallel_env(render_mode="human")
    env.reset(seed=0)
    assert "11 fiches in the bank" in capsys.readouterr().out.replace("Eleven", "11")
    env.step({"player_0": 7, "player_1": 8})
    assert " throws first: " in capsys.readouterr().out
    assert env.render() is None


def test_a_picture_is_of_the_last_step() -> None:
    pytest.importorskip("pygame", reason="pygame-ce is not installed")
    env = demi_iles_v0.env(players=3, render_mode="rgb_array", render_size=(240, 180))
    env.reset(seed=0)
    begins = env.render()
    assert (begins.shape, begins.dtype) == ((180, 240, 3), np.uint8)
    env.step(2)
    assert (env.render() != begins).any()
    view = env._table.view()
    assert [event.action for event in view.events] == [2]
    assert [player.name for player in scene_of(env.game, view).players] == ["Player 0", "Player 1", "Player 2"]
    with pytest.raises(ValueError, match="render_size is a picture's width and height"):
        demi_iles_v0.parallel_env(render_size=(10, 10))
