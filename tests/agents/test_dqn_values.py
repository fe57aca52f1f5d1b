"""Masked DQN comes to values that were worked out by hand; without masks it would come to others."""

from contextlib import nullcontext
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from made_up_learning import END, TableEnv
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.network import Perceptron, next_values
from nenette_agents.algorithms.dqn.storage import Priorities
from nenette_agents.states import generator_words, set_generator_words

TEMPTED = {0: {0: (0.0, 1)}, 1: {0: (1.0, END)}}
"""State 0 leads to state 1, which leads to the end with reward 1; nothing else is legal."""


def learner(env: TableEnv, **settings: Any) -> MaskedDQN:
    """One whose values are a table: a weight for each state and action, and no hidden layer."""
    defaults: dict[str, Any] = {
        "learning_rate": lambda left: 0.05 * left,
        "learning_starts": 0,
        "batch_size": 32,
        "train_freq": 1,
        "gradient_steps": 1,
        "target_update_interval": 40,
        "exploration_fraction": 0.0,
        "exploration_final_eps": 1.0,
        "gamma": 0.5,
        "seed": 0,
        "device": "cpu",
        "policy_kwargs": {"net_arch": []},
    }
    return MaskedDQN("MlpPolicy", env, **{**defaults, **settings})


def values_of(model: MaskedDQN) -> Any:
    """Q(state, action) for all of them."""
    size = model.observation_space.shape[0]
    with torch.no_grad():
        return model.q_net(torch.eye(size)).numpy()


def tempt(model: MaskedDQN, state: int, action: int, value: float) -> None:
    """Makes the networks value an action that is never legal, and so is never corrected."""
    with torch.no_grad():
        for network in (model.q_net, model.q_net_target):
            network.q_net[0].weight[action, state] = value
            network.q_net[0].bias[action] = 0


@pytest.mark.parametrize(("double", "priorities"), [(False, None), (True, Priorities(alpha=0.6, beta=0.4))])
def test_the_target_counts_on_legal_actions_only(double, priorities):
    model = learner(TableEnv(TEMPTED), double=double, priorities=priorities)
    tempt(model, state=1, action=1, value=10.0)
    model.learn(2000)
    values = values_of(model)
    assert values[1, 1] == pytest.approx(10)  # nothing was ever learned about it
    assert values[1, 0] == pytest.approx(1, abs=0.01)
    assert values[0, 0] == pytest.approx(0.5, abs=0.01)  # and not 0.5 * 10


@pytest.mark.parametrize("double", [False, True])
def test_without_a_mask_the_same_target_is_wrong(double):
    model = learner(TableEnv(TEMPTED), double=double)
    tempt(model, state=1, action=1, value=10.0)
    target, online = Perceptron(model.q_net_target), Perceptron(model.q_net) if double else None
    seen, legal = torch.tensor([[0.0, 1.0]]), torch.tensor([[True, False]])
    expected = values_of(model)[1, 0]
    assert float(next_values(target, seen, legal, online)) == pytest.approx(expected)
    assert float(next_values(target, seen, torch.ones_like(legal), online)) == pytest.approx(10)


@pytest.mark.parametrize("n_steps", [1, 3])
@pytest.mark.parametrize("tells_masks", [True, False])
def test_a_cut_game_is_worth_what_was_seen_last_under_its_mask(n_steps, tells_masks):
    # 1 a step for ever, cut after each fifth: worth 2 at a discount of one half, and 1.9375 if the cut were an end.
    # Without that mask nothing is learned from a cut, and certainly not that the best of all actions is legal.
    table = {0: {0: (1.0, 1)}, 1: {0: (1.0, 0)}}
    env = TableEnv(table, cut_after=5, tells_masks=tells_masks)
    model = learner(env, n_steps=n_steps, target_update_interval=8)
    tempt(model, state=1, action=1, value=10.0)
    with nullcontext() if tells_masks else pytest.warns(UserWarning, match="their last decisions are not learned from"):
        model.learn(2000)
    np.testing.assert_allclose(values_of(model)[:, 0], 2, atol=0.01)


@pytest.mark.parametrize(("n_steps", "loss"), [(1, "huber"), (1, "squared"), (2, "squared"), (5, "huber")])
def test_without_a_discount_values_are_sums(n_steps, loss):
    chain = {state: {0: (-1.0, state + 1 if state < 3 else END)} for state in range(4)}
    model = learner(TableEnv(chain, actions=1), n_steps=n_steps, gamma=1.0, loss=loss)
    model.learn(2000)
    np.testing.assert_allclose(values_of(model)[:, 0], [-4, -3, -2, -1], atol=0.02)


