"""One policy for all seats: PPO on environments in which every seat acts at every step and most of them pass."""

from nenette_agents.algorithms.turn_ppo.algorithm import TurnMaskedPPO
from nenette_agents.algorithms.turn_ppo.buffer import OwnDecisionsBuffer
from nenette_agents.environments.side_by_side import SideBySideVecEnv

__all__ = ["OwnDecisionsBuffer", "SideBySideVecEnv", "TurnMaskedPPO"]
