"""The native vector environments as stable-baselines3 sees them."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import nenette  # noqa: F401  registers the environments
from nenette_agents.config.loading import load_config
from nenette_agents.environments.vec_env import NativeVecEnv, action_masks_of
from nenette_agents.training.build import build


def _native(env_id: str = "nenette/421-v0", num_envs: int = 6, **options: Any) -> NativeVecEnv:
    return NativeVecEnv(gym.make_vec(env_id, num_envs=num_envs, autoreset_mode="SameStep", **options).unwrapped)


@pytest.mark.parametrize("options", [{}, {"seats": "all"}])
def test_pictures_are_of_the_first_tables(options: dict[str, Any]) -> None:
    pytest.importorskip("pygame", reason="pygame-ce is not installed")
    env = _native(num_envs=12, render_mode="rgb_array", render_size=(96, 64), **options)
    env.reset()
    assert [image.shape for image in env.get_images() if image is not None] == [(64, 96, 3)] * 4
    pictures = env.env.render()
    assert pictures is not None
    assert (env.get_images()[1] == pictures[2 if options else 1]).all()
    assert env.render() is not None  # side by side
    assert (env.render_mode, env.metadata["render_fps"]) == ("rgb_array", 2)
    silent = _native()
    silent.reset()
    assert silent.get_images() == [None] * 6
    env.close()
    window = _native(num_envs=12, render_mode="human", render_size=(96, 64), **options)
    window.reset()
    assert window.render("human") is None
    window.close()


def test_masks_of_all_slots_come_from_one_call() -> None:
    env = _native()
    env.reset()
    assert is_masking_supported(env)
    assert is_masking_supported(VecMonitor(env))
    for _ in range(30):
        masks = get_action_masks(VecMonitor(env))
        assert masks.shape == (6, 8)
        assert masks.dtype == np.bool_
        assert (masks == env.env.action_masks()).all()
        assert np.array_equal(np.stack(env.env_method("action_masks", indices=[4, 1])), masks[[4, 1]])
        env.step(masks.argmax(axis=1))
    calls = []
    env.env.action_masks = lambda: calls.append(1) or masks  # type: ignore[method-assign]
    get_action_masks(env)
    assert calls == [1]


def test_masks_are_the_same_in_one_array_as_one_by_one(small_config: Any) -> None:
    overrides = ["opponents={self: 0.5, random: 0.5}", "n_envs=8", "rewards.scale=2.0", "tremble.share=0.1"]
    for environments in (
        VecMonitor(_native()),
        build(load_config(small_config("421-ppo"), overrides)).environments,
        DummyVecEnv([lambda: gym.make("nenette/421-v0")] * 3),
    ):
        environments.reset()
        for _ in range(20):
            masks = action_masks_of(environments)
            assert masks.dtype == np.bool_
            np.testing.assert_array_equal(masks, get_action_masks(environments))
            environments.step(masks.argmax(axis=1))


@pytest.mark.parametrize(("max_turns", "cut"), [(2, True), (None, False)])
def test_the_end_of_a_game_is_reported_as_stable_baselines3_expects_it(max_turns: int | None, cut: bool) -> None:
    rules: dict[str, Any] = {"max_turns": max_turns} if cut else {"episode": "manche", "fiches": 1}
    native = gym.make_vec("nenette/421-v0", num_envs=6, autoreset_mode="SameStep", **rules).unwrapped
    twin = gym.make_vec("nenette/421-v0", num_envs=6, autoreset_mode="SameStep", **rules)
    env = NativeVecEnv(native)
    env.seed(3)
    observations = env.reset()
    expected, _ = twin.reset(seed=[3 + slot for slot in range(6)])
    assert (observations == expected).all()
    ended = 0
    for _ in range(20):
        observations, rewards, dones, infos = env.step(np.full(6, 7))
        expected, returns, terminated, truncated, infos_of_twin = twin.step(np.full(6, 7))
        assert (observations == expected).all()
        assert rewards.dtype == np.float32
        assert (rewards == returns).all()
        assert (dones == (terminated | truncated)).all()
        for slot, info in enumerate(infos):
            assert ("terminal_observation" in info) == dones[slot]
            if dones[slot]:
                ended += 1
                assert info["TimeLimit.truncated"] is cut
                assert (info["terminal_observation"] == infos_of_twin["final_obs"][slot]).all()
                assert (info["action_mask"] == infos_of_twin["final_info"]["action_mask"][slot]).all()
    assert ended > 10


def test_the_same_seed_gives_the_same_games_through_the_adapter() -> None:
    walks = []
    for seed in (1, 1, 2):
        env = VecMonitor(_native(opponents="cautious"))
        env.seed(seed)
        walk = [env.reset().tobytes()]
        walk += [env.step(np.full(6, 7))[0].tobytes() for _ in range(20)]
        walks.append(walk)
    assert walks[0] == walks[1] != walks[2]
    assert walks[0][0] != walks[0][1]


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_learners_take_it(algorithm: str) -> None:
    env = VecMonitor(_native(opponents="a-fond", fiches=2))
    if algorithm == "ppo":
        model: Any = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu")
    else:
        model = DQN("MlpPolicy", env, learning_starts=20, batch_size=8, seed=0, device="cpu")
    model.learn(120)
    assert model.num_timesteps >= 120
    assert all(-1 <= episode["r"] <= 1 for episode in model.ep_info_buffer)
    assert model.ep_info_buffer


def test_what_slots_share_is_not_set_in_one_of_them() -> None:
    env = _native()
    with pytest.raises(AttributeError, match="'seat' cannot be set"):
        env.set_attr("seat", 1)
    with pytest.raises(AttributeError, match="no 'snapshot'"):
        env.env_method("snapshot")
    with pytest.raises(AttributeError):
        env.get_attr("nothing")
    assert env.get_attr("num_envs", indices=2) == [6]
    assert env.env_is_wrapped(gym.Wrapper, indices=[0, 1]) == [False, False]


def test_an_environment_that_begins_again_a_step_later_is_turned_down() -> None:
    with pytest.raises(ValueError, match="autoreset_mode is expected to be 'SameStep', not 'NextStep'"):
        NativeVecEnv(gym.make_vec("nenette/421-v0", num_envs=2).unwrapped)


def test_configs_play_natively_with_their_opponents_in_turn(small_config: Any) -> None:
    config = load_config(small_config("demi-iles-ppo"), ["self_play.copies=2"])
    built = build(config)
    env, selves = built.environments, built.past_selves
    native = env.unwrapped
    assert isinstance(native, NativeVecEnv)
    assert not isinstance(native, DummyVecEnv)
    seating = native.env._seating
    seated = [seating.opponents[number].policy for number in seating.tables.seated[:, 0]]
    assert [policy.name for policy in seated] == ["random", "past"] * 4
    assert seated[1::2] == [selves.policies[slot // 2 % 2] for slot in (1, 3, 5, 7)]
