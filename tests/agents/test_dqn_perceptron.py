"""The gradient that is written down is autograd's."""

import numpy as np
import pytest
import torch
from made_up_learning import END, TableEnv
from torch import nn

from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.network import Perceptron


def model(layers: list[int], activation: type[nn.Module], **options: object) -> MaskedDQN:
    env = TableEnv({0: {0: (0.5, 1), 1: (3.0, END)}, 1: {0: (-4.0, END), 1: (0.0, 0)}})
    kwargs = {"net_arch": layers, "activation_fn": activation}
    return MaskedDQN("MlpPolicy", env, policy_kwargs=kwargs, learning_starts=64, seed=0, device="cpu", **options)


CASES = [([], nn.Tanh), ([7], nn.ReLU), ([8, 5], nn.Tanh), ([8, 5, 6], nn.ReLU)]


@pytest.mark.parametrize(("layers", "activation"), CASES)
def test_values_and_gradients_are_autograds(layers, activation):
    network = model(layers, activation).q_net
    perceptron = Perceptron(network)
    rng = torch.Generator().manual_seed(1)
    seen, slopes = torch.rand((20, 2), generator=rng), torch.randn((20, 2), generator=rng)
    outputs = perceptron.outputs(seen)
    values = network(seen)
    torch.testing.assert_close(outputs[-1], values.detach())
    (values * slopes).sum().backward()
    expected = torch.cat([p.grad.reshape(-1) for p in network.q_net.parameters()])
    torch.testing.assert_close(perceptron.set_gradient(outputs, slopes), expected)


@pytest.mark.parametrize("loss", ["huber", "squared"])
@pytest.mark.parametrize("limit", [0.01, 1e9])
def test_a_gradient_step_is_that_of_the_loss(loss, limit):
    learner = model([8], nn.Tanh, loss=loss, gamma=0.9, max_grad_norm=limit)
    learner.learn(64)
    functions = {"huber": nn.functional.smooth_l1_loss, "squared": nn.functional.mse_loss}
    batch = learner.replay_buffer.sample(32)
    learner.replay_buffer.sample = lambda _: batch  # type: ignore[method-assign]
    targets = learner.q_net_target(batch.next_observations).masked_fill(~batch.next_masks, -torch.inf).amax(1, True)
    targets = (batch.returns + batch.discounts * targets).detach()
    expected = functions[loss](learner.q_net(batch.observations).gather(1, batch.actions), targets)
    expected.backward()
    parameters = list(learner.q_net.parameters())
    gradient = torch.cat([p.grad.reshape(-1) for p in parameters])
    gradient *= min(1, limit / float(gradient.norm()))
    found = learner._gradient_step(32)
    assert float(found) == pytest.approx(expected.item(), rel=1e-5)
    torch.testing.assert_close(learner._online.weights.grad, gradient)


def test_the_module_and_the_vector_are_the_same_weights():
    learner = model([8], nn.Tanh)
    before = [p.detach().clone() for p in learner.q_net.parameters()]
    with torch.no_grad():
        learner._online.weights += 1
    for parameter, was in zip(learner.q_net.parameters(), before, strict=True):
        torch.testing.assert_close(parameter.detach(), was + 1)
    # So they are after weights were put in from outside, as a resumed run does.
    learner.policy.load_state_dict({name: torch.zeros_like(w) for name, w in learner.policy.state_dict().items()})
    assert not learner._online.weights.any()
    assert not learner._target.weights.any()
    np.testing.assert_array_equal(learner._online.values(torch.ones(3, 2)), np.zeros((3, 2)))
