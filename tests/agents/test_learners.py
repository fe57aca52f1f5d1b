"""Learners: one interface for ours and anybody's, found by name, and nothing of one run is left for the next."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from twins import quiet

from nenette.exact import answer_key
from nenette.games import make_game
from nenette.policies import TablePolicy, load_opponent
from nenette.policies.network import NetworkPolicy
from nenette_agents.config.loading import load_config
from nenette_agents.errors import ConfigError, TrainingError
from nenette_agents.learners.distilled import teacher_of
from nenette_agents.learners.finding import check_settings, find_learner, learner_names
from nenette_agents.learners.interface import LearningTask
from nenette_agents.learners.q_table import QTable
from nenette_agents.learners.running import run_learner
from nenette_agents.training.run import train

SMALL = make_game("421", fiches=3, manches_to_lose=1)
DEMI_ILES = make_game("demi-iles")
NETWORK = {"net_arch": [16]}
ROLLOUTS = {"n_envs": 4, "network": NETWORK, "n_steps": 16}
REPLAY = {"n_envs": 4, "network": NETWORK, "learning_starts": 64, "batch_size": 16}
SETTINGS: dict[str, dict[str, Any]] = {
    "ppo": {**ROLLOUTS, "batch_size": 32, "n_epochs": 2},
    "a2c": ROLLOUTS,
    "dqn": REPLAY,
    "qr-dqn": {**REPLAY, "n_quantiles": 5},
    "q-table": {"n_envs": 4},
    "distilled": {"n_envs": 4, "network": NETWORK, "batch_size": 16},
}


def task(folder: Path, learner: str = "ppo", opponents: tuple[str, ...] = ("random",), **changes: Any) -> LearningTask:
    settings: dict[str, Any] = {
        "game": SMALL,
        "opponents": opponents,
        "total_timesteps": 256,
        "seed": 3,
        "report_at": (100, 256),
        "report": lambda timestep, agent: None,
        "settings": SETTINGS.get(learner, {}),
        "folder": folder,
    }
    return LearningTask(**{**settings, **changes})


def arrays(agent: Any) -> list[Any]:
    """All that an agent plays by."""
    if isinstance(agent, TablePolicy):
        return [agent.keys, agent.actions]
    assert isinstance(agent, NetworkPolicy)
    return [array for layer in agent.layers for array in layer]


def same(one: Any, other: Any) -> bool:
    pairs = zip(arrays(one), arrays(other), strict=True)
    return all(first.shape == second.shape and bool((first == second).all()) for first, second in pairs)


def state_of_the_process() -> list[Any]:
    return [
        random.getstate(),
        *map(str, np.random.get_state()),  # noqa: NPY002  it is what is looked at
        torch.get_rng_state().tolist(),
        torch.get_num_threads(),
    ]


def test_ours_are_registered_as_anybody_s_are() -> None:
    assert set(SETTINGS) <= set(learner_names())


@pytest.mark.parametrize("opponents", [("random", "cautious"), ("self",)], ids=["others", "self"])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_run_is_the_same_whatever_came_before(name: str, opponents: tuple[str, ...], tmp_path: Path) -> None:
    learner, reported = find_learner(name), list[tuple[int, Any]]()
    before = state_of_the_process()
    wanted = task(tmp_path, name, opponents, report=lambda timestep, agent: reported.append((timestep, agent)))
    first = run_learner(learner, wanted)
    assert state_of_the_process() == before
    other = run_learner(
        find_learner("dqn"), task(tmp_path, "dqn", seed=4, game=DEMI_ILES, total_timesteps=100, report_at=(100,))
    )
    second = run_learner(learner, wanted)
    assert same(first, second)
    assert [timestep for timestep, _ in reported] == [100, 256, 100, 256]
    for k in range(2):
        assert same(reported[k][1], reported[k + 2][1])
    assert not same(reported[0][1], reported[1][1])
    assert name == "distilled" or not same(first, run_learner(learner, task(tmp_path, name, opponents, seed=5)))
    assert arrays(other)


@pytest.mark.parametrize(
    ("name", "opponents"), [("ppo", "[random, cautious]"), ("dqn", "[self]"), ("a2c", "[self]"), ("qr-dqn", "[random]")]
)
def test_it_learns_what_a_training_by_a_config_learns(name: str, opponents: str, tmp_path: Path) -> None:
    section = {key: value for key, value in SETTINGS[name].items() if key not in ("n_envs", "network")}
    path = tmp_path / "c.yaml"
    path.write_text(
        f"game: 421\nrules: {{fiches: 3, manches_to_lose: 1}}\nalgorithm: {name}\nseed: 3\nopponents: {opponents}\n"
        f"total_timesteps: 256\nn_envs: 4\nnetwork: {{net_arch: [16]}}\nevaluation: {{against: random}}\n"
        f"tremble: {{share: 0.1}}\nrewards: {{scale: 2.0, potential: {{own_fiches: -0.1}}}}\n{name}: {section}\n"
    )
    outcome = train(load_config(path), tmp_path, "run", quiet())
    settings = {
        **SETTINGS[name],
        "tremble": {"share": 0.1},
        "rewards": {"scale": 2.0, "potential": {"own_fiches": -0.1}},
    }
    names = tuple(opponents.strip("[]").split(", "))
    agent = run_learner(find_learner(name), task(tmp_path, name, names, settings=settings))
    assert same(agent, load_opponent(str(outcome.folder), SMALL))


def test_a_learner_that_learns_nothing_can_be_said(tmp_path: Path) -> None:
    settings = {**SETTINGS["ppo"], "learning_rate": 0}
    reports: list[Any] = []
    wanted = task(tmp_path, settings=settings, report_at=(1, 256), report=lambda _, agent: reports.append(agent))
    last = run_learner(find_learner("ppo"), wanted)
    assert same(reports[0], last)


OUTSIDE = """
def learn(task):
    environments = task.make_env(2)
    observations, infos = environments.reset()
    for timestep in task.report_at:
        task.report(timestep, first_legal)
    return first_legal

