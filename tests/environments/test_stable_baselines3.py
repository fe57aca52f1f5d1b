"""The first lines that a user of stable-baselines3 types, with the real one; a warning is an error."""

import multiprocessing
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo

pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")

from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecVideoRecorder

import nenette  # noqa: F401  registers the environments

ALGORITHMS: list[tuple[type[Any], dict[str, Any]]] = [
    (PPO, {"n_steps": 64, "batch_size": 64, "n_epochs": 1}),
    (A2C, {}),
    (DQN, {"learning_starts": 50, "buffer_size": 300}),
]


@pytest.mark.parametrize(("algorithm", "settings"), ALGORITHMS, ids=lambda value: getattr(value, "__name__", ""))
def test_an_algorithm_learns_from_an_id(algorithm: type[Any], settings: dict[str, Any]) -> None:
    model = algorithm("MlpPolicy", "nenette/421-v0", seed=0, device="cpu", policy_kwargs={"net_arch": [16]}, **settings)
    model.learn(200)
    assert model.num_timesteps >= 200


@pytest.mark.parametrize("mode", [None, "human", "rgb_array"])
def test_make_vec_env_takes_whatever_mode_is_asked_for(mode: str | None) -> None:
    """rl_zoo3's `enjoy` asks for "human"; nothing asked for means "rgb_array" here."""
    pytest.importorskip("pygame", reason="pygame-ce is not installed")
    environments = make_vec_env("nenette/421-v0", 4, seed=0, env_kwargs={"render_mode": mode} if mode else None)
    assert isinstance(environments, DummyVecEnv)
    environments.reset()
    environments.step([7] * 4)
    if mode == "human":
        assert environments.render("human") is None
    else:
        picture = environments.render()
        assert picture is not None
        assert picture.shape == (960, 1280, 3)  # of all four, which stable-baselines3 puts side by side
    environments.close()


def test_it_records_videos(tmp_path: Path) -> None:
    pytest.importorskip("pygame", reason="pygame-ce is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of moviepy's own
        pytest.importorskip("moviepy", reason="moviepy is not installed")
        options = {"render_size": (96, 64)}
        environments = make_vec_env("nenette/421-v0", 2, seed=0, env_kwargs=options)
        recorder = VecVideoRecorder(environments, str(tmp_path), lambda step: step == 0, video_length=3)
        recorder.reset()
        for _ in range(4):
            recorder.step(np.array([7, 7]))
        recorder.close()
        env = RecordVideo(gym.make("nenette/421-v0", render_mode="rgb_array", **options), str(tmp_path / "single"))
        env.reset(seed=0)
        env.step(7)
        env.close()
    assert [path.suffix for path in sorted(tmp_path.glob("*.*"))] == [".mp4"]
    assert [path.name for path in (tmp_path / "single").iterdir()] == ["rl-video-episode-0.mp4"]


def test_it_learns_from_subprocesses() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons': a process with threads was forked
        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
        options = {"start_method": method}
        environments = make_vec_env("nenette:nenette/421-v0", 2, vec_env_cls=SubprocVecEnv, vec_env_kwargs=options)
    try:
        assert environments.reset().shape == (2, 93)
        assert PPO("MlpPolicy", environments, n_steps=32, batch_size=64, device="cpu").learn(64).num_timesteps == 64
    finally:
        environments.close()


def test_a_process_of_its_own_needs_no_import() -> None:
    """With `nenette:` Gymnasium imports the package wherever an environment is made."""
    code = "import gymnasium; print(gymnasium.make('nenette:nenette/421-v0').spec.id)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "nenette/421-v0\n"
