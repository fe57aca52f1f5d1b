"""Configs in the names of earlier versions mean what they meant, and a notice names today's."""

import pytest
import yaml

from nenette.games import GAMES, make_game
from nenette.policies.shipped import read_card, shipped_names
from nenette_agents.config import loading as config_checks
from nenette_agents.config.fields import Linear
from nenette_agents.config.files import Sources
from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.config.names import NEW_KEYS, SCHEDULE_KEYS, field_name
from nenette_agents.errors import ConfigError

EARLIER_PPO = """
game: "421"
algorithm: ppo
opponents: [random, past]
total_steps: 1e6
environments: 8
network: {layers: [16], activation: relu, crossed: own fiches}
rewards: {potential: {own fiches: -0.5, "the other's fiches": 0.5}}
tremble: {opening: 3}
self_play: {drawn: by strength, copies: 2}
checkpoint: {every: 5}
ppo:
  learning_rate: 0.01
  learning_rate_schedule: linear
  rollout_steps: 64
  epochs: 3
  entropy_coefficient: 0.25
  entropy_coefficient_schedule: linear
  value_coefficient: 0.75
  largest_gradient: 2.0
  value_layers: [4]
  plays: best
"""
TODAYS_PPO = """
game: "421"
algorithm: ppo
opponents: [random, past]
total_timesteps: 1e6
n_envs: 8
network: {net_arch: [16], activation_fn: relu, crossed: own_fiches}
rewards: {potential: {own_fiches: -0.5, opponent_fiches: 0.5}}
tremble: {opening_moves: 3}
self_play: {sampling: prioritized, copies: 2}
checkpoint: {every_seconds: 5}
policy_temperature: 0
ppo:
  learning_rate: lin_0.01
  n_steps: 64
  n_epochs: 3
  ent_coef: {initial: 0.25}
  vf_coef: 0.75
  max_grad_norm: 2.0
  vf_net_arch: [4]
"""
EARLIER_DQN = """
game: "421"
algorithm: dqn
opponents: random
dqn:
  learning_rate_schedule: constant
  train_every: 2
  target_update_every: 500
  n_step: 3
  exploration_final: 0.25
  largest_gradient: 3.0
  temperature: 0.5
"""
TODAYS_DQN = """
game: "421"
algorithm: dqn
opponents: random
policy_temperature: 0.5
dqn:
  learning_rate: 5e-4
  train_freq: 2
  target_update_interval: 500
  n_steps: 3
  exploration_final_eps: 0.25
  max_grad_norm: 3.0
"""


@pytest.fixture
def read(tmp_path):
    def read(text: str, *overrides: str, tell=None) -> Config:
        path = tmp_path / "c.yaml"
        path.write_text(text)
        return load_config(path, list(overrides), tell=tell)

    return read


def _keys(text: str) -> set[str]:
    document = yaml.safe_load(text)
    return {
        key
        for name, value in document.items()
        for key in (name, *(f"{name}.{inner}" for inner in (value if isinstance(value, dict) else ())))
    }


def test_every_earlier_name_is_read_as_todays(read):
    assert {*NEW_KEYS, *SCHEDULE_KEYS} <= _keys(EARLIER_PPO) | _keys(EARLIER_DQN)
    for earlier, todays in ((EARLIER_PPO, TODAYS_PPO), (EARLIER_DQN, TODAYS_DQN)):
        assert not ({*NEW_KEYS, *SCHEDULE_KEYS} - set(NEW_KEYS.values())) & _keys(todays)
        assert read(earlier) == read(todays) == Config.read(read(earlier).model_dump())
        notices: list[str] = []
        read(todays, tell=notices.append)
        assert notices == []
        read(earlier, tell=notices.append)
        (sentence,) = notices
        for old, new in (NEW_KEYS | SCHEDULE_KEYS).items():
            assert (f"{old} is now {new}" in sentence) == (old in _keys(earlier))


def test_a_run_s_own_config_in_earlier_names_is_read_without_its_file(read):
    document = yaml.safe_load(EARLIER_PPO)
    document["total_steps"] = 1_000_000
    found = config_checks.validate(document, Sources("the card"))
    assert found == read(EARLIER_PPO)


@pytest.mark.parametrize("game", GAMES)
def test_the_configs_on_cards_can_be_read(game):
    names = [name for name in shipped_names(game) if "config" in (read_card(game, name) or {})]
    assert names
    for name in names:
        config = read_card(game, name)["config"]
        found = config_checks.validate(config, Sources("the card"))
        assert found.total_timesteps == config.get("total_timesteps", config.get("total_steps"))


@pytest.mark.parametrize(
    ("override", "look", "expected"),
    [
        ("ppo.rollout_steps=32", lambda c: c.ppo.n_steps, 32),
        ("ppo={rollout_steps: 32, plays: odds}", lambda c: (c.ppo.n_steps, c.policy_temperature), (32, 1.0)),
        ("ppo.plays=odds", lambda c: c.policy_temperature, 1.0),
        ("total_timesteps=5e5", lambda c: c.total_timesteps, 500_000),
        ("ppo.learning_rate_schedule=constant", lambda c: c.ppo.learning_rate, 0.01),
        ("ppo.learning_rate=lin_1e-3", lambda c: c.ppo.learning_rate, Linear(1e-3)),
        ("ppo.ent_coef={initial: 0.5, final: 0.125}", lambda c: c.ppo.ent_coef, Linear(0.5, 0.125)),
        ("rewards.potential={own fiches: 2}", lambda c: c.rewards.potential, {"own_fiches": 2.0}),
    ],
)
def test_an_override_in_either_name_wins_over_a_file_in_either(read, override, look, expected):
    for text in (EARLIER_PPO, TODAYS_PPO):
        assert look(read(text, override)) == expected


def test_a_number_in_todays_name_ends_a_schedule_of_todays(read):
    assert read(TODAYS_PPO, "ppo.learning_rate=0.5").ppo.learning_rate == 0.5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("total_steps: 1e6", "total_steps: 1e6\ntotal_timesteps: 5"), "total_timesteps is given twice: by this name"),
        (("own fiches: -0.5", "own fiches: -0.5, own_fiches: 1"), "own_fiches is given twice: by this name"),
        (("learning_rate_schedule: linear", "learning_rate_schedule: falling"), "linear or constant was expected"),
        (("plays: best", "plays: bets"), "policy_temperature is 'bets'; a number of at least 0 or null was expected"),
        (("epochs: 3", "epoch: 3"), "did you mean 'ppo.n_epochs'?"),
        (("rollout_steps: 64", "rolout_step: 64"), "did you mean 'ppo.n_steps'?"),
        (
            ("learning_rate: 0.01", "learning_rate: lin_2"),
            "ppo.learning_rate is 'lin_2'; a number of at least 0 and at most 1",
        ),
        (
            ("learning_rate: 0.01", "learning_rate: {final: 1}"),
            "ppo.learning_rate is {'final': 1}; a number of",
        ),
    ],
)
def test_what_cannot_be_gets_one_sentence_that_names_todays_key(read, change, sentence):
    with pytest.raises(ConfigError) as refused:
        read(EARLIER_PPO.replace(*change))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("game", GAMES)
def test_fields_of_observations_have_names_without_blanks_that_differ(game):
    names = make_game(game).codec.names
    named = list(map(field_name, names))
    assert len(set(named)) == len(names)
    assert all(name.isidentifier() or name[0].isdigit() for name in named)
    assert list(map(field_name, named)) == named