def first_legal(observations, masks):
    return masks.argmax(axis=1)

def silent(task):
    return first_legal

def hasty(task):
    task.report(task.total_timesteps, first_legal)
    return first_legal

def empty(task):
    for timestep in task.report_at:
        task.report(timestep, first_legal)

number = 3
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with learners, in the working folder."""
    name = f"outside_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(OUTSIDE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_a_learner_of_another_distribution_is_found_by_its_name(outside: str, tmp_path: Path) -> None:
    info = tmp_path / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[nenette.learners]\nfirst-legal = {outside}:learn\n")
    assert "first-legal" in learner_names()
    reported: list[int] = []
    agent = run_learner(find_learner("first-legal"), task(tmp_path, report=lambda step, _: reported.append(step)))
    assert reported == [100, 256]
    assert agent(np.zeros((1, 2)), np.array([[0, 1, 1]])).tolist() == [1]
    assert find_learner(f"{outside}:learn") is find_learner("first-legal")
    with pytest.raises(ConfigError, match=r"^'first-lega' is no learner; .*; did you mean 'first-legal'\?$"):
        find_learner("first-lega")


@pytest.mark.parametrize(
    ("attribute", "sentence"),
    [
        ("silent", "the learner came to its end without a report of timestep 100"),
        ("hasty", "the learner reported timestep 256, and timestep 100 was expected"),
        ("empty", "the learner gave no agent back: it is expected to return the last one"),
    ],
)
def test_what_a_learner_owes_is_seen_to(attribute: str, sentence: str, outside: str, tmp_path: Path) -> None:
    before = state_of_the_process()
    with pytest.raises(TrainingError) as caught:
        run_learner(find_learner(f"{outside}:{attribute}"), task(tmp_path))
    assert str(caught.value) == sentence
    assert state_of_the_process() == before


def test_what_is_no_learner_is_refused(outside: str) -> None:
    with pytest.raises(ConfigError, match=r":number' is a int; a function that learns was expected$"):
        find_learner(f"{outside}:number")
    with pytest.raises(ConfigError, match=r"has no 'lern'; did you mean 'learn'\?$"):
        find_learner(f"{outside}:lern")
    with pytest.raises(ConfigError, match=r"^'pppo' is no learner; one of a2c, .*; did you mean 'ppo'\?$"):
        find_learner("pppo")


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        (
            "ppo",
            {"learning_rte": 1e-3},
            "learner ppo: ppo.learning_rte (0.001) is no key of a config; learning_rate",
        ),
        ("a2c", {"n_steps": 0}, "learner a2c: a2c.n_steps is 0; an integer of at least 1 was expected"),
        ("dqn", {"n_envs": 0}, "learner dqn: n_envs is 0; an integer of at least 1 and at most 1024 was expected"),
        ("qr-dqn", {"loss": "huber"}, "learner qr-dqn: qr-dqn.loss ('huber') is no key of a config; learning_rate, "),
        ("dqn", {"learning_starts": 9999}, "learner dqn: dqn.learning_starts is 9999; less than total_timesteps (256)"),
        ("q-table", {"gama": 1}, "learner q-table: gama (1) is no key of its settings; n_envs, learning_rate, gamma, "),
        ("q-table", {"gamma": 2}, "learner q-table: gamma is 2; a number of at least 0 and at most 1 was expected"),
        (
            "distilled",
            {"network": {"net_arc": []}},
            "learner distilled: network.net_arc ([]) is no key of its settings",
        ),
    ],
)
def test_settings_are_checked_before_anything_begins(name: str, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_settings(name, settings, SMALL, ("random",), 256)
    assert str(caught.value).startswith(sentence)
    check_settings(name, SETTINGS[name], SMALL, ("random",), 256)


def test_an_outsider_need_not_check_its_settings(outside: str) -> None:
    check_settings(f"{outside}:learn", {"anything": 1}, SMALL, ("random",), 256)


def play(environments: Any, steps: int) -> list[Any]:
    """What is seen in so many steps, of which the first legal action is always the one that is played."""
    _, infos = environments.reset()
    seen = []
    for _ in range(steps):
        observations, rewards, *_, infos = environments.step(infos["action_mask"].argmax(axis=1))
        seen += [observations.copy(), rewards.copy()]
    return seen


def test_environments_follow_from_the_seed(tmp_path: Path) -> None:
    first, again, other = (play(task(tmp_path, seed=seed).make_env(3), 20) for seed in (1, 1, 2))
    assert all((one == two).all() for one, two in zip(first, again, strict=True))
    assert not all((one == two).all() for one, two in zip(first, other, strict=True))


def test_opponents_take_turns_and_in_self_play_are_renewed(tmp_path: Path) -> None:
    two = task(tmp_path, opponents=("random", "cautious")).make_env(3)
    assert [opponent.policy.name for opponent in two._seating.opponents] == ["random", "cautious"]
    self_play = task(tmp_path, opponents=("self",))
    before = play(self_play.make_env(8), 60)
    self_play.renew_opponent("optimal")
    after = play(self_play.make_env(8), 60)
    assert not all((one == other).all() for one, other in zip(before, after, strict=True))
    slots = self_play.make_all_seats_env(4)
    assert (slots.num_envs, slots.single_action_space.n) == (4, SMALL.n_actions + 1)
    with pytest.raises(ValueError, match=r"^the opponents are random: all seats are the learner's in self-play only"):
        task(tmp_path).make_all_seats_env(4)
    with pytest.raises(ValueError, match=r"^the opponents are nobody, and stay: only in self-play"):
        task(tmp_path, opponents=(), game=make_game("demi-iles-solo")).renew_opponent("random")


def test_q_learning_comes_near_to_the_best_response(tmp_path: Path) -> None:
    """Against somebody who stays the same it is alone with chance, and the endless game's best response is known."""
    lesson: dict[str, Any] = {"settings": {"gamma": 0.95}, "total_timesteps": 30_000, "report_at": (30_000,)}
    agent = run_learner(find_learner("q-table"), task(tmp_path, game=DEMI_ILES, **lesson))
    key = answer_key(DEMI_ILES)
    random_play = key.tabulate(load_opponent("random", DEMI_ILES).action_probabilities)
    value = key.result(key.tabulate(agent.action_probabilities), random_play).value
    assert 0.85 * key.exploitability(random_play) < value


