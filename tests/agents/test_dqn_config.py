"""What a config says about deep Q-learning reaches the learner."""

from typing import Any

import pytest
from gymnasium import spaces

from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.storage import Priorities
from nenette_agents.algorithms.from_config import make_dqn
from nenette_agents.config.loading import load_config
from nenette_agents.errors import ConfigError
from nenette_agents.training.build import build


def test_its_options_reach_the_learner(small_config):
    overrides = [
        "dqn.double=true",
        "dqn.averaged=true",
        "dqn.n_steps=3",
        "dqn.prioritized={alpha: 0.5}",
        "dqn.loss=squared",
        "dqn.gamma=1",
    ]
    config = load_config(small_config("421-dqn"), [*overrides, "dqn.exploration_temperature=0.3"])
    model = build(config).learner
    assert isinstance(model, MaskedDQN)
    assert model.exploration_temperature == 0.3
    buffer: Any = model.replay_buffer
    assert (model.double, model.averaged, model.n_steps, model.gamma) == (True, True, 3, 1)
    assert (buffer._unfinished.n, buffer._unfinished._powers[-1], buffer._unfinished._pass) == (3, 1, None)
    assert buffer._priorities == Priorities(alpha=0.5, beta=0.4)
    assert model._loss.__name__ == "mse_loss"


def test_one_action_more_than_the_game_has_is_pass(small_config):
    config = load_config(small_config("421-dqn"))
    built = build(config)
    built.environments.action_space = spaces.Discrete(9)
    model: Any = make_dqn(config, built.game, built.environments)
    assert model.replay_buffer._unfinished._pass == 8


def test_every_option_on_learns(trained):
    outcome = trained("421-dqn", "dqn.double=true", "dqn.n_steps=3", "dqn.prioritized={}", "dqn.loss=squared")
    assert outcome.status == "finished"
    assert outcome.last["exact"]


def test_the_field_crossed_with_others_stands_before_the_network(small_config):
    config = load_config(small_config("demi-iles-solo-dqn"), ["network.crossed=score"])
    model: Any = build(config).learner
    model.learn(200)
    assert model._online.weights.numel() == sum(p.numel() for p in model.q_net.parameters())
    assert model._n_updates > 0


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("dqn.prioritized.alpha=2", "dqn.prioritized.alpha is 2; a number of at least 0 and at most 1 was expected"),
        ("dqn.prioritized=1", "dqn.prioritized is 1; a mapping with some of alpha, beta or null was expected"),
        ("dqn.loss=hubber", "one of huber, squared was expected; did you mean 'huber'?"),
        ("dqn.dubble=true", "did you mean 'dqn.double'?"),
    ],
)
def test_what_an_option_cannot_be_gets_a_sentence(small_config, override, expected):
    with pytest.raises(ConfigError) as error:
        load_config(small_config("421-dqn"), [override])
    assert expected in str(error.value)
