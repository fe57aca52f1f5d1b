"""What is exported plays as torch does."""

import io

import numpy as np
import pytest
import torch
from rich.console import Console

from nenette.policies import read_policy, save_policy
from nenette_agents.config.loading import load_config
from nenette_agents.export import export_policy
from nenette_agents.training.build import build
from nenette_agents.training.run import train


def learner(path, *overrides):
    config = load_config(path, list(overrides))
    return config, build(config).learner


def random_inputs(game, n=300):
    rng = np.random.default_rng(5)
    observations = rng.random((n, game.codec.size)).astype(np.float32)
    masks = (rng.random((n, game.n_actions)) < 0.6).astype(np.int8)
    masks[np.arange(n), rng.integers(game.n_actions, size=n)] = 1
    return observations, masks


def with_pass(masks):
    return np.concatenate([masks, np.zeros((len(masks), 1), dtype=np.int8)], axis=1)


@pytest.mark.parametrize(("activation", "layers"), [("tanh", "[16]"), ("relu", "[24, 8]"), ("tanh", "[]")])
def test_masked_ppo_has_the_same_probabilities(small_config, activation, layers):
    config, model = learner(
        small_config("421-ppo"),
        f"network.activation_fn={activation}",
        f"network.net_arch={layers}",
        "policy_temperature=1",
    )
    game = config.make_game()
    observations, masks = random_inputs(game)
    policy = export_policy(model, game, "exported", config.head)
    with torch.no_grad():
        known = model.policy.get_distribution(torch.as_tensor(observations), action_masks=with_pass(masks))
    of_torch = known.distribution.probs.numpy()
    assert of_torch.shape[1] == game.n_actions + 1  # one policy plays all seats, and passes where it is not to move
    np.testing.assert_allclose(policy.action_probabilities(observations, masks), of_torch[:, :-1], atol=1e-5)


def test_ppo_has_the_same_probabilities_after_it_was_saved(small_config, tmp_path):
    config, model = learner(small_config("demi-iles-ppo"))
    game = config.make_game()
    observations, _ = random_inputs(game)
    save_policy(tmp_path, export_policy(model, game, "exported", config.head), {})
    with torch.no_grad():
        of_torch = model.policy.get_distribution(torch.as_tensor(observations)).distribution.probs
    probabilities = read_policy(tmp_path).action_probabilities(
        observations, np.ones((len(observations), 3), dtype=np.int8)
    )
    np.testing.assert_allclose(probabilities, of_torch.numpy(), atol=1e-5)
    assert probabilities.min() > 0


def test_ppo_that_plays_the_best_action_plays_the_likeliest_legal_one(small_config):
    config, model = learner(small_config("421-ppo"))
    game = config.make_game()
    observations, masks = random_inputs(game)
    probabilities = export_policy(model, game, "exported", config.head).action_probabilities(observations, masks)
    chosen, _ = model.policy.predict(observations, deterministic=True, action_masks=with_pass(masks))
    np.testing.assert_array_equal(probabilities, np.eye(game.n_actions)[chosen])


@pytest.mark.parametrize("name", ["421-dqn", "demi-iles-solo-dqn"])
def test_dqn_plays_the_legal_action_that_it_values_most(small_config, name):
    config, model = learner(small_config(name))
    game = config.make_game()
    observations, masks = random_inputs(game)
    probabilities = export_policy(model, game, "exported", config.head).action_probabilities(observations, masks)
    with torch.no_grad():
        values = model.policy.q_net(torch.as_tensor(observations)).numpy()
    np.testing.assert_array_equal(
        probabilities, np.eye(game.n_actions)[np.where(masks, values, -np.inf).argmax(axis=1)]
    )


