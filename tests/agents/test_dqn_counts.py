"""What counts as a step: a decision, and no pass."""

from typing import Any

import pytest
import torch
from made_up_learning import END, TableEnv
from stable_baselines3.common.callbacks import BaseCallback
from test_dqn_values import learner

PASS = 2
TURNS = {0: {0: (1.0, 1), 1: (0.0, 1)}, 1: {PASS: (0.0, 0)}}
"""Whoever has moved passes, and moves again."""


class Renewals(BaseCallback):
    """Notes at which steps the target network is the online one; that changes with each update."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[int] = []

    def _on_step(self) -> bool:
        model: Any = self.model
        if torch.equal(model._online.weights, model._target.weights):
            self.at.append(model.num_timesteps)
        return True


def test_passes_are_no_steps() -> None:
    env = TableEnv(TURNS, actions=3, starts=(0, 1))
    model = learner(env, pass_action=PASS, learning_starts=10**6)
    model.learn(40)
    assert model.num_timesteps == 40
    assert env.steps == 20  # two of the four slots decide in each
    assert model.replay_buffer.size() == 36  # two decisions are not over, and the two before wait for the next turn


@pytest.mark.parametrize(("interval", "expected"), [(10, [10, 20, 30, 40]), (5, [10, 16, 20, 26, 30, 36, 40])])
def test_the_target_network_is_renewed_every_so_many_decisions(interval, expected) -> None:
    model = learner(
        TableEnv(TURNS, actions=3, starts=(0, 1)), pass_action=PASS, target_update_interval=interval, learning_rate=0.1
    )
    renewals = Renewals()
    model.learn(40, callback=renewals)
    assert [step for step in renewals.at if step > 6] == expected  # before it learns they are the same


def test_the_loss_that_is_shown_is_the_mean_of_the_gradient_steps() -> None:
    model = learner(TableEnv({0: {0: (100.0, END)}}, actions=1), learning_starts=10**6)
    model.learn(40)
    shown: dict[str, float] = {}
    model.logger.record = lambda name, value, **more: shown.update({name: value})  # type: ignore[method-assign]
    model.lr_schedule = lambda left: 0.0  # type: ignore[method-assign]
    model.train(4, batch_size=8)
    assert shown["train/loss"] == pytest.approx(100 - float(model.q_net(torch.ones(1, 1)).detach()) - 0.5, rel=1e-4)


def test_a_renewed_target_network_goes_a_share_of_the_way() -> None:
    model = learner(TableEnv(TURNS, actions=3), tau=0.25, learning_starts=10**6, target_update_interval=4)
    with torch.no_grad():
        model._online.weights.fill_(1.0)
        model._target.weights.fill_(0.0)
    model.learn(4)
    assert model._target.weights.unique().tolist() == [0.25]
