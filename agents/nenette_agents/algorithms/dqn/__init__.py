"""Deep Q-learning that knows which actions are legal, on stable-baselines3's DQN."""

from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.quantiles import MaskedQRDQN
from nenette_agents.algorithms.dqn.replay import MaskedReplayBuffer, MaskedSamples
from nenette_agents.algorithms.dqn.storage import Priorities
from nenette_agents.environments.masks import FinalMasks

__all__ = ["FinalMasks", "MaskedDQN", "MaskedQRDQN", "MaskedReplayBuffer", "MaskedSamples", "Priorities"]
