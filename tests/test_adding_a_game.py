"""docs/adding-a-game.md, followed: Pig, which the package does not know, is everywhere once it is registered."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from pig import SPEC, Pig, PigRules, pigs_table
from typer.testing import CliRunner

import nenette.openspiel  # noqa: F401
from nenette.environments.pictures import Counter, Die, Event, View, scene_of
from nenette.exact import answer_key, solve
from nenette.games import GAMES, Distribution, make_game, register
from nenette.games.registry import _SPECS, unregister
from nenette.matches import score
from nenette.matches.sampled import play
from nenette.pettingzoo import any_game
from nenette.policies import load_opponent, make_policy, policy_names
from nenette.testing import check_game
from nenette_agents.cli.app import app


@pytest.fixture(scope="module", autouse=True)
def pig() -> Iterator[None]:
    register(SPEC)
    yield
    unregister("pig")
    gym.registry.pop("pig/Pig-v0", None)  # other tests register it, too


def test_it_is_known_by_name_with_its_rules() -> None:
    assert "pig" in GAMES
    assert make_game("pig", target=20).rules == PigRules(target=20)
    with pytest.raises(TypeError, match=r"^pig has no rule 'targt' .*did you mean 'target'\?$"):
        make_game("pig", targt=20)
    with pytest.raises(ValueError, match=r"^there is a game called 'pig' already$"):
        register(SPEC)
    assert policy_names("pig") == ["random", "optimal"]


@pytest.mark.parametrize(("target", "coin"), [(2, True), (10, True), (12, False)])
def test_it_keeps_what_games_promise(target: int, coin: bool) -> None:
    check_game(Pig(PigRules(target, coin)))


def test_piglet_to_two_is_worth_four_sevenths_to_whoever_begins() -> None:
    """Neller and Presser, 2004, section 2."""
    solved = solve(make_game("pig", target=2, coin=True))
    assert (1 + solved.facts["value"]) / 2 == pytest.approx(4 / 7, abs=1e-15)


@pytest.mark.slow
def test_pig_is_won_by_whoever_begins_as_often_as_neller_and_presser_say() -> None:
    assert (1 + solve(Pig()).facts["value"]) / 2 == pytest.approx(0.5306, abs=5e-5)


def test_it_is_scored_exactly() -> None:
    game = make_game("pig", target=8)
    optimal, random = load_opponent("pig/optimal", game), make_policy("random", game)
    found = score(random, game, optimal)
    assert found.exact
    assert found.exploitability is not None
    assert found.exploitability > 0.1
    assert score(optimal, game, random).exploitability == pytest.approx(0.0, abs=1e-12)
    played = play(game, [random, optimal], 800, np.random.default_rng(0), max_turns=None)
    expected = answer_key(game).result(
        *(answer_key(game).tabulate(policy.action_probabilities) for policy in (random, optimal))
    )
    assert abs(played.returns[:, 0].mean() - expected.first) < 4 * played.returns[:, 0].std() / np.sqrt(800)


def test_gymnasium_plays_it_alone_and_many_at_once() -> None:
    env = gym.make("pig/Pig-v0", target=10, opponents="optimal", seat=0)
    assert env.reset(seed=0)[0].shape == (35,)
    with pytest.raises(
        TypeError, match=r"^pig/Pig-v0 got an unexpected keyword argument 'targt'.*did you mean 'target'"
    ):
        gym.make("pig/Pig-v0", targt=10)
    many = gym.make_vec("pig/Pig-v0", num_envs=3, vectorization_mode="sync", target=10)
    assert many.reset(seed=[0, 1, 2])[0].shape == (3, 35)
    observations, *_ = many.step(np.ones(3, dtype=np.int64))
    assert observations.shape == (3, 35)


def test_it_has_pictures() -> None:
    """In the words of its account, as nothing says how its table looks."""
    pytest.importorskip("pygame", reason="pygame-ce is not installed")
    for envs in (gym.make(SPEC.env_id, render_mode="rgb_array"), any_game.env("pig", render_mode="rgb_array")):
        envs.reset(seed=0)
        begins = envs.render()
        envs.step(1)
        assert begins.shape == (480, 640, 3)
        assert len(np.unique(begins.reshape(-1, 3), axis=0)) > 10  # something is written there
        assert (envs.render() != begins).any()


def test_its_table_can_be_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_SPECS, "pig", replace(SPEC, scene=pigs_table))
    game = make_game("pig", target=10)
    state, after = (game.decode((3, 4, total, 0)) for total in (0, 6))
    scene = scene_of(game, View(after, learner=0, names=["random"], events=[Event(state, 1, 6, after)]))
    assert [(player.name, player.counters[0].number) for player in scene.players] == [("You", 3), ("Random", 4)]
    assert scene.players[0].dice == [Die(6)]
    assert scene.middle == Counter("turn total", 6)
    assert scene.lines == ["You take action 1: 6."]
    assert scene.question == "You choose: 0, 1?"


def test_it_can_be_learned() -> None:
    ppo = pytest.importorskip("sb3_contrib").MaskablePPO
    env = gym.make("pig/Pig-v0", target=6, opponents="random")
    learner = ppo("MlpPolicy", env, n_steps=64, batch_size=64, seed=0, device="cpu").learn(128)
    assert learner.num_timesteps == 128


def test_pettingzoo_and_openspiel_play_it() -> None:
    import pyspiel

    env = any_game.env("pig", target=4, max_turns=60)
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        assert observation is not None
        env.step(None if terminated or truncated else int(np.flatnonzero(observation["action_mask"])[-1]))
        assert agent in env.possible_agents
    state = pyspiel.load_game("nenette_pig(target=3,coin=True)").new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.chance_outcomes()[-1][0] if state.is_chance_node() else state.legal_actions()[-1])
    assert state.returns() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"legal_actions": lambda self, state: (1, 0)}, "not in ascending order"),
        ({"seat": lambda self, state: 2}, "seat 2 is to move"),
        ({"decode": lambda self, fields: Pig.decode(self, [*fields[:3], 0])}, "has other fields"),
        ({"returns": lambda self, state: (1.0, 1.0) if 6 in state.scores else None}, "do not sum to 0"),
        (
            {"sample": lambda self, state, action, rng: Pig.sample(self, state, self.legal_actions(state)[0], rng)},
            "none of its outcomes",
        ),
        (
            {
                "outcomes": lambda self, state, action: Distribution.of(
                    {outcome: k + 1 for k, (outcome, _) in enumerate(Pig.outcomes(self, state, action))}
                )
            },
            "and its probability is",
        ),
    ],
)
def test_the_contract_finds_what_is_broken(broken: dict[str, Any], sentence: str) -> None:
    game = type("Broken", (Pig,), broken)(PigRules(target=6, coin=False))
    with pytest.raises(AssertionError, match=sentence):
        check_game(game)


def test_it_is_played_in_the_terminal_with_its_chances_and_gone_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NENETTE_GAMES", str(tmp_path))
    rules = ("--set", "target=12", "--seed", "2", "--seat", "0")
    played = CliRunner().invoke(app, ["play", "pig", *rules, "--hints", "--quick"], input="1\n0\n" * 60)
    assert played.exit_code == 0
    assert "You choose: 0, 1?" in played.stdout
    assert re.search(r"\n +1  action 1 +\d+\.\d\d%  \* best\n", played.stdout)
    shown = CliRunner().invoke(app, ["play", "--replay", "last", "--review", "--json"])
    report = json.loads(shown.stdout)
    assert report["own_decisions"] > 0
    assert report["result"] in (0.0, 1.0)
