"""Opponents and their shares, and environments that stand side by side."""

import io
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from rich.console import Console
from sb3_contrib.common.maskable.utils import get_action_masks

import nenette
from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
from nenette_agents.config.loading import load_config
from nenette_agents.config.named import assign, in_turn
from nenette_agents.environments.vec_env import NativeVecEnv, SideBySideVecEnv
from nenette_agents.errors import ConfigError
from nenette_agents.training.build import build
from nenette_agents.training.run import train


@pytest.mark.parametrize(
    ("shares", "n", "expected"),
    [
        ({"a": 1.0}, 3, "aaa"),
        ({"a": 1.0, "b": 1.0}, 5, "ababa"),
        ({"a": 1.0, "b": 2.0, "c": 1.0}, 8, "bacbbacb"),
        ({"a": 0.9, "b": 0.1}, 10, "aaaaabaaaa"),
        ({}, 3, ""),
    ],
)
def test_names_come_as_often_as_their_shares_say(shares: dict[str, float], n: int, expected: str) -> None:
    assert "".join(in_turn(shares, n)) == expected


@pytest.mark.parametrize(
    ("shares", "environments", "players", "games", "named"),
    [
        ({"self": 1.0}, 64, 2, 32, 0),
        ({"self": 1.0}, 6, 3, 2, 0),
        ({"greedy": 1.0, "past": 1.0}, 8, 2, 0, 8),
        ({"self": 0.5, "past": 0.3, "greedy": 0.2}, 20, 2, 5, 10),
        ({"self": 1.0, "random": 9.0}, 10, 2, 1, 8),  # one game at least
        ({"self": 1.0, "random": 1.0}, 7, 3, 1, 4),  # 4 slots are nearest to one game of three
    ],
)
def test_self_takes_whole_games(
    shares: dict[str, float], environments: int, players: int, games: int, named: int
) -> None:
    assignment = assign(shares, environments, players)
    assert (assignment.self_games, len(assignment.opponents)) == (games, named)
    assert set(assignment.opponents) == (set(shares) - {"self"})


def _parts(**options: Any) -> list[NativeVecEnv]:
    made = [
        gym.make_vec("nenette/421-v0", num_envs=4, seats="all", autoreset_mode="SameStep", fiches=2),
        gym.make_vec("nenette/421-v0", num_envs=3, opponents="a-fond", autoreset_mode="SameStep", fiches=2, **options),
    ]
    return [NativeVecEnv(env.unwrapped) for env in made]


def test_slots_side_by_side_are_those_of_the_parts() -> None:
    together, apart = SideBySideVecEnv(_parts()), _parts()
    assert (together.num_envs, together.action_space.n) == (7, 9)
    together.seed(5)
    for part, seed in zip(apart, (5, 9), strict=True):
        part.seed(seed)
    observations = together.reset()
    assert (observations == np.concatenate([part.reset() for part in apart])).all()
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(60):
        masks = get_action_masks(together)
        assert (masks[:4] == apart[0].env.action_masks()).all()
        assert (masks[4:, :8] == apart[1].env.action_masks()).all()
        assert not masks[4:, 8].any()
        assert np.array_equal(np.stack(together.env_method("action_masks", indices=[6, 0])), masks[[6, 0]])
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        observations, rewards, dones, infos = together.step(actions)
        one, other = apart[0].step(actions[:4]), apart[1].step(actions[4:])
        for mine, first, second in zip((observations, rewards, dones), one, other, strict=False):
            assert (mine == np.concatenate([first, second])).all()
        assert [sorted(info) for info in infos] == [sorted(info) for info in one[3] + other[3]]
        ended += dones.sum()
    assert ended > 10
    with pytest.raises(AttributeError, match="'seat' cannot be set"):
        together.set_attr("seat", 1)
    with pytest.raises(AttributeError, match="no 'snapshot'"):
        together.env_method("snapshot")
    assert together.get_attr("num_envs", indices=[3, 4]) == [4, 3]
    assert together.env_is_wrapped(gym.Wrapper) == [False] * 7


def test_a_cut_game_tells_whose_move_it_would_have_been() -> None:
    native = gym.make_vec(
        "nenette/DemiIles-v0", num_envs=6, players=3, max_turns=4, seats="all", autoreset_mode="SameStep"
    )
    env = NativeVecEnv(native.unwrapped)
    env.reset()
    for turn in range(8):
        _, _, dones, infos = env.step(np.where(get_action_masks(env)[:, 3], 3, 0))
        assert dones.all() == dones.any() == (turn % 4 == 3)
        if dones.any():  # four turns are over, and seat 1 is next
            assert [info["slots_to_mover"] for info in infos] == [1, 0, -1] * 2
            assert {info["players"] for info in infos} == {3}
            assert [info["action_mask"].tolist() for info in infos[:2]] == [[0, 0, 0, 1], [1, 1, 1, 0]]