def test_the_squared_loss_learns_the_mean_and_hubers_does_not():
    class Lottery(TableEnv):
        """Pays 10 once in five times, and nothing else."""

        drawn = 0

        def step_wait(self) -> Any:
            observations, rewards, dones, infos = super().step_wait()
            for slot in range(self.num_envs):
                self.drawn += 1
                rewards[slot] = 10.0 * (self.drawn % 5 == 0)
            return observations, rewards, dones, infos

    found = {}
    for loss in ("squared", "huber"):
        model = learner(Lottery({0: {0: (0.0, END)}}, actions=1), loss=loss, batch_size=256)
        model.learn(2000)
        found[loss] = float(values_of(model)[0, 0])
    assert found["squared"] == pytest.approx(2, abs=0.1)
    # Where 4/5 of the pulls (each as strong as the error, q) are as strong as 1/5 (each of strength 1).
    assert found["huber"] == pytest.approx(0.25, abs=0.05)


def test_double_q_learning_does_not_overestimate():
    """The mean of the larger of two standard normal errors is 1/sqrt(pi); of one chosen by other errors it is 0."""
    rng = np.random.default_rng(0)
    states = 4000
    model = learner(TableEnv({state: {0: (0.0, END), 1: (0.0, END)} for state in range(states)}))
    with torch.no_grad():
        for network in (model.q_net, model.q_net_target):
            network.q_net[0].weight[:] = torch.tensor(rng.standard_normal((2, states)), dtype=torch.float32)
            network.q_net[0].bias[:] = 0
    online, target = Perceptron(model.q_net), Perceptron(model.q_net_target)
    legal = torch.ones((states, 2), dtype=torch.bool)
    noise = 4 / np.sqrt(states)
    single = float(next_values(target, torch.eye(states), legal, None).mean())
    double = float(next_values(target, torch.eye(states), legal, online).mean())
    assert single == pytest.approx(1 / np.sqrt(np.pi), abs=noise)
    assert double == pytest.approx(0, abs=noise)


def test_it_is_double_q_learning_that_it_learns_by():
    """One gradient step from known values: the online network prefers action 1, the target network action 0."""
    found = {}
    for double in (False, True):
        model = learner(
            TableEnv({0: {0: (0.0, 1)}, 1: {0: (0.0, 0), 1: (0.0, 0)}}), double=double, learning_starts=10**6
        )
        model.learn(400)
        with torch.no_grad():
            for network, values in ((model.q_net, [-6.0, 1.0]), (model.q_net_target, [8.0, 4.0])):
                network.q_net[0].weight[:], network.q_net[0].bias[:] = 0, 0
                network.q_net[0].weight[:, 1] = torch.tensor(values)
            found[double] = float(model._gradient_step(4096))
    # Half of the transitions are from state 0, whose value is 0; the target is half of the target network's largest
    # value, 8, or of its value of the online network's choice, 4 (and not -6, the other way round). From state 1 the
    # target is always 0, and the values are -6 and 1. Huber's loss of an error of 1 or more is that less a half.
    from_state_1 = 0.5 * (0.5 * 5.5 + 0.5 * 0.5)
    assert found[False] == pytest.approx(0.5 * 3.5 + from_state_1, abs=0.1)
    assert found[True] == pytest.approx(0.5 * 1.5 + from_state_1, abs=0.1)


def test_a_single_environment_is_asked_for_the_mask_where_it_is_cut():
    class Endless(gym.Env):
        """1 a step for ever, seen as always the same; action 1 is never legal, and an error."""

        observation_space = gym.spaces.Box(0, 1, (1,), np.float32)
        action_space = gym.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            return np.ones(1, dtype=np.float32), {}

        def step(self, action):
            assert action == 0
            return np.ones(1, dtype=np.float32), 1.0, False, False, {}

        def action_masks(self):
            return np.array([True, False])

    model = learner(gym.wrappers.TimeLimit(Endless(), 1), target_update_interval=8, learning_rate=0.05)
    tempt(model, state=0, action=1, value=10.0)
    model.learn(1000)
    assert model.replay_buffer.size() == 1000  # each step is a game, and each is learned from
    assert values_of(model)[0, 0] == pytest.approx(2, abs=0.02)


