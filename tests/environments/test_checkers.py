"""Gymnasium's and stable-baselines3's own checks, for every environment and every option; a warning is an error."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import CASES, make
from gymnasium.utils.env_checker import check_env as check_for_gymnasium

from nenette.environments import ENVIRONMENTS

CASE = pytest.mark.parametrize(("env_id", "options"), CASES, ids=str)


@CASE
def test_gymnasium_accepts_it(env_id: str, options: dict[str, Any]) -> None:
    check_for_gymnasium(make(env_id, **options))


@CASE
def test_stable_baselines3_accepts_it(env_id: str, options: dict[str, Any]) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(make(env_id, **options))


@CASE
def test_gymnasiums_passive_checker_sees_nothing_in_whole_episodes(env_id: str, options: dict[str, Any]) -> None:
    env = gym.make(env_id, **options)
    env.action_space.seed(5)
    env.reset(seed=5)
    for _ in range(200):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    env.close()


@pytest.mark.parametrize("env_id", ENVIRONMENTS)
def test_it_can_be_vectorised(env_id: str) -> None:
    envs = gym.make_vec(env_id, num_envs=3, vectorization_mode="sync")
    observations, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    assert infos["action_mask"].shape == (3, envs.single_action_space.n)
    envs.step(np.zeros(3, dtype=np.int64))
    envs.close()
