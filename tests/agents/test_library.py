"""The learners in environments that nobody here wrote, in stable-baselines3's own style, and from programs."""

import asyncio
import copy
import functools
import os
import pickle
import subprocess
import sys
import threading
import zipfile
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib.common.envs import InvalidActionEnvDiscrete
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import CheckpointCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.envs import IdentityEnv
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import nenette_agents
from nenette_agents import FinalMasks, MaskedDQN, MasksFromInfos, TurnMaskedPPO, load_config, train
from nenette_agents.algorithms.saving import read_zip, write_zip

TABLE: dict[str, Any] = {"policy_kwargs": {"net_arch": []}, "seed": 0, "device": "cpu"}
DQN: dict[str, Any] = {
    **TABLE,
    "learning_rate": 0.05,
    "learning_starts": 0,
    "gamma": 0.4,
    "train_freq": 2,
    "buffer_size": 1000,
    "target_update_interval": 50,
    "exploration_fraction": 0.5,
}
PPO_SETTINGS: dict[str, Any] = {**TABLE, "learning_rate": 0.05, "n_steps": 64, "n_epochs": 4, "gamma": 0.4}


class Watched(gym.Wrapper):
    """Fails where an action is played that the last mask forbids."""

    def reset(self, **given):
        observation, info = self.env.reset(**given)
        self.mask = info["action_mask"]
        return observation, info

    def step(self, action):
        assert self.mask[action]
        *rest, info = self.env.step(action)
        self.mask = info["action_mask"]
        return *rest, info


def taxi() -> gym.Env:
    return gym.wrappers.TimeLimit(Watched(gym.make("Taxi-v4").unwrapped), 20)


def invalid() -> InvalidActionEnvDiscrete:
    np.random.seed(0)  # noqa: NPY002  by which it chooses what is not legal
    return InvalidActionEnvDiscrete(dim=6, n_invalid_actions=3)


def tictactoe(n_games: int) -> Any:
    pytest.importorskip("pettingzoo", reason="an extra that is not installed here")
    pytest.importorskip("pygame", reason="pettingzoo's classic games need pygame, which is not installed here")
    from pettingzoo.classic.tictactoe.tictactoe import env

    return nenette_agents.PettingZooVecEnv(env, n_games)


def test_dqn_learns_what_stable_baselines3_tests_its_own_with():
    env = DummyVecEnv([lambda: IdentityEnv(6)])
    model = MaskedDQN("MlpPolicy", env, **DQN).learn(600)
    assert evaluate_policy(model, env, n_eval_episodes=2, warn=False)[0] == 100


@pytest.mark.parametrize("kind", [MaskedDQN, TurnMaskedPPO])
def test_an_environment_with_masks_of_its_own_is_learned(kind):
    settings = DQN if kind is MaskedDQN else {**PPO_SETTINGS, "pass_action": None}
    model = kind("MlpPolicy", invalid(), **settings).learn(600)
    masks = 1 - np.eye(6, k=1)[:, :6]  # of each state, one action that is not its own is forbidden
    actions, _ = model.predict(np.arange(6), action_masks=masks, deterministic=True)
    np.testing.assert_array_equal(actions, np.arange(6))


def test_masks_are_found_in_infos_and_at_time_outs():
    model = MaskedDQN("MlpPolicy", make_vec_env(taxi, n_envs=2), **{**DQN, "learning_starts": 10**6}).learn(200)
    buffer = model.replay_buffer
    assert buffer.size() == 200  # none was lost at a time-out, of which there were ten
    batch = buffer._get_samples(np.arange(200))
    states = batch.next_observations.argmax(dim=1).numpy()
    env: Any = gym.make("Taxi-v4").unwrapped
    expected = np.array([env.action_mask(state) for state in states.tolist()])
    goes_on = (batch.discounts > 0).numpy().ravel()
    np.testing.assert_array_equal(batch.next_masks.numpy()[goes_on], expected[goes_on] == 1)
    assert 0 < expected.mean() < 1


def test_ppo_finds_masks_in_infos_too():
    TurnMaskedPPO("MlpPolicy", taxi(), pass_action=None, **PPO_SETTINGS).learn(64)  # `Watched` sees to it


