"""A DQN in one file, with torch alone: trains it on demi-iles against a greedy opponent, and scores it exactly.

STEPS=50000 python examples/torch_dqn.py
"""

import os
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from torch import nn

import nenette

steps = int(os.environ.get("STEPS", 50_000))
rng = random.Random(0)
torch.manual_seed(0)
env = gym.make("nenette/DemiIles-v0", opponents=["greedy"])
env.action_space.seed(0)
size, actions = env.observation_space.shape[0], int(env.action_space.n)
online, target = (nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, actions)) for _ in range(2))
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
buffer = deque(maxlen=20_000)

observation, info = env.reset(seed=0)
for step in range(steps):
    mask = info["action_mask"]
    if rng.random() < max(0.05, 1 - 2 * step / steps):
        action = int(env.action_space.sample(mask))
    else:
        with torch.no_grad():
            values = online(torch.as_tensor(observation)).numpy()
        action = int(np.where(mask, values, -np.inf).argmax())
    after, reward, terminated, truncated, info = env.step(action)
    buffer.append((observation, action, reward, after, info["action_mask"], terminated))
    observation = after
    if terminated or truncated:
        observation, info = env.reset()
    if len(buffer) >= 64 and step % 4 == 0:
        rows = zip(*rng.sample(buffer, 64), strict=True)
        seen, taken, rewards, then, masks, ended = (torch.as_tensor(np.array(column)) for column in rows)
        with torch.no_grad():
            best = target(then).masked_fill(masks == 0, -torch.inf).amax(dim=1)
            wanted = rewards.float() + torch.where(ended, 0.0, 0.99 * best)
        loss = nn.functional.smooth_l1_loss(online(seen).gather(1, taken[:, None])[:, 0], wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if step % 500 == 0:
        target.load_state_dict(online.state_dict())

score = nenette.score(online, "demi-iles", outputs="q-values", name="my DQN")
print(f"value against optimal {score.value:+.4f}, exploitability {score.exploitability:.4f}, regret {score.regret:.5f}")
