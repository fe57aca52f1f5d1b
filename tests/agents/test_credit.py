"""Credit: each seat learns from what it is paid itself, whoever ends the game.

The classic mistake of turn-based self-play is to pay a seat what another one has earned; such an agent loses to a
random player, from one seat or from both.
"""

import io
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from rich.console import Console
from stable_baselines3.common.vec_env import VecMonitor

from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
from nenette_agents.config.loading import load_config
from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.training.run import train

GAMES = {
    "demi-iles": "game: demi-iles\ntotal_timesteps: 8192\n",
    "421": "game: 421\nrules: {fiches: 3, manches_to_lose: 1}\ntotal_timesteps: 12288\n",
}
SETTINGS = (
    "algorithm: ppo\nopponents: self\nn_envs: 16\nnetwork: {net_arch: [32]}\nevaluation: {against: random}\n"
    "ppo: {learning_rate: 3e-3, n_steps: 64, batch_size: 128, n_epochs: 5, gamma: 0.95, gae_lambda: 0.9}\n"
)


def _values(tmp_path: Any, game: str) -> list[float]:
    """Exact values against a random player, from each seat, after a short training against itself."""
    path = tmp_path / "c.yaml"
    path.write_text(GAMES[game] + SETTINGS)
    last = train(load_config(path), tmp_path, "credit", Console(file=io.StringIO())).last
    assert last is not None
    assert last["exact"]
    return list((last.get("endless") or last)["value_by_seat"])  # to the end, where the game that is played is cut


@pytest.mark.parametrize("game", GAMES)
def test_one_policy_for_all_seats_beats_a_random_player_from_each(tmp_path, game):
    assert min(_values(tmp_path, game)) > {"demi-iles": 0.8, "421": 0.1}[game]


def test_one_that_is_paid_what_the_other_seat_has_earned_loses(tmp_path, monkeypatch):
    step_wait = NativeVecEnv.step_wait

    def swapped(self):
        observations, rewards, dones, infos = step_wait(self)
        return observations, rewards.reshape(-1, 2)[:, ::-1].ravel().copy(), dones, infos

    monkeypatch.setattr(NativeVecEnv, "step_wait", swapped)
    assert max(_values(tmp_path, "demi-iles")) < 0


class _Recorded(NativeVecEnv):
    """Keeps what it has given."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.recorded: list[tuple[Any, Any, Any]] = []

    def step_wait(self) -> Any:
        passes = self._actions == self.env.game.n_actions
        observations, rewards, dones, infos = super().step_wait()
        self.recorded.append((passes, rewards.copy(), dones))
        return observations, rewards, dones, infos


@pytest.mark.parametrize(
    ("env_id", "rules"), [("nenette/DemiIles-v0", {"max_turns": None}), ("nenette/421-v0", {"fiches": 3})]
)
def test_every_decision_of_a_finished_game_returns_what_its_seat_was_paid_at_the_end(env_id, rules):
    env = _Recorded(gym.make_vec(env_id, num_envs=6, seats="all", autoreset_mode="SameStep", **rules).unwrapped)
    settings = {"n_steps": 600, "batch_size": 64, "n_epochs": 1, "gamma": 1.0, "gae_lambda": 1.0, "learning_rate": 0.0}
    model = TurnMaskedPPO("MlpPolicy", VecMonitor(env), seed=0, device="cpu", **settings)
    model.learn(600)
    decided = np.zeros(6, dtype=int)
    expected: dict[float, int] = {}
    for passes, rewards, dones in env.recorded:
        decided += ~passes
        for slot in np.flatnonzero(dones):
            pay = round(float(rewards[slot]), 4)
            expected[pay] = expected.get(pay, 0) + decided[slot]
            decided[slot] = 0
    assert min(expected) < 0 < max(expected)
    returns = np.round(model.rollout_buffer.returns, 4).tolist()
    for pay, decisions in expected.items():
        assert returns.count(pay) == decisions
    assert len(returns) - sum(expected.values()) <= decided.sum()