class Telling(IdentityEnv):
    """Tells masks as its subclass says."""

    masks: Any = None

    def reset(self, **given):
        return super().reset(**given)[0], dict(self.masks[0])

    def step(self, action):
        return *super().step(action)[:4], dict(self.masks[1])


@pytest.mark.parametrize(
    ("masks", "sentence"),
    [
        (({"action_mask": [1, 1]}, {}), "environment 0 has no action_mask after step, and others have one"),
        (({}, {"action_mask": [1, 1]}), "environment 0 has an action_mask after step, and others have none"),
        (({"action_mask": [1, 1, 1]}, {}), r"environment 0 has the shape \(3,\), and \(2,\) is expected"),
    ],
)
def test_masks_that_come_and_go_are_refused(masks, sentence):
    env = type("Told", (Telling,), {"masks": masks})(2)
    with pytest.raises(ValueError, match=sentence):
        MaskedDQN("MlpPolicy", env, **DQN).learn(4)


def test_an_environment_without_masks_is_none_for_turn_masked_ppo():
    with pytest.raises(ValueError, match="TurnMaskedPPO needs masks: by an action_masks"):
        TurnMaskedPPO("MlpPolicy", IdentityEnv(3), **PPO_SETTINGS).learn(64)


def test_masks_from_infos_are_what_sb3_contrib_asks_for():
    env = MasksFromInfos(make_vec_env(taxi, n_envs=2, seed=1))
    assert not env.has_attr("action_masks")
    env.reset()
    assert env.has_attr("action_masks")
    (mask,) = env.env_method("action_masks", indices=1)
    np.testing.assert_array_equal(mask, env.unwrapped.envs[1].get_wrapper_attr("mask") == 1)
    np.testing.assert_array_equal(env.action_masks()[1], mask)


def test_self_play_of_a_game_of_pettingzoo_is_learned():
    env = tictactoe(8)
    settings = {"n_steps": 32, "batch_size": 64, "n_epochs": 4, "learning_rate": 3e-3, "seed": 0, "device": "cpu"}
    model = TurnMaskedPPO("MlpPolicy", env, policy_kwargs={"net_arch": [64]}, **settings).learn(2500)
    rng, against = np.random.default_rng(0), tictactoe(300)
    against.seed(0)
    seen, won, left = against.reset(), np.zeros(600), np.ones(600, dtype=bool)
    while left.any():
        masks = against.action_masks()
        ours, _ = model.predict(seen, action_masks=masks, deterministic=True)
        actions = np.where(np.arange(600) % 2 == 0, ours, (rng.random(masks.shape) * masks).argmax(axis=1))
        seen, rewards, dones, _ = against.step(actions)
        np.testing.assert_array_equal(rewards[::2], -rewards[1::2])
        won += np.where(left, rewards, 0)
        left &= ~dones
    assert won[::2].mean() > 0.45  # 0.29 where the one that begins plays at random, too; a deviation of 0.05


def test_dqn_learns_only_from_own_decisions_of_such_a_game():
    env = VecMonitor(tictactoe(4))
    model = MaskedDQN("MlpPolicy", env, pass_action=9, n_steps=2, **{**DQN, "learning_starts": 10**6}).learn(100)
    batch = model.replay_buffer._get_samples(np.arange(model.replay_buffer.size()))
    assert not (batch.actions == 9).any()
    assert not batch.next_masks[batch.discounts.ravel() > 0][:, 9].any()
    assert {-1.0, 1.0} <= set(batch.returns.ravel().round(decimals=3).tolist())
    np.testing.assert_array_equal(np.sort(np.unique(batch.observations)), [0, 1])


class Cut:
    """A game of two seats that is always truncated after its second move."""

    possible_agents = ("a", "b")

    def observation_space(self, agent):
        return gym.spaces.Discrete(2)

    def action_space(self, agent):
        return gym.spaces.Discrete(2)

    def reset(self, seed=None):
        self.agents, self.moves, self.agent_selection = ["a", "b"], 0, "a"
        self.terminations = dict.fromkeys("ab", False)
        self.truncations = dict.fromkeys("ab", False)
        self.rewards, self.infos = dict.fromkeys("ab", 0.0), {"a": {"action_mask": [0, 1]}, "b": {}}

    def step(self, action):
        self.moves += 1
        self.rewards = {"a": 0.5, "b": -0.5}
        self.agent_selection = "b" if self.agent_selection == "a" else "a"
        self.truncations = dict.fromkeys("ab", self.moves == 2)

    def observe(self, agent):
        return int(agent == "b")


