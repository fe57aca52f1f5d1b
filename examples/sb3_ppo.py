"""Trains PPO of plain stable-baselines3 on 421, and scores it exactly.

STEPS=100000 python examples/sb3_ppo.py
"""

import os

from stable_baselines3 import PPO

import nenette

steps = int(os.environ.get("STEPS", 100_000))
model = PPO("MlpPolicy", "nenette/421-v0", n_steps=512, device="cpu", seed=0)
model.learn(steps)
score = nenette.score(model, "421")
print(f"value against optimal {score.value:+.4f}, exploitability {score.exploitability:.4f}, regret {score.regret:.5f}")
