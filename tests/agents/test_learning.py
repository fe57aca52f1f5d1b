"""Learning works: in seconds each algorithm comes near to what the solver says can be had."""

import io

import pytest
from rich.console import Console

from nenette.exact import answer_key
from nenette.policies import make_policy
from nenette_agents.config.loading import load_config
from nenette_agents.training.run import train

DEMI_ILES = "game: demi-iles\n"
TINY_421 = "game: 421\nrules: {fiches: 3, manches_to_lose: 1}\n"
SETTINGS = {
    "ppo": "{learning_rate: 3e-3, n_steps: 64, batch_size: 128, n_epochs: 5, gamma: 0.95, gae_lambda: 0.9}",
    "a2c": "{learning_rate: 5e-3, n_steps: 16, gamma: 0.95, gae_lambda: 0.9}",
    "qr-dqn": "{learning_rate: 3e-3, learning_starts: 250, batch_size: 64, gamma: 0.95, target_update_interval: 250, "
    "train_freq: 2, gradient_steps: 2, n_quantiles: 10}",
    "dqn": "{learning_rate: 2e-3, learning_starts: 500, batch_size: 64, gamma: 0.95, target_update_interval: 500}",
}


@pytest.mark.parametrize(
    ("game", "algorithm", "steps"),
    [
        (DEMI_ILES, "ppo", 8192),
        (DEMI_ILES, "a2c", 8192),
        (DEMI_ILES, "dqn", 8192),
        (DEMI_ILES, "qr-dqn", 4096),
        (TINY_421, "ppo", 16384),
    ],
    ids=["demi-iles-ppo", "demi-iles-a2c", "demi-iles-dqn", "demi-iles-qr-dqn", "421-ppo"],
)
def test_a_learner_finds_half_of_what_can_be_won_from_a_random_player(tmp_path, game, algorithm, steps):
    path = tmp_path / "c.yaml"
    path.write_text(
        f"{game}algorithm: {algorithm}\nopponents: random\ntotal_timesteps: {steps}\nn_envs: 8\n"
        f"network: {{net_arch: [32]}}\nevaluation: {{against: random}}\n{algorithm}: {SETTINGS[algorithm]}\n"
    )
    config = load_config(path)
    most = exploitability_of_random(config.make_game())
    value = train(config, tmp_path, "learner", Console(file=io.StringIO())).last["value"]
    # A network that has learned nothing is worth about 0 here: it is as random as its opponent.
    assert most / 2 < value <= most


def exploitability_of_random(game):
    key = answer_key(game)
    return key.exploitability(key.tabulate(make_policy("random", game).action_probabilities))