def test_a_truncated_game_says_who_would_have_moved():
    env = nenette_agents.PettingZooVecEnv(Cut, 2)
    env.reset()
    np.testing.assert_array_equal(env.action_masks(), [[False, True, False], [False, False, True]] * 2)
    env.step(np.array([1, 2, 1, 2]))
    np.testing.assert_array_equal(env.action_masks(), [[False, False, True], [True, True, False]] * 2)
    _, rewards, dones, infos = env.step(np.array([2, 0, 2, 0]))
    np.testing.assert_array_equal(rewards, [0.5, -0.5] * 2)
    assert dones.all()
    assert [info["slots_to_mover"] for info in infos] == [0, -1, 0, -1]
    assert all(info["TimeLimit.truncated"] and info["players"] == 2 for info in infos)
    np.testing.assert_array_equal(infos[1]["action_mask"], [False, False, True])
    TurnMaskedPPO("MlpPolicy", env, **{**PPO_SETTINGS, "n_steps": 4}).learn(8)


def test_a_truncated_game_that_does_not_say_so_is_refused():
    env = nenette_agents.PettingZooVecEnv(Cut, 1)
    model = TurnMaskedPPO("MlpPolicy", env, **PPO_SETTINGS)
    infos = [{"TimeLimit.truncated": True, "terminal_observation": 0, "action_mask": [0, 0, 1]}]
    with pytest.raises(ValueError, match="truncated at another seat's turn: players and slots_to_mover are expected"):
        model._go_on(np.zeros(1, dtype=np.float32), np.array([0]), infos)


def test_a_truncated_game_goes_on_with_the_value_of_its_mover_shared_by_the_others():
    model = TurnMaskedPPO("MlpPolicy", nenette_agents.PettingZooVecEnv(Cut, 2), **PPO_SETTINGS)
    with torch.no_grad():
        for parameter in model.policy.value_net.parameters():
            parameter.copy_(torch.arange(1.0, 1.0 + parameter.numel()).view_as(parameter))
        values = model.policy.predict_values(torch.arange(2)).ravel().numpy()
    seats = [{"terminal_observation": seat % 2, "players": 3, "TimeLimit.truncated": True} for seat in range(3)]
    infos = [{**info, "slots_to_mover": 1 - seat} for seat, info in enumerate(seats)]
    over = {"terminal_observation": 0, "TimeLimit.truncated": False}
    rewards = np.array([1, 1, 1, 1], dtype=np.float32)
    model._go_on(rewards, np.arange(4), [*infos, over])
    worth = 0.4 * values[1]  # the discount is 0.4, and slot 1 would have been to move
    np.testing.assert_allclose(rewards, [1 - worth / 2, 1 + worth, 1 - worth / 2, 1], rtol=1e-6)


LEARNERS = {
    "dqn": functools.partial(
        MaskedDQN,
        **{**DQN, "policy_kwargs": {"net_arch": [8], "activation_fn": torch.nn.Tanh}},
        n_steps=2,
        averaged=True,
        double=True,
        loss="squared",
        priorities={"alpha": 0.5},
    ),
    "ppo": functools.partial(
        TurnMaskedPPO,
        **{**PPO_SETTINGS, "learning_rate": LinearSchedule(0.1, 0.0, 1.0), "pass_action": None, "clip_range": 0.3},
    ),
}


def played(model: Any) -> list[int]:
    torch.manual_seed(5)
    masks = np.ones((40, 6), dtype=bool)
    return [*model.predict(np.arange(40) % 6, action_masks=masks)[0]]