OPTIMIZERS = ("Adam", "AdamW", "SGD", "RMSprop", "NAdam", "RAdam", "Adagrad", "Adamax", "Adadelta")


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_any_optimizer_of_torch_can_be_had(name):
    kwargs = {"net_arch": [], "optimizer_class": getattr(torch.optim, name)}
    model = learner(TableEnv({0: {0: (1.0, END), 1: (-1.0, END)}}), policy_kwargs=kwargs)
    before = np.abs(values_of(model) - [1, -1]).sum()
    model.learn(300)
    assert type(model.policy.optimizer).__name__ == name
    assert np.abs(values_of(model) - [1, -1]).sum() < before


def test_a_gradient_step_is_that_of_the_weighted_loss_and_sets_priorities():
    table = {0: {0: (3.0, 1), 1: (-1.0, END)}, 1: {0: (0.5, END)}}
    model = learner(TableEnv(table), priorities=Priorities(1.0, 0.5), max_grad_norm=1e9, learning_starts=10**6)
    model.learn(60)
    buffer = model.replay_buffer
    buffer.set_errors(np.arange(buffer.size()), np.linspace(0.1, 3, buffer.size()))
    words = generator_words(buffer._generator)
    batch = buffer.sample(16)
    assert batch.weights.std() > 0.1
    set_generator_words(buffer._generator, words)  # the same batch once more
    values = model.q_net(batch.observations).gather(1, batch.actions)
    following = model.q_net_target(batch.next_observations).masked_fill(~batch.next_masks, -torch.inf).amax(1, True)
    targets = (batch.returns + batch.discounts * following).detach()
    loss = (batch.weights * torch.nn.functional.smooth_l1_loss(values, targets, reduction="none")).mean()
    expected = torch.autograd.grad(loss, model.q_net.q_net.parameters())
    model.lr_schedule = lambda left: 0.0  # type: ignore[method-assign]
    model._update_learning_rate(model.policy.optimizer)
    model._gradient_step(16)
    torch.testing.assert_close(model._online.weights.grad, torch.cat([part.reshape(-1) for part in expected]))
    weights = (values - targets).detach().abs().numpy().ravel() + 1e-3
    np.testing.assert_allclose(buffer._tree.weights(batch.places), weights, rtol=1e-5)  # type: ignore[union-attr]
    model._current_progress_remaining = 0.5
    model.train(1, 16)
    assert buffer.beta == 0.75


def test_no_gradient_is_longer_than_the_largest():
    model = learner(TableEnv({0: {0: (100.0, END)}}, actions=1), max_grad_norm=0.25, learning_starts=10**6)
    model.learn(100)
    model._gradient_step(32)
    assert float(torch.linalg.vector_norm(model._online.weights.grad)) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "settings", [{}, {"double": True, "n_steps": 3, "priorities": Priorities()}], ids=["plain", "everything"]
)
def test_the_same_seed_gives_the_same_weights_whatever_else_is_random(settings):
    table = {0: {0: (0.0, 1), 1: (0.5, 0)}, 1: {0: (1.0, END)}}

    def weights(seed: int, noise: int) -> bytes:
        model = learner(TableEnv(table, cut_after=7), seed=seed, **settings)
        np.random.seed(noise)  # noqa: NPY002  the state that everybody shares
        model.learn(400)
        return bytes(model._online.weights.detach().numpy().tobytes())

    assert weights(0, 1) == weights(0, 2)
    assert weights(0, 1) != weights(1, 1)


def test_environments_without_masks_are_played_as_if_everything_were_legal():
    model = MaskedDQN("MlpPolicy", "CartPole-v1", learning_starts=50, batch_size=16, seed=0, device="cpu")
    model.learn(200)
    assert model.num_timesteps == 200
    assert model.predict(model.get_env().reset(), deterministic=True)[0].shape == (1,)
    assert model.predict(np.zeros(4, dtype=np.float32), action_masks=[False, True])[0] == 1


def test_what_is_not_supported_gets_a_sentence():
    normalized = VecNormalize(DummyVecEnv([lambda: gym.make("CartPole-v1")]))
    with pytest.raises(ValueError, match="takes no VecNormalize"):
        MaskedDQN("MlpPolicy", normalized, device="cpu")
    with pytest.raises(ValueError, match="FlattenObservation makes one of a Dict"):
        MaskedDQN("MultiInputPolicy", "Blackjack-v1", device="cpu")
    kwargs = {"activation_fn": torch.nn.ELU}
    with pytest.raises(ValueError, match=r"Tanh or ReLU between them, .* not \['FlattenExtractor', 'Linear', 'ELU'"):
        MaskedDQN("MlpPolicy", "CartPole-v1", policy_kwargs=kwargs, device="cpu")
