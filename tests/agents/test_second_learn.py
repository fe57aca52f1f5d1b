"""A second call of `learn` has nothing to do with the games that the first one left unfinished."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from made_up_learning import END, TableEnv
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor
from test_dqn_values import learner

from nenette_agents.algorithms.turn_ppo import OwnDecisionsBuffer, TurnMaskedPPO
from nenette_agents.environments.vec_env import NativeVecEnv

CHAIN = {state: {0: (float(state), state + 1 if state < 3 else END)} for state in range(4)}


def transitions(model: Any) -> set[tuple[int, int | None, float]]:
    """From where to where (None: the end), and what was paid."""
    batch = model.replay_buffer._get_samples(np.arange(model.replay_buffer.size()))
    now, then = (rows.argmax(dim=1).tolist() for rows in (batch.observations, batch.next_observations))
    over, paid = (batch.discounts == 0).ravel().tolist(), batch.returns.ravel().tolist()
    return {(a, None if end else b, r) for a, b, end, r in zip(now, then, over, paid, strict=True)}


@pytest.mark.parametrize("n_steps", [1, 2])
@pytest.mark.parametrize("begins_anew", ["reset", "new environments"])
def test_no_transition_leads_from_one_call_into_the_next(n_steps, begins_anew):
    model = learner(TableEnv(CHAIN, actions=1), n_steps=n_steps, learning_starts=10**6)
    model.learn(3 * 4)  # each slot stands at state 3, and has not decided there
    before = model.replay_buffer.size()
    if begins_anew == "new environments":
        model.set_env(TableEnv(CHAIN, actions=1))
    model.learn(8 * 4, reset_num_timesteps=begins_anew == "reset")
    assert model.replay_buffer.size() == before + 8 * 4  # two whole games of each slot
    expected = {
        1: {(0, 1, 0.0), (1, 2, 1.0), (2, 3, 2.0), (3, None, 3.0)},
        2: {(0, 2, 0.5), (1, 3, 2.0), (2, None, 3.5), (3, None, 3.0)},
    }
    assert transitions(model) == expected[n_steps]


def test_a_call_that_goes_on_loses_nothing():
    model = learner(TableEnv(CHAIN, actions=1), learning_starts=10**6)
    model.learn(3 * 4)
    model.learn(5 * 4, reset_num_timesteps=False)
    assert model.replay_buffer.size() == 8 * 4
    assert transitions(model) == {(0, 1, 0.0), (1, 2, 1.0), (2, 3, 2.0), (3, None, 3.0)}


def test_exploration_begins_anew_too():
    model = learner(TableEnv(CHAIN, actions=1), exploration_fraction=1.0, exploration_final_eps=0.0)
    rates = []
    choose = model._choose
    model._choose = lambda *given: rates.append(given[2]) or choose(*given)  # type: ignore[method-assign]
    model.learn(16)
    model.learn(16)
    assert rates == [1.0, 0.75, 0.5, 0.25] * 2


def test_random_play_ends_with_the_decisions_before_learning_starts():
    model = learner(TableEnv(CHAIN, actions=1), exploration_final_eps=0.25, learning_starts=8)
    rates = []
    choose = model._choose
    model._choose = lambda *given: rates.append(given[2]) or choose(*given)  # type: ignore[method-assign]
    model.learn(16)
    assert rates == [1.0, 1.0, 0.25, 0.25]


class Stop(BaseCallback):
    """Ends the learning after so many steps of the environments, and knows what was seen last."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.left = steps

    def _on_step(self) -> bool:
        self.left -= 1
        self.seen, self.ends = self.locals["new_obs"], self.locals["dones"]
        return self.left > 0


@pytest.fixture
def turn_masked(monkeypatch):
    """PPO in self-play, and how many decisions it has learned from, rollout by rollout."""
    native: Any = gym.make_vec("nenette/DemiIles-v0", num_envs=8, seats="all", autoreset_mode="SameStep", max_turns=40)
    env = VecMonitor(NativeVecEnv(native.unwrapped))
    model = TurnMaskedPPO("MlpPolicy", env, n_steps=33, batch_size=32, n_epochs=1, seed=0, device="cpu")
    learned: list[int] = []
    compute = OwnDecisionsBuffer.compute_returns_and_advantage

    def counted(self: OwnDecisionsBuffer, *given: Any) -> None:
        compute(self, *given)
        learned.append(self.decisions)

    monkeypatch.setattr(OwnDecisionsBuffer, "compute_returns_and_advantage", counted)
    return model, learned


@pytest.mark.parametrize("begins_anew", [True, False])
def test_decisions_that_wait_are_learned_from_only_if_their_games_go_on(turn_masked, begins_anew):
    model, learned = turn_masked
    model.learn(132)
    waited = int(model.rollout_buffer._waits.sum())
    assert waited
    model.learn(132, reset_num_timesteps=begins_anew)
    now_wait = int(model.rollout_buffer._waits.sum())
    assert learned[1] == 132 - now_wait + (0 if begins_anew else waited)


def test_after_a_callback_has_stopped_a_rollout_what_it_played_is_neither_learned_nor_skipped(turn_masked):
    model, learned = turn_masked
    model.learn(132)
    assert model.rollout_buffer._waits.any()
    stop = Stop(20)
    model.learn(132, callback=stop, reset_num_timesteps=False)
    np.testing.assert_array_equal(model._last_obs, stop.seen)
    np.testing.assert_array_equal(model._last_episode_starts, stop.ends)
    model.learn(132, reset_num_timesteps=False)
    assert len(learned) == 2
    assert learned[1] == 132 - int(model.rollout_buffer._waits.sum())