def weights(model: Any) -> dict[str, bytes]:
    return {name: tensor.numpy().tobytes() for name, tensor in model.policy.state_dict().items()}


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_saved_learner_predicts_and_goes_on_alike(kind, tmp_path):
    model = LEARNERS[kind]("MlpPolicy", make_vec_env(invalid, wrapper_class=FinalMasks))
    model.learn(150)
    model.save(tmp_path / "folder" / "mine")
    assert zipfile.is_zipfile(tmp_path / "folder" / "mine.zip")
    again = type(model).load(tmp_path / "folder" / "mine", device="cpu")
    assert weights(again) == weights(model)
    assert played(again) == played(model)
    assert (again.num_timesteps, again.gamma, again.seed) == (model.num_timesteps, 0.4, 0)
    twins = [type(model).load(tmp_path / "folder" / "mine.zip", invalid(), device="cpu") for _ in range(2)]
    for twin in twins:
        if kind == "dqn":
            model.save_replay_buffer(tmp_path / "buffer.zip")
            twin.load_replay_buffer(tmp_path / "buffer.zip")
            assert twin.replay_buffer.size() == model.replay_buffer.size()
            assert (twin.n_steps, twin.loss, twin.priorities.alpha, twin.averaged) == (2, "squared", 0.5, True)
        before = weights(twin)
        torch.manual_seed(7)
        twin.set_env(invalid())
        twin.action_space.seed(0)
        np.random.seed(3)  # noqa: NPY002
        twin.env.seed(4)
        twin.learn(100, reset_num_timesteps=False)
        assert twin.num_timesteps > model.num_timesteps
        assert weights(twin) != before
    state = twins[0].policy.optimizer.state_dict()["state"][0]
    assert float(state["step"]) > float(model.policy.optimizer.state_dict()["state"][0]["step"]) > 0


def without_copies(model: Any) -> Any:
    """As Ray does it: arrays lie in memory that cannot be written to."""
    arrays: list[pickle.PickleBuffer] = []
    text = pickle.dumps(model, protocol=5, buffer_callback=arrays.append)
    return pickle.loads(text, buffers=[bytes(array) for array in arrays])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), without_copies])
def test_a_copy_of_dqn_learns_on(copied):
    model = LEARNERS["dqn"]("MlpPolicy", invalid()).learn(100)
    env, model.env = model.env, None
    twin = copied(model)
    twin.env = model.env = env
    before = weights(twin)
    assert before == weights(model)
    twin.replay_buffer.forget_unfinished()
    twin.train(3, 16)
    assert weights(model) == before  # it shares nothing with its copy,
    after = weights(twin)
    assert after["q_net.q_net.0.weight"] != before["q_net.q_net.0.weight"]  # whose networks are what is learned
    assert after["q_net_average.q_net.0.weight"] != before["q_net_average.q_net.0.weight"]
    assert after["q_net_target.q_net.0.weight"] == before["q_net_target.q_net.0.weight"]


def test_what_a_file_has_no_words_for_is_asked_for(tmp_path):
    model = MaskedDQN("MlpPolicy", IdentityEnv(3), **{**DQN, "learning_rate": lambda left: left})
    model.save(tmp_path / "m.zip")
    with pytest.raises(ValueError, match=r"no words for learning_rate: give what it was, as in MaskedDQN.load\(path"):
        MaskedDQN.load(tmp_path / "m.zip")
    assert MaskedDQN.load(tmp_path / "m.zip", learning_rate=0.5).learning_rate == 0.5
    with pytest.raises(ValueError, match=r"m.zip holds a MaskedDQN, and a TurnMaskedPPO is expected"):
        TurnMaskedPPO.load(tmp_path / "m.zip")
    with pytest.raises(ValueError, match="spaces do not match"):
        MaskedDQN.load(tmp_path / "m.zip", IdentityEnv(4), learning_rate=0.5)


def test_a_file_of_stable_baselines3_is_not_unpickled(tmp_path):
    PPO("MlpPolicy", IdentityEnv(3), device="cpu").save(tmp_path / "p.zip")
    with pytest.raises(ValueError, match="stable-baselines3's own zip, which holds pickles and is not read here"):
        MaskedDQN.load(tmp_path / "p.zip")
    (tmp_path / "q.zip").write_bytes(b"PK")
    with pytest.raises(ValueError, match=r"q\.zip was not written by save\(\), or is damaged"):
        MaskedDQN.load(tmp_path / "q.zip")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
