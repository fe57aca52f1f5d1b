"""Deep Q-learning that knows which actions are legal, on stable-baselines3's DQN."""

from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.masks import FinalMasks
from nenette_agents.algorithms.dqn.priorities import Priorities
from nenette_agents.algorithms.dqn.replay import MaskedReplayBuffer, MaskedSamples

__all__ = ["FinalMasks", "MaskedDQN", "MaskedReplayBuffer", "MaskedSamples", "Priorities"]
