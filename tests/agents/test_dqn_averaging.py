"""The mean of the weights: what it is a mean of, and that nothing is learned from it."""

from math import comb
from typing import Any

import numpy as np
import pytest
import torch

from nenette.games import make_game
from nenette_agents.config.loading import load_config
from nenette_agents.export import export_policy
from nenette_agents.training.build import build


@pytest.fixture
def learned(small_config, monkeypatch):
    """A learner after some training, and its weights after each update."""

    def learn(*overrides: str) -> tuple[Any, list[Any]]:
        config = load_config(small_config("421-dqn"), ["dqn.learning_rate=1e-2", *overrides])
        model: Any = build(config).learner
        after, train = [], model.train

        def recorded(*arguments: Any, **named: Any) -> None:
            train(*arguments, **named)
            after.append(model._online.weights.detach().numpy().copy())

        monkeypatch.setattr(model, "train", recorded)
        model.learn(1000)
        return model, after

    return learn


@pytest.mark.parametrize("gradient_steps", [1, 3])
def test_it_is_the_mean_in_which_update_t_counts_as_much_as_t_plus_7_over_8(learned, gradient_steps):
    model, after = learned("dqn.averaged=true", f"dqn.gradient_steps={gradient_steps}")
    assert len(after) > 30
    counts = np.array([comb(t + 7, 8) for t in range(1, len(after) + 1)], dtype=np.float64)
    assert counts[-len(after) // 9 :].sum() > 0.6 * counts.sum()
    expected = np.average(after, axis=0, weights=counts)
    np.testing.assert_allclose(model._average.weights.detach().numpy(), expected, atol=1e-5)


def test_nothing_is_learned_from_it(learned):
    (_, plain), (_, averaged) = learned(), learned("dqn.averaged=true")
    np.testing.assert_array_equal(plain, averaged)


def test_it_is_what_is_kept(learned):
    game = make_game("421", fiches=3, manches_to_lose=1)
    model, _ = learned("dqn.averaged=true")
    plain, _ = learned()
    for kept, network in (
        (model, model.policy.q_net_average),
        (plain, plain.q_net),
    ):
        layers = export_policy(kept, game, "kept", "argmax").layers
        torch.testing.assert_close(torch.from_numpy(layers[0][0]), network.q_net[0].weight.detach(), rtol=0, atol=0)
    assert not torch.equal(model.policy.q_net_average.q_net[0].weight, model.q_net.q_net[0].weight)
