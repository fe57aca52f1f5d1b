"""A2C is stable-baselines3's wherever everything is legal, and QR-DQN learns quantiles among what is legal."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from made_up_learning import END, TableEnv
from stable_baselines3 import A2C
from twins import quiet

from nenette.policies.adapted import adapt
from nenette_agents import MaskedQRDQN
from nenette_agents.algorithms.dqn.replay import MaskedSamples
from nenette_agents.algorithms.from_config import make_a2c
from nenette_agents.config.loading import load_config
from nenette_agents.errors import ConfigError
from nenette_agents.export import export_policy
from nenette_agents.training.build import build
from nenette_agents.training.resuming import resume
from nenette_agents.training.run import train

A2C_TEXT = """
game: demi-iles
algorithm: a2c
seed: 3
opponents: random
total_timesteps: 2048
n_envs: 4
network: {net_arch: [16]}
a2c: {learning_rate: 1e-2, n_steps: 8, gae_lambda: 0.9, ent_coef: 0.01}
"""
QR_TEXT = """
game: 421
rules: {fiches: 3, manches_to_lose: 1}
algorithm: qr-dqn
opponents: self
total_timesteps: 256
n_envs: 4
network: {net_arch: [16]}
evaluation: {against: random}
checkpoint: {every_seconds: 0, keep: true}
qr-dqn: {learning_starts: 64, batch_size: 16, n_quantiles: 5, averaged: true}
"""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """These networks are so small that threads only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def config_of(text: str, folder: Path, *overrides: str) -> Any:
    path = folder / "c.yaml"
    path.write_text(text)
    return load_config(path, list(overrides))


@pytest.mark.parametrize("scaled", [False, True])
def test_a2c_learns_what_that_of_stable_baselines3_learns(scaled: bool, tmp_path: Path) -> None:
    config = config_of(A2C_TEXT, tmp_path, f"a2c.normalize_advantage={str(scaled).lower()}")
    steps = 10 * config.settings.n_steps * config.n_envs
    ours: Any = build(config).learner
    before = copy.deepcopy(ours.policy.state_dict())
    ours.learn(steps)
    settings = config.settings
    theirs = A2C(
        "MlpPolicy",
        build(config).environments,
        learning_rate=settings.learning_rate,
        n_steps=settings.n_steps,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        ent_coef=settings.ent_coef,
        normalize_advantage=scaled,
        policy_kwargs={"net_arch": [16]},
        seed=config.seed,
        device="cpu",
    )
    theirs.learn(steps)
    # What differs is the order in which a rollout is added up: over many updates that grows.
    for name, weight in ours.policy.state_dict().items():
        torch.testing.assert_close(weight, theirs.policy.state_dict()[name], rtol=1e-3, atol=1e-4)
        assert (weight - before[name]).abs().max() > 1e-2


def test_a2c_of_few_steps_has_a_rollout_all_the_same(tmp_path: Path) -> None:
    config = config_of(A2C_TEXT, tmp_path, "a2c.n_steps=1", "n_envs=1")
    built = build(config)
    learner: Any = make_a2c(config, built.game, built.environments)
    learner.learn(2)
    assert learner.num_timesteps == 2
    sentence = "a2c.normalize_advantage is True; false was expected, for a rollout is a single step"
    with pytest.raises(ConfigError, match=sentence):
        config_of(A2C_TEXT, tmp_path, "a2c.n_steps=1", "n_envs=1", "a2c.normalize_advantage=true")


LOSS = -10.0
"""Well beyond 1, within which the loss is squared and blurs the quantiles, and less than what illegal actions have."""


def lottery(outcome: float) -> dict[int, dict[int, tuple[float, int]]]:
    """State 0: action 0 costs 7; action 1 is not legal; action 2 leads on to the outcome, if that is not spared."""
    return {0: {0: (-7.0, END), 2: (0.0, 1)}, 1: {1: (outcome, END)}}


class Lottery(TableEnv):
    """Every second slot is spared the outcome: to the learner that is chance."""

    def step_wait(self) -> Any:
        observations, rewards, dones, infos = super().step_wait()
        rewards[1::2] = np.where(rewards[1::2] == LOSS, 0.0, rewards[1::2])
        return observations, rewards, dones, infos


