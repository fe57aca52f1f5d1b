"""Learning algorithms behind one small interface: ours, and anybody's."""

from nenette_agents.learners.finding import check_settings, find_learner, learner_names
from nenette_agents.learners.interface import Agent, Learner, LearningTask
from nenette_agents.learners.running import run_learner

__all__ = ["Agent", "Learner", "LearningTask", "check_settings", "find_learner", "learner_names", "run_learner"]