def test_in_a_cut_game_the_mover_goes_on_with_its_value_and_the_others_with_what_that_costs_them(small_config) -> None:
    config = load_config(small_config("421-ppo"))
    model = build(config).learner
    assert isinstance(model, TurnMaskedPPO)
    model.policy.predict_values = lambda observations: observations[:, :1] + 3
    seen = np.zeros((6, model.observation_space.shape[0]), dtype=np.float32)
    seen[:, 0] = np.arange(6)
    infos: list[dict[str, Any]] = [
        {"terminal_observation": seen[slot], "TimeLimit.truncated": slot != 5, "players": 3, "slots_to_mover": 1 - slot}
        for slot in range(3)
    ]
    infos += [
        {"terminal_observation": seen[3], "TimeLimit.truncated": True},  # a learner against opponents inside
        {},
        {"terminal_observation": seen[5], "TimeLimit.truncated": False},
    ]
    rewards = np.array([0, 0, 0, 0, 0.5, 1], dtype=np.float32)
    model._go_on(rewards, np.array([0, 1, 2, 3, 5]), infos)
    value, gamma = 4.0, model.gamma  # of seat 1, who sees its own move
    expected = [-gamma * value / 2, gamma * value, -gamma * value / 2, gamma * 6, 0.5, 1]
    assert rewards.tolist() == pytest.approx(expected)


def test_a_mixture_trains_and_plays_the_games_own_actions(small_config, tmp_path) -> None:
    shares = "opponents={self: 0.5, past: 0.25, cautious: 0.25}"
    config = load_config(small_config("421-ppo"), [shares, "n_envs=8", "seat=1"])
    environments = build(config).environments
    together = environments.unwrapped
    assert isinstance(together, SideBySideVecEnv)
    assert [part.num_envs for part in together.parts] == [4, 4]
    seating = together.parts[1].env._seating
    names = [seating.opponents[number].name for number in seating.tables.seated[:, 0]]
    assert names == ["past", "cautious"] * 2
    assert together.parts[1].env._seat == 1
    outcome = train(config, tmp_path, "mixture", Console(file=io.StringIO()))
    assert outcome.status == "finished"
    again = load_config(outcome.folder / "config.yaml")
    assert again == config
    policy = nenette.load_opponent(outcome.folder)
    assert policy.layers[-1][1].shape == (8,)


def test_dqn_learns_from_all_seats_and_counts_its_own_decisions(small_config, tmp_path) -> None:
    config = load_config(small_config("421-dqn"), ["opponents=self", "n_envs=8"])
    outcome = train(config, tmp_path, "dqn", Console(file=io.StringIO()))
    assert outcome.status == "finished"
    assert config.total_timesteps <= outcome.steps < config.total_timesteps + 8 * config.n_envs
    rows = (outcome.folder / "metrics.jsonl").read_text().splitlines()
    assert f'"step": {outcome.steps}' in rows[-1]
    assert nenette.load_opponent(outcome.folder).layers[-1][1].shape == (8,)


def test_three_players_share_one_policy(small_config, tmp_path) -> None:
    overrides = ["rules.players=3", "n_envs=6", "opponents=self"]
    config = load_config(small_config("demi-iles-ppo"), overrides)
    outcome = train(config, tmp_path, "three", Console(file=io.StringIO()))
    assert outcome.last is not None
    assert config.total_timesteps <= outcome.steps < config.total_timesteps + 64
    assert outcome.last["exact"]


@pytest.mark.parametrize(
    ("name", "overrides", "sentence"),
    [
        ("421-ppo", ["n_envs=5"], "n_envs is 5; a multiple of 2 was expected, for self plays all seats"),
        ("421-ppo", ["seat=0"], "seat is 0; null was expected, for self plays all seats"),
        ("421-ppo", ["opponents=random", "seat=2"], "seat is 2; null or one of the seats from 0 to 1 was expected"),
        ("demi-iles-solo-dqn", ["seat=0"], "seat is 0; null was expected, for nobody else plays the solo game"),
        ("421-ppo", ["seat=all"], "seat is 'all'; an integer of at least 0 and at most 5 or null was expected"),
        (
            "421-ppo",
            ["opponents={self: 1, random: 1, past: 1}", "n_envs=3"],
            "n_envs is 3; enough was expected for past to have a share of them",
        ),
        (
            "421-ppo",
            ["ppo.batch_size=65"],
            "ppo.batch_size is 65; at most 64 was expected: n_steps (32) times the seats that move in each (2)",
        ),
        (
            "421-ppo",
            ["ppo.n_steps=8", "ppo.batch_size=8"],
            "ppo.n_steps is 8; at least 16 was expected where opponents has self, for in a step most seats pass",
        ),
        ("421-ppo", ["evaluation.against=past"], "evaluation.against is 'past'; a name other than past was expected"),
    ],
)
def test_what_does_not_go_together_gets_one_sentence(
    small_config, name: str, overrides: list[str], sentence: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(small_config(name), overrides)
    assert str(caught.value).endswith(f": {sentence}")


def test_shares_of_one_folder_that_is_named_twice_are_added(tmp_path, monkeypatch):
    monkeypatch.chdir(Path(nenette.__file__).parent / "opponents" / "421")
    path = tmp_path / "c.yaml"
    path.write_text("game: 421\nalgorithm: dqn\nopponents: {./ppo-weak: 0.25, ../421/ppo-weak: 0.5, random: 0.25}\n")
    shares = load_config(path).opponents
    assert {Path(name).name: share for name, share in shares.items()} == {"ppo-weak": 0.75, "random": 0.25}
