"""Exploration: each environment for itself, and among its legal actions."""

import numpy as np
import pytest
import torch
from made_up_learning import TableEnv
from scipy.stats import chisquare
from test_dqn_values import learner

from nenette_agents.algorithms.dqn.network import boltzmann, explored, greedy

SLOTS, STEPS = 16, 4000


def test_each_environment_draws_for_itself():
    generator = np.random.default_rng(0)
    # All play 0, which is legal but never picked at random in this setting: the other of two legal actions tells.
    masks = np.ones((SLOTS, 2), dtype=np.bool_)
    best = np.zeros(SLOTS, dtype=np.int64)
    changed = np.array([explored(best, masks, 0.5, generator) for _ in range(STEPS)])
    # Each explores half of the time and then picks action 1 half of the time: a quarter, independently.
    assert changed.mean() == pytest.approx(0.25, abs=0.01)
    assert changed.sum(axis=1).var() == pytest.approx(SLOTS * 0.25 * 0.75, rel=0.1)  # one draw for all: 5 times that
    correlations = np.corrcoef(changed.T) - np.eye(SLOTS)
    assert np.abs(correlations).max() < 5 / np.sqrt(STEPS)


def test_it_is_uniform_among_legal_actions():
    generator = np.random.default_rng(1)
    mask = np.array([False, True, True, False, True, False])
    masks = np.tile(mask, (SLOTS, 1))
    best = np.full(SLOTS, 2)
    played = np.concatenate([explored(best, masks, 1.0, generator) for _ in range(STEPS)])
    counts = np.bincount(played, minlength=len(mask))
    assert (counts[~mask] == 0).all()
    assert chisquare(counts[mask]).pvalue > 1e-3


@pytest.mark.parametrize(("rate", "share"), [(0.0, 0.0), (0.3, 0.3 * 2 / 3)])
def test_the_rate_is_the_share_of_decisions_that_are_replaced(rate, share):
    generator = np.random.default_rng(2)
    masks = np.tile([True, True, False, True], (SLOTS, 1))
    best = np.full(SLOTS, 3)
    played = np.concatenate([explored(best, masks, rate, generator) for _ in range(STEPS)])
    assert (played != 3).mean() == pytest.approx(share, abs=0.01)


def test_as_many_numbers_are_drawn_whatever_the_rate_and_the_masks():
    masks = np.array([[True, True], [True, False]])
    left = set()
    for rate, legal in ((0.0, masks), (1.0, masks), (0.5, ~masks | masks[:, ::-1])):
        generator = np.random.default_rng(3)
        explored(np.zeros(2, dtype=np.int64), legal, rate, generator)
        left.add(generator.random())
    assert len(left) == 1


def test_nothing_legal_is_an_error():
    with pytest.raises(ValueError, match="in environment 1 no action is legal"):
        explored(np.zeros(2, dtype=np.int64), np.array([[True], [False]]), 0.5, np.random.default_rng(0))


def test_the_greedy_choice_is_the_best_legal_one_even_where_all_values_are_negative():
    values = torch.tensor([[5.0, -3.0, -2.0], [-4.0, -1.0, -4.0]])
    masks = torch.tensor([[False, True, True], [True, False, True]])
    assert greedy(values, masks).tolist() == [2, 0]


@pytest.mark.parametrize(("learning_starts", "rate"), [(10**6, 0.0), (0, 1.0), (0, 0.3), (0, 0.0)])
def test_only_legal_actions_are_played_before_and_while_it_learns(learning_starts, rate):
    # Action s alone is legal in state s; the environment fails on any other.
    table = {state: {state: (0.0, (state + 1) % 5)} for state in range(5)}
    model = learner(TableEnv(table, actions=5, slots=3), learning_starts=learning_starts, exploration_final_eps=rate)
    model.learn(300)
    assert model.num_timesteps == 300
    assert model.replay_buffer.size() == 300 - 3


def test_all_legal_actions_are_tried_before_it_learns():
    table = {0: dict.fromkeys((0, 2, 3), (0.0, 0))}
    model = learner(TableEnv(table, actions=4, slots=3), learning_starts=10**6, exploration_final_eps=0.0)
    model.learn(303)
    actions = model.replay_buffer.sample(2000).actions.numpy().ravel()
    assert set(actions.tolist()) == {0, 2, 3}
    # Drawn with replacement from 300: the counts are those of the buffer within their noise.
    assert np.bincount(actions, minlength=4)[[0, 2, 3]].min() > 400


def test_what_is_valued_nearly_as_much_is_tried_nearly_as_often():
    values = torch.tensor([[0.0, 0.1, 0.25, 5.0]]).expand(STEPS, 4)
    legal = torch.tensor([[True, True, True, False]]).expand(STEPS, 4)
    noisy = boltzmann(values, 0.1, np.random.default_rng(0))
    counts = np.bincount(greedy(noisy, legal).numpy(), minlength=4)
    expected = STEPS * np.append(np.exp([0.0, 1.0, 2.5]) / np.exp([0.0, 1.0, 2.5]).sum(), 0.0)
    assert counts[3] == 0
    assert ((counts - expected)[:3] ** 2 / expected[:3]).sum() < 18.4  # chi-square, 2 degrees: one in 10,000


def test_a_learner_plays_by_its_temperature_unless_it_is_asked_for_the_best():
    model = learner(TableEnv({0: {0: (0.0, 0), 1: (0.0, 0)}}), exploration_temperature=0.5)
    model.exploration_rate = 0.0
    with torch.no_grad():
        model.q_net.q_net[0].weight.zero_()
        model.q_net.q_net[0].bias.copy_(torch.tensor([0.5, 0.0]))
    seen = np.zeros((STEPS, *model.observation_space.shape), dtype=np.float32)
    assert not model.predict(seen, deterministic=True)[0].any()
    second = int(model.predict(seen)[0].sum())
    probability = 1 / (1 + np.e)
    assert abs(second - STEPS * probability) < 4 * np.sqrt(STEPS * probability * (1 - probability))
    played = [model._choose(seen, np.ones((STEPS, 2), dtype=np.bool_), 0.0, temperature) for temperature in (0.5, 0.0)]
    assert (played[0].any(), played[1].any()) == (True, False)


def test_collecting_plays_by_the_temperature(monkeypatch):
    asked = set()
    model = learner(TableEnv({0: {0: (0.0, 0), 1: (0.0, 0)}}), exploration_temperature=0.5)
    choose = model._choose
    monkeypatch.setattr(model, "_choose", lambda *given: asked.add(given[3]) or choose(*given))
    model.learn(20)
    assert asked == {0.5}