@pytest.mark.parametrize(
    ("name", "field"), [("421-ppo", "own fiches"), ("demi-iles-ppo", "own score"), ("demi-iles-solo-dqn", "score")]
)
def test_crossed_inputs_are_the_same_in_torch(small_config, tmp_path, name, field):
    config, model = learner(small_config(name), f"network.crossed={field}")
    game = config.make_game()
    rng = np.random.default_rng(0)
    observations = game.codec.encode(
        np.array([[rng.integers(feature.values) for feature in game.codec.features] for _ in range(300)])
    )
    save_policy(tmp_path, export_policy(model, game, "exported", "softmax"), {})
    policy = read_policy(tmp_path)
    given = torch.as_tensor(observations)
    with torch.no_grad():
        if config.algorithm == "dqn":
            of_torch = model.policy.q_net(given)
        else:
            of_torch = model.policy.action_net(
                model.policy.mlp_extractor.forward_actor(model.policy.extract_features(given))
            )
    assert policy.crossed == field
    np.testing.assert_allclose(policy.scores(observations), of_torch.numpy()[:, : game.n_actions], atol=1e-5)


@pytest.mark.parametrize("name", ["421-ppo", "421-dqn"])
def test_what_is_not_looked_at_changes_nothing(small_config, tmp_path, name):
    config, model = learner(small_config(name), "network.looks_at=[own_fiches, dice_*]")
    game = config.make_game()
    save_policy(tmp_path, export_policy(model, game, "exported", "softmax"), {})
    policy = read_policy(tmp_path)
    assert policy.looks_at == ("own fiches", "dice on the table")
    fields = np.array([[np.random.default_rng(k).integers(f.values) for f in game.codec.features] for k in range(50)])
    kept = [game.codec.names.index(name) for name in policy.looks_at]
    others = np.delete(np.arange(fields.shape[1]), kept)
    changed = fields.copy()
    changed[:, others] = np.roll(fields[:, others], 1, axis=0)
    given = game.codec.encode(fields)
    assert not np.array_equal(given, game.codec.encode(changed))
    np.testing.assert_array_equal(policy.scores(given), policy.scores(game.codec.encode(changed)))
    with torch.no_grad():
        seen = torch.as_tensor(given)
        if config.algorithm == "dqn":
            of_torch = model.policy.q_net(seen)
        else:
            of_torch = model.policy.action_net(
                model.policy.mlp_extractor.forward_actor(model.policy.extract_features(seen))
            )
    np.testing.assert_allclose(policy.scores(given), of_torch.numpy()[:, : game.n_actions], atol=1e-5)


def test_training_on_changes_nothing_in_what_was_exported(small_config):
    config, model = learner(small_config("421-dqn"))
    policy = export_policy(model, config.make_game(), "exported", config.head)
    before = [weight.copy() for weight, _ in policy.layers]
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter += 1
    for weight, kept in zip((weight for weight, _ in policy.layers), before, strict=True):
        np.testing.assert_array_equal(weight, kept)


def test_dqns_values_become_boltzmanns_probabilities(small_config):
    config, model = learner(small_config("421-dqn"), "policy_temperature=0.25")
    game = config.make_game()
    observations, masks = random_inputs(game)
    policy = export_policy(model, game, "exported", config.head, temperature=config.policy_temperature)
    with torch.no_grad():
        values = model.policy.q_net(torch.as_tensor(observations)).numpy()[:, : game.n_actions]
    probabilities = np.exp(values / 0.25) * masks
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(policy.action_probabilities(observations, masks), probabilities, atol=1e-5)
    _, always_the_best = learner(small_config("421-dqn"))
    assert export_policy(always_the_best, game, "best", load_config(small_config("421-dqn")).head).head == "argmax"


def test_a_run_keeps_the_policy_that_plays_by_its_probabilities(small_config, tmp_path):
    kept = {}
    for temperature in (0.0, 0.25):
        config = load_config(small_config("421-dqn"), [f"policy_temperature={temperature}"])
        console = Console(file=io.StringIO())
        kept[temperature] = read_policy(
            train(config, tmp_path, f"at-{temperature}", console).folder, config.make_game()
        )
    best, softmax = kept[0.0], kept[0.25]
    assert (best.head, softmax.head) == ("argmax", "softmax")
    for ours, theirs in zip(softmax.layers[-1], best.layers[-1], strict=True):
        np.testing.assert_array_equal(ours, theirs * 4)
