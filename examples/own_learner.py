"""A learning algorithm of one's own: REINFORCE, with torch alone, against anybody and against itself.

STEPS=100000 python examples/own_learner.py
"""

import copy
import os
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import nenette
from nenette.games import make_game
from nenette_agents.learners import LearningTask, run_learner


def learn(task: LearningTask) -> nn.Module:
    """Learns in the task's environments, and reports the network whenever it is wanted."""
    n_envs, rate = task.settings.get("n_envs", 32), task.settings.get("learning_rate", 3e-3)
    env = task.make_env(n_envs)
    observations, infos = env.reset()
    network = nn.Sequential(nn.Linear(observations.shape[1], 64), nn.Tanh(), nn.Linear(64, task.game.n_actions))
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    due, steps = list(task.report_at), 0
    while due:
        if task.self_play:
            task.renew_opponent(copy.deepcopy(network))
        played = []
        for _ in range(32):
            illegal = torch.as_tensor(infos["action_mask"]) == 0
            drawn = Categorical(logits=network(torch.as_tensor(observations)).masked_fill(illegal, -torch.inf))
            actions = drawn.sample()
            observations, rewards, terminated, truncated, infos = env.step(actions.numpy())
            played.append((drawn.log_prob(actions), rewards, terminated | truncated))
            steps += n_envs
        loss, returns = torch.zeros(()), np.zeros(n_envs)
        for log_probs, rewards, ended in reversed(played):
            returns = rewards + 0.9 * np.where(ended, 0.0, returns)
            loss -= (log_probs * torch.as_tensor(returns - returns.mean(), dtype=torch.float32)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        while due and due[0] <= steps:
            task.report(due.pop(0), network)
    return network


if __name__ == "__main__":
    game, steps = make_game("demi-iles"), int(os.environ.get("STEPS", 100_000))
    settings = {"total_timesteps": steps, "report_at": (steps,), "report": lambda timestep, agent: None}
    task = LearningTask(game=game, opponents=("greedy",), seed=0, settings={}, folder=Path("."), **settings)
    score = nenette.score(run_learner(learn, task), game, "greedy")
    print(f"value against greedy {score.value:+.4f}, exploitability {score.exploitability:.4f}")
