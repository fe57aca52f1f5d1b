"""Hands that tremble: how often, to what, and never to what is not legal."""

import gymnasium as gym
import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecEnvWrapper

from nenette_agents.config.loading import load_config
from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.environments.wrappers import TremblingHands
from nenette_agents.training.build import build


class Recorder(VecEnvWrapper):
    """Remembers what was asked of the environments, and what was legal."""

    def __init__(self, venv):
        super().__init__(venv)
        self.played, self.legal = [], []

    def reset(self):
        return self.venv.reset()

    def step_async(self, actions):
        self.played.append(np.array(actions))
        self.legal.append(self.venv.env.action_masks())
        self.venv.step_async(actions)

    def step_wait(self):
        return self.venv.step_wait()


def recorded(share, seats, steps=400, seed=5):
    """What came of the lowest legal action in all slots at all steps: chosen, played and legal, (steps, slots, …)."""
    options = {"seats": "all"} if seats else {"opponents": "random"}
    native = NativeVecEnv(gym.make_vec("nenette/421-v0", num_envs=64, autoreset_mode="SameStep", **options))
    recorder = Recorder(native)
    trembling = TremblingHands(recorder, share, seed)
    trembling.seed(3)
    trembling.reset()
    chosen = []
    for _ in range(steps):
        chosen.append(native.env.action_masks().argmax(axis=1))
        trembling.step(chosen[-1])
    return np.array(chosen), np.array(recorder.played), np.array(recorder.legal)


@pytest.mark.parametrize("seats", [False, True])
def test_slips_are_as_frequent_as_asked_for_uniform_and_legal(seats):
    chosen, played, legal = recorded(0.3, seats)
    assert np.take_along_axis(legal, played[..., None], axis=2).all()
    free = legal.sum(axis=2) == (8 if not seats else legal.sum(axis=2).max())
    n = free.sum()
    assert n > 1000
    # A slip may fall on the chosen action: of k legal ones, it is played with 1 - share + share / k.
    k = int(legal.sum(axis=2)[free][0])
    counts = np.bincount((played - chosen)[free], minlength=k)[:k]
    expected = np.full(k, 0.3 / k * n)
    expected[0] += 0.7 * n
    assert ((counts - expected) ** 2 / expected).sum() < 30  # chi-square, 7 degrees of freedom: one in 10,000
    assert (played == chosen)[legal.sum(axis=2) == 1].all()


def test_a_steady_hand_never_slips():
    chosen, played, _ = recorded(0.0, seats=False, steps=50)
    np.testing.assert_array_equal(chosen, played)


def test_slips_follow_from_the_seed_and_go_on_from_a_state():
    _, first, _ = recorded(0.5, seats=True, steps=30)
    _, again, _ = recorded(0.5, seats=True, steps=30)
    _, other, _ = recorded(0.5, seats=True, steps=30, seed=6)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    native = NativeVecEnv(gym.make_vec("nenette/421-v0", num_envs=8, autoreset_mode="SameStep", opponents="random"))
    here, there = TremblingHands(native, 0.5, 1), TremblingHands(native, 0.5, 2)
    here.reset()
    here.step(np.zeros(8, dtype=np.int64))
    there.load_state(here.state())
    assert there.state()["rng"] == here.state()["rng"]
    np.testing.assert_array_equal(there.state()["left"], here.state()["left"])
    with pytest.raises(ValueError, match=r"left is int64 \(3,\), and int64 \(8,\) is expected"):
        there.load_state({**here.state(), "left": np.zeros(3, dtype=np.int64)})


def test_openings_are_random_as_long_as_they_last_and_each_length_is_as_likely():
    """Where slots' games last for ever, all that is random is the opening of the first."""

    class Endless(VecEnvWrapper):
        def reset(self):
            return self.venv.reset()

        def step_async(self, actions):
            self.actions = np.array(actions)

        def step_wait(self):
            return np.zeros(self.num_envs), np.zeros(self.num_envs), self.ends, [{}] * self.num_envs

    native = NativeVecEnv(
        gym.make_vec("nenette/DemiIlesSolo-v0", num_envs=3000, autoreset_mode="SameStep", max_turns=None)
    )
    endless = Endless(native)
    endless.ends = np.zeros(3000, dtype=np.bool_)
    trembling = TremblingHands(endless, 0.0, 5, opening=4)
    trembling.reset()
    random = []
    for step in range(12):
        left = trembling.state()["left"]
        random.append(left > 0)
        endless.ends[:] = step == 5  # all games end, and others begin
        trembling.step(np.zeros(3000, dtype=np.int64))
        replaced = endless.actions != 0
        assert not replaced[left == 0].any()
        if (left > 0).any():
            assert replaced[left > 0].mean() == pytest.approx(
                2 / 3, abs=0.06
            )  # of three actions, one is the chosen one
    for lengths in (np.sum(random[:6], axis=0), np.sum(random[6:], axis=0)):
        counts = np.bincount(lengths, minlength=5)
        assert len(counts) == 5
        assert ((counts - 600) ** 2 / 600).sum() < 25  # chi-square, 4 degrees of freedom: less than one in 10,000


def test_the_config_asks_for_it(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("{game: demi-iles, algorithm: ppo, opponents: [self], tremble: {share: 0.25, opening_moves: 7}}")
    environments = build(load_config(path)).environments
    assert isinstance(environments, TremblingHands)
    environments.reset()
    assert set(environments.state()["left"]) <= set(range(8))
    path.write_text("{game: demi-iles, algorithm: ppo, opponents: [self]}")
    assert not isinstance(build(load_config(path)).environments, TremblingHands)


def test_dqn_learns_from_the_actions_that_were_played(small_config, monkeypatch):
    overrides = [
        "tremble.share=0.5",
        "rewards.scale=2.0",
        "dqn.exploration_final_eps=0.0",
        "dqn.exploration_fraction=0.0",
    ]
    config = load_config(small_config("421-dqn"), [*overrides, "dqn.learning_starts=0", "n_envs=1"])
    model = build(config).learner
    chosen, played = [], []
    step, choose = NativeVecEnv.step_async, model._choose
    monkeypatch.setattr(NativeVecEnv, "step_async", lambda env, actions: (played.append(actions), step(env, actions)))
    monkeypatch.setattr(model, "_choose", lambda *given: chosen.append(choose(*given)) or chosen[-1])
    model.learn(200)
    assert 0.2 < np.mean(np.array(chosen) != np.array(played)) < 0.5  # a slip may fall on what was chosen
    size = model.replay_buffer.size()  # the last decision waits for what comes of it
    np.testing.assert_array_equal(model.replay_buffer._actions[:size], np.concatenate(played)[:size])
