"""Agents of somebody else's learner, written down: they play as they were scored."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch import nn

import nenette  # noqa: F401  registers the environments
from nenette.games import make_game
from nenette.policies.adapted import adapt
from nenette_agents.export import network_of

GAME = make_game("demi-iles")
SIZE, ACTIONS = GAME.codec.size, GAME.n_actions
SMALL: dict[str, Any] = {"policy_kwargs": {"net_arch": [8]}, "device": "cpu", "seed": 1}


def environments() -> DummyVecEnv:
    return DummyVecEnv([lambda: gym.make("nenette/DemiIles-v0")])


def scaled() -> Any:
    around = VecNormalize(environments(), clip_obs=100.0)
    around.obs_rms.mean = np.linspace(-1, 1, SIZE)
    around.obs_rms.var = np.linspace(0.5, 2, SIZE)
    return PPO("MlpPolicy", around, n_steps=8, batch_size=8, **SMALL)


def layers(outputs: int, *others: nn.Module) -> nn.Sequential:
    torch.manual_seed(2)
    return nn.Sequential(nn.Linear(SIZE, 8), nn.ReLU(), nn.Linear(8, outputs), *others)


def grown(agent: Any) -> Any:
    """The same with larger weights, so that no two actions are nearly equal."""
    with torch.no_grad():
        for parameter in getattr(agent, "policy", agent).parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(parameter.numel())))
    return agent


AGENTS: dict[str, Callable[[], Any]] = {
    "ppo": lambda: PPO("MlpPolicy", environments(), n_steps=8, batch_size=8, **SMALL),
    "its policy": lambda: A2C("MlpPolicy", environments(), **SMALL).policy,
    "masked ppo": lambda: MaskablePPO("MlpPolicy", environments(), n_steps=8, batch_size=8, **SMALL),
    "dqn": lambda: DQN("MlpPolicy", environments(), buffer_size=10, **SMALL),
    "vecnormalize": scaled,
    "torch": lambda: layers(ACTIONS),
    "torch, with a pass": lambda: layers(ACTIONS + 1),
}


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_written_down_plays_as_the_agent(name: str) -> None:
    agent = grown(AGENTS[name]())
    rng = np.random.default_rng(1)
    fields = np.stack([rng.integers(feature.values, size=300) for feature in GAME.codec.features], axis=1)
    masks = rng.integers(2, size=(300, ACTIONS)).astype(np.int8)
    masks[:, 1] = 1
    observations = GAME.codec.encode(fields)
    network = network_of(agent, GAME, "mine")
    wanted = adapt(agent, GAME).action_probabilities(observations, masks)
    assert len(np.unique(wanted, axis=0)) >= 3
    np.testing.assert_allclose(network.action_probabilities(observations, masks), wanted, atol=1e-4)
    assert network.name == "mine"


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        (lambda: len, "builtin_function_or_method, cannot be written down; a model of stable-baselines3 "),
        (lambda: layers(ACTIONS, nn.Softmax(dim=1)), "has a network of Linear, ReLU, Linear, Softmax, and layers with"),
        (lambda: nn.Sequential(nn.Linear(SIZE, ACTIONS, bias=False)), "layers with a bias, in float32, were expected"),
        (lambda: layers(ACTIONS).double(), "layers with a bias, in float32, were expected"),
        (
            lambda: QRDQN("MlpPolicy", environments(), buffer_size=10, **SMALL),
            "QRDQN, has a QRDQNPolicy, and the MlpPolicy of PPO, A2C, MaskablePPO or DQN was expected",
        ),
    ],
)
def test_what_cannot_be_written_down_says_why(agent: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^the agent, an object of .*{sentence}"):
        network_of(agent(), GAME, "mine")
