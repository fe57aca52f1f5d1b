"""Prioritised replay: what it changes in a gradient step, and that it is worth it."""

import numpy as np
import pytest
import torch
from made_up_learning import END, TableEnv
from test_dqn_values import learner
from torch.nn import functional

from nenette_agents.algorithms.dqn.decisions import Steps
from nenette_agents.algorithms.dqn.storage import Priorities, weights_of_errors

TWO = {0: {0: (1.0, 1), 1: (-3.0, 1)}, 1: {0: (0.5, END), 1: (8.0, END)}}


@pytest.mark.parametrize("loss", ["huber", "squared"])
def test_each_error_counts_by_its_weight_and_becomes_a_priority(loss):
    priorities = Priorities(alpha=0.7, beta=0.5)
    model = learner(TableEnv(TWO), priorities=priorities, loss=loss, max_grad_norm=1e9, learning_starts=10**6)
    model.learn(80)
    buffer = model.replay_buffer
    buffer.set_errors(np.arange(buffer.size()), np.linspace(0.1, 5, buffer.size()))
    batch = buffer.sample(32)
    assert len(set(batch.weights.ravel().tolist())) > 8
    model.replay_buffer.sample = lambda size: batch  # type: ignore[method-assign]
    network = model.q_net
    values = network(batch.observations).gather(1, batch.actions)
    with torch.no_grad():
        worth = model.q_net_target(batch.next_observations).amax(dim=1, keepdim=True)
        targets = batch.returns + batch.discounts * worth
    of_each = {"huber": functional.smooth_l1_loss, "squared": functional.mse_loss}[loss](
        values, targets, reduction="none"
    )
    parameters = list(network.q_net.parameters())
    expected = torch.autograd.grad((batch.weights * of_each).mean(), parameters)
    model._gradient_step(32)
    found = model._online.weights.grad
    torch.testing.assert_close(found, torch.cat([part.ravel() for part in expected]))
    errors = dict(zip(batch.places.tolist(), (values - targets).abs().ravel().tolist(), strict=True))
    places = np.array(list(errors))
    assert buffer._tree is not None
    np.testing.assert_allclose(
        buffer._tree.weights(places), weights_of_errors(np.array(list(errors.values())), 0.7), rtol=1e-4
    )


def test_with_the_whole_correction_the_mean_of_gradients_is_that_of_uniform_replay():
    """Importance sampling: sum over draws of 1/(N p) times the gradient is the mean of all N, whatever p is."""
    found = {}
    for priorities in (None, Priorities(alpha=1.0, beta=1.0)):
        model = learner(TableEnv(TWO), priorities=priorities, loss="squared", max_grad_norm=1e9, learning_rate=0.0)
        model.learn(80)
        buffer = model.replay_buffer
        buffer.set_errors(np.arange(buffer.size()), np.random.default_rng(0).uniform(0.5, 4, buffer.size()))
        batch = buffer.sample(60_000)
        model.replay_buffer.sample = lambda size, batch=batch: batch  # type: ignore[method-assign,misc]
        model._gradient_step(60_000)
        found[priorities is None] = model._online.weights.grad / batch.weights.mean()
    torch.testing.assert_close(found[False], found[True], rtol=0.05, atol=0.05)


def test_the_correction_grows_to_all_of_it():
    model = learner(TableEnv(TWO), priorities=Priorities(beta=0.25))
    met = []
    step = model._gradient_step
    model._gradient_step = lambda size: met.append(model.replay_buffer.beta) or step(size)  # type: ignore[method-assign]
    model.learn(402)  # the last of its steps of four slots goes beyond the end
    assert model.num_timesteps > 402
    assert met == sorted(met)
    assert met[0] == pytest.approx(0.25 + 0.75 * 8 / 402)  # nothing can be learned before the second step
    assert met[-1] == 1


RARE = {0: {0: (0.0, END)}, 1: {0: (0.0, 2)}, 2: {0: (0.0, 3)}, 3: {0: (1.0, END)}}
"""State 0 is all that is met but once; then 1, 2 and 3 lead to a reward."""
COMMON = 200


def _updates_until_it_knows(priorities: Priorities | None, seed: int) -> int:
    """Gradient steps, of one transition each, until state 1 is worth more than half of what it is."""
    kwargs = {"net_arch": [], "optimizer_class": torch.optim.SGD}
    model = learner(
        TableEnv(RARE, slots=1, actions=1), priorities=priorities, gamma=1.0, seed=seed, policy_kwargs=kwargs
    )
    model._target = model._online
    table = model.q_net.q_net[0]
    with torch.no_grad():
        table.weight.zero_()
        table.bias.zero_()
    seen, legal = np.eye(len(RARE), dtype=np.float32), np.ones((1, 1), dtype=np.bool_)
    for state in (*[0] * COMMON, 1, 2, 3):
        reward, following = RARE[state][0]
        over, never = np.array([following == END]), np.zeros(1, dtype=np.bool_)
        action, paid = np.zeros(1, dtype=np.int64), np.array([reward], dtype=np.float32)
        model.replay_buffer.add(Steps(seen[[state]], legal, action, paid, over, never, seen[[state]], legal))
    for group in model.policy.optimizer.param_groups:
        group["lr"] = 0.1
    updates = 0
    while table.weight[0, 1] < 0.5 and updates < 20_000:
        model._gradient_step(1)
        updates += 1
        with torch.no_grad():
            table.bias.zero_()  # a table: no two states have anything in common
    return updates


def test_a_rare_reward_is_learned_from_sooner():
    uniform = [_updates_until_it_knows(None, seed) for seed in range(2)]
    prioritized = [_updates_until_it_knows(Priorities(alpha=0.7, beta=0.5), seed) for seed in range(2)]
    assert max(uniform) < 20_000
    assert sum(prioritized) < 0.5 * sum(uniform), (uniform, prioritized)