def test_qr_dqn_learns_the_quantiles_and_prefers_the_mean() -> None:
    model = MaskedQRDQN(
        "MlpPolicy",
        Lottery(lottery(LOSS), slots=4, actions=3),
        n_quantiles=4,
        learning_rate=1e-2,
        learning_starts=32,
        batch_size=32,
        train_freq=1,
        gradient_steps=2,
        gamma=1.0,
        exploration_final_eps=0.5,
        target_update_interval=64,
        policy_kwargs={"net_arch": [16]},
        seed=0,
        device="cpu",
    )
    model.learn(2500)
    network: Any = model.q_net
    seen = torch.eye(2)
    quantiles = network.q_net(seen).view(2, 4, 3)
    assert quantiles[0, :, 0].detach().numpy() == pytest.approx(-7, abs=0.5)
    for outcome in (quantiles[0, :, 2], quantiles[1, :, 1]):  # half of the quantiles at each
        assert sorted(outcome.tolist()) == pytest.approx([LOSS, LOSS, 0, 0], abs=1.5)
    assert network(seen).detach().numpy() == pytest.approx(quantiles.mean(dim=1).detach().numpy())
    actions, _ = model.predict(np.eye(2, dtype=np.float32), deterministic=True, action_masks=model.env.masks)  # type: ignore[union-attr]
    assert actions.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("double", "legal", "value"),
    [(False, [1, 1, 1], 3.0), (True, [1, 1, 1], 1.0), (False, [1, 1, 0], 2.0), (True, [0, 1, 1], 2.0)],
)
def test_the_target_takes_the_best_legal_action_by_the_right_network(
    double: bool, legal: list[int], value: float
) -> None:
    env = TableEnv(lottery(LOSS), actions=3)
    model = MaskedQRDQN("MlpPolicy", env, n_quantiles=2, double=double, seed=0, device="cpu")
    for network, means in ((model._online, [3.0, 2.0, 1.0]), (model._target, [1.0, 2.0, 3.0])):
        network.weights.data.zero_()
        bias = network._layers[-1][1]
        bias.copy_(torch.tensor([[mean - 0.5 for mean in means], [mean + 0.5 for mean in means]]).flatten())
    one, nothing = torch.ones((1, 1)), torch.zeros((1, 2))
    places, masks = np.zeros(1, dtype=np.intp), torch.tensor([legal]) > 0
    batch = MaskedSamples(nothing, torch.tensor([[1]]), nothing, masks, 5 * one, 0.5 * one, one, places)
    learned = model._learned(batch, model._online.outputs(batch.observations)[-1])
    assert learned.errors.item() == pytest.approx(2.0 - (5.0 + 0.5 * value))
    slopes = learned.slopes.view(2, 3)
    assert (slopes[:, 1] < 0).all()
    assert not slopes[:, [0, 2]].any()


def test_what_it_has_of_its_own_is_not_to_be_given() -> None:
    for settings in ({"priorities": {"alpha": 0.6, "beta": 0.4}}, {"loss": "squared"}):
        with pytest.raises(ValueError, match=r"^MaskedQRDQN has a loss of its own and replays all alike"):
            MaskedQRDQN("MlpPolicy", TableEnv(lottery(LOSS), actions=3), **settings)


def test_its_policy_is_exported_saved_and_gone_on_with(tmp_path: Path) -> None:
    config = config_of(QR_TEXT, tmp_path)
    outcome = train(config, tmp_path, "run", quiet())
    longer = resume(outcome.folder, quiet(), ["total_timesteps=512"])
    assert (longer.status, longer.steps >= 512) == ("finished", True)
    built = build(config)
    model: Any = built.learner
    model.learn(256)
    game = built.game
    kept = export_policy(model, game, "kept", "argmax")
    assert [len(bias) for _, bias in kept.layers] == [16, game.n_actions]
    observations, masks = game.codec.encode(np.zeros((1, len(game.codec.features)), dtype=np.int64)), np.ones((1, 8))
    values = model.policy.q_net_average(torch.from_numpy(observations))[:, : game.n_actions]
    assert kept.scores(observations) == pytest.approx(values.detach().numpy(), abs=1e-6)
    adapted = adapt(model, game).action_probabilities(observations, masks.astype(np.int8))
    assert (adapted == kept.action_probabilities(observations, masks)).all()
    model.save(tmp_path / "model")
    loaded: Any = MaskedQRDQN.load(tmp_path / "model", built.environments)
    assert loaded.n_quantiles == 5
    for name, weight in model.policy.state_dict().items():
        assert torch.equal(weight, loaded.policy.state_dict()[name])


def test_it_begins_with_the_values_of_another(tmp_path: Path) -> None:
    first = train(config_of(QR_TEXT, tmp_path), tmp_path, "first", quiet())
    built = build(config_of(QR_TEXT, tmp_path, f"init={first.folder}", "seed=9"))
    begun = export_policy(built.learner, built.game, "begun", "argmax")
    kept = adapt(str(first.folder), built.game)
    for one, other in zip(begun.layers, kept.layers, strict=True):  # type: ignore[attr-defined]
        for mine, theirs in zip(one, other, strict=True):
            assert mine == pytest.approx(theirs, abs=1e-6)
