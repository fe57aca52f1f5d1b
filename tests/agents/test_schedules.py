"""What changes in the course of a training."""

import io
from itertools import pairwise

import pytest
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from twins import assert_the_same, config_of, quiet, stopped

from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.config.loading import load_config
from nenette_agents.errors import ConfigError
from nenette_agents.training.build import build
from nenette_agents.training.resuming import resume
from nenette_agents.training.run import train


@pytest.fixture
def coefficients(monkeypatch):
    """The steps and the entropy coefficient of each update that is made from now on."""
    met: list[tuple[int, float]] = []
    for learner in (PPO, MaskablePPO):

        def noted(self, train=learner.train):
            met.append((self.num_timesteps, self.ent_coef))
            train(self)

        monkeypatch.setattr(learner, "train", noted)
    return met


LINEAR = ["ppo.ent_coef=lin_0.08"]


@pytest.mark.parametrize("name", ["421-ppo", "demi-iles-ppo"])
def test_the_entropy_coefficient_falls_to_nothing(name, coefficients, small_config, tmp_path):
    overrides = [*LINEAR, "opponents=random", "n_envs=8", "total_timesteps=1024", "ppo.n_steps=8"]
    train(load_config(small_config(name), overrides), tmp_path, "run", Console(file=io.StringIO()))
    assert len(coefficients) == 16
    assert coefficients[0] == (64, pytest.approx(0.08 * 15 / 16))
    assert coefficients[7] == (512, pytest.approx(0.04))
    assert coefficients[15] == (1024, 0.0)


def test_in_self_play_whose_last_rollout_goes_beyond_the_end_it_stays_at_nothing(coefficients, small_config, tmp_path):
    config = load_config(small_config("421-ppo"), [*LINEAR, "total_timesteps=250"])
    train(config, tmp_path, "run", Console(file=io.StringIO()))
    assert [value for _, value in coefficients] == [max(0, 0.08 * (1 - steps / 250)) for steps, _ in coefficients]
    assert all(one > other for one, other in pairwise(value for _, value in coefficients))
    assert coefficients[-1][0] > 250
    assert coefficients[-1][1] == 0.0


def test_by_default_it_stays_what_it_is(coefficients, small_config, tmp_path):
    train(load_config(small_config("421-ppo"), ["ppo.ent_coef=0.08"]), tmp_path, "run", Console(file=io.StringIO()))
    assert {value for _, value in coefficients} == {0.08}


@pytest.fixture
def rates(monkeypatch):
    """The learning rate of each update that is made from now on, as the optimiser has it when that is over."""
    met: list[float] = []
    for learner in (PPO, MaskablePPO, MaskedDQN):

        def noted(self, *given, train=learner.train, **more):
            train(self, *given, **more)
            met.extend(group["lr"] for group in self.policy.optimizer.param_groups)

        monkeypatch.setattr(learner, "train", noted)
    return met


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("demi-iles-ppo", ["opponents=random", "total_timesteps=1000"]),
        ("421-ppo", ["opponents=random", "total_timesteps=200"]),
        ("421-ppo", ["total_timesteps=200"]),
        ("421-dqn", ["total_timesteps=250", "dqn.train_freq=3"]),
    ],
    ids=["PPO", "MaskablePPO", "TurnMaskedPPO", "MaskedDQN"],
)
def test_the_learning_rate_never_rises_and_ends_at_nothing_where_the_last_steps_go_beyond_the_end(
    name, overrides, rates, small_config, tmp_path
):
    algorithm = name.rsplit("-", 1)[1]
    linear = [f"{algorithm}.learning_rate=lin_0.25"]
    config = load_config(small_config(name), [*linear, *overrides])
    assert train(config, tmp_path, "run", quiet()).steps > config.total_timesteps
    assert 0.25 > rates[0] > rates[-1] == 0
    assert sorted(rates, reverse=True) == rates


@pytest.mark.parametrize("left", [1.0, 0.5, 0.0, -0.64])
def test_schedules_stay_at_their_end(left, small_config):
    settings = ["dqn.prioritized={beta: 0.4}", "dqn.exploration_fraction=1"]
    config = load_config(
        small_config("421-dqn"), [*settings, "dqn.learning_rate=lin_0.5", "dqn.exploration_final_eps=0.2"]
    )
    model = build(config).learner
    model.replay_buffer.anneal(left)
    share = max(left, 0)
    found = (model.lr_schedule(left), model.exploration_schedule(left), model.replay_buffer.beta)
    assert found == pytest.approx((0.5 * share, 0.2 + 0.8 * share, 1 - 0.6 * share))


def test_without_a_fraction_exploration_is_at_its_end_from_the_first_step_on(small_config):
    config = load_config(small_config("421-dqn"), ["dqn.exploration_fraction=0", "dqn.exploration_final_eps=0.2"])
    model = build(config).learner
    assert [model.exploration_schedule(left) for left in (1.0, 0.5, -0.1)] == [0.2] * 3


def test_a_single_rollout_at_a_rate_of_nothing_is_refused(small_config):
    settings = ["ppo.learning_rate=lin_3e-4", "total_timesteps=128", "n_envs=4", "opponents=random"]
    with pytest.raises(
        ConfigError, match=r"total_timesteps is 128; more than one rollout of 128 steps was expected, for "
    ):
        load_config(small_config("421-ppo"), settings)


@pytest.mark.parametrize("kind", ["421-ppo", "421-mixture"])
def test_a_run_that_goes_on_has_the_coefficients_of_the_one_that_never_stopped(kind, coefficients, stop_at, tmp_path):
    twin = train(config_of(kind, tmp_path, *LINEAR), tmp_path / "twin", "run", quiet()).folder
    at_once, coefficients[:] = list(coefficients), []
    stop_at(70)
    folder = stopped(config_of(kind, tmp_path, *LINEAR), tmp_path)
    stop_at(10_000)
    resume(folder, quiet())
    assert dict(coefficients) == dict(at_once)
    assert len(set(dict(at_once).values())) == len(at_once)
    assert_the_same(folder, twin)