def test_what_is_no_file_of_a_learner_is_refused_and_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "fifo.zip")
    with pytest.raises(ValueError, match=r"fifo\.zip is not a regular file$"):
        read_zip(tmp_path / "fifo")
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as file:
        file.writestr("learner.json", '{"format": 1, "format": 2}')
        file.writestr("tensors.safetensors", b"")
    with pytest.raises(ValueError, match=r"twice\.zip was not written by save\(\): learner\.json "):
        read_zip(tmp_path / "twice.zip")
    write_zip(tmp_path / "fifo", {}, {})  # a file takes its place: nothing is written into it
    assert (tmp_path / "fifo.zip").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fifo.zip", "twice.zip"]


def test_callbacks_of_both_libraries_work(tmp_path):
    model = LEARNERS["dqn"]("MlpPolicy", invalid())
    evaluation = MaskableEvalCallback(
        make_vec_env(invalid), eval_freq=50, n_eval_episodes=1, best_model_save_path=str(tmp_path), verbose=0
    )
    model.learn(100, callback=[evaluation, CheckpointCallback(50, str(tmp_path), save_replay_buffer=True)])
    assert evaluation.best_mean_reward > 0
    best = MaskedDQN.load(tmp_path / "best_model", device="cpu")
    assert best.num_timesteps in (50, 100)
    assert MaskedDQN.load(tmp_path / "rl_model_100_steps.zip", device="cpu").num_timesteps == 100
    model.load_replay_buffer(tmp_path / "rl_model_replay_buffer_100_steps.pkl")


def test_nothing_heavy_is_imported_before_it_is_used():
    program = (
        "import sys, nenette_agents; assert 'MaskedDQN' in dir(nenette_agents); "
        "print(sorted({'torch', 'numpy', 'gymnasium', 'stable_baselines3'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="has no attribute 'MaskedPPO'"):
        nenette_agents.MaskedPPO  # noqa: B018
    assert all(getattr(nenette_agents, name) for name in nenette_agents.__all__)


def test_without_torch_what_to_install_is_said(monkeypatch):
    monkeypatch.delitem(sys.modules, "nenette_agents.algorithms.turn_ppo")
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    for name in [name for name in sys.modules if name.startswith("nenette_agents.algorithms.turn_ppo")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ValueError, match=r"nenette_agents.TurnMaskedPPO needs the extra 'train', and sb3_contrib is"):
        nenette_agents.TurnMaskedPPO  # noqa: B018


@pytest.mark.parametrize("where", ["a thread", "a notebook"])
def test_a_training_runs_where_programs_run(where, small_config, tmp_path):
    config = load_config(small_config("421-dqn"), ["total_timesteps=96"])
    found: list[Any] = []

    def work() -> None:
        found.append(train(config, runs=tmp_path))

    if where == "a thread":
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:  # where an event loop is running

        async def cell() -> None:
            work()

        asyncio.run(cell())
    assert found[0].status == "finished"
    assert found[0].folder.name == "421-dqn-seed0"


def test_configs_of_the_package_are_found_by_name():
    assert load_config("421-ppo", ["total_timesteps=1e5"], seed=3).seed == 3
    with pytest.raises(ValueError, match="did you mean '421-ppo'"):
        load_config("421-pp")


def test_a_worker_of_ray_learns_and_is_handed_a_learner():
    ray = pytest.importorskip("ray", reason="Ray is heavy and no package of this project: tried with it by hand")
    ray.init(num_cpus=1, include_dashboard=False)

    @ray.remote
    def work(model: MaskedDQN) -> list[int]:
        model.set_env(DummyVecEnv([lambda: IdentityEnv(6)]))
        model.learn(600)
        return [int(action) for action in model.predict(np.arange(6), deterministic=True)[0]]

    try:
        model = MaskedDQN("MlpPolicy", IdentityEnv(6), **DQN)
        model.env = None
        assert ray.get(work.remote(model)) == [*range(6)]
    finally:
        ray.shutdown()