def test_a_table_keeps_the_best_of_what_was_tried() -> None:
    table = QTable(SMALL)
    observations = SMALL.codec.encode(np.eye(3, len(SMALL.codec.features), dtype=np.int64))
    rows = table.rows(observations)
    table.tries[rows[1], [2, 5]] = 1
    table.values[rows[1]] = [0, 0, -0.7, 0, 0, -0.5, 0, 0]  # zeros were not tried
    policy = table.policy()
    assert policy.keys.tolist() == SMALL.codec.keys(SMALL.codec.decode(observations[1:2])).tolist()
    assert policy.actions.tolist() == [5]


def test_the_pupil_learns_from_who_is_best_against_its_opponents() -> None:
    assert teacher_of(DEMI_ILES, ("greedy",)).name == "best-response:greedy"
    assert teacher_of(SMALL, ("random",)).name == "best-response:random"
    # Its best response waits: of the games that are cut, the optimum wins more.
    for names in (("self",), ("optimal",), ("greedy", "random"), ("random",)):
        assert teacher_of(DEMI_ILES, names).name == "optimal"


def test_the_pupil_plays_nearly_as_well_as_who_teaches_it(tmp_path: Path) -> None:
    settings = {"n_envs": 16, "network": {"net_arch": [32], "crossed": "own_score"}}
    wanted = task(
        tmp_path, game=DEMI_ILES, opponents=("greedy",), settings=settings, total_timesteps=8000, report_at=(8000,)
    )
    agent = run_learner(find_learner("distilled"), wanted)
    key = answer_key(DEMI_ILES)
    greedy = key.tabulate(load_opponent("greedy", DEMI_ILES).action_probabilities)
    assert key.result(key.tabulate(agent.action_probabilities), greedy).value > 0.95 * key.exploitability(greedy)
    assert agent.crossed == "own score"


def test_a_table_takes_a_game_whose_observations_can_be_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(SMALL.codec.features[0]), "values", property(lambda self: 1 << 20))
    with pytest.raises(ConfigError, match=r"^learner q-table: 421 has .* observations, and fewer than 2\*\*63"):
        check_settings("q-table", {}, SMALL, ("random",), 256)
