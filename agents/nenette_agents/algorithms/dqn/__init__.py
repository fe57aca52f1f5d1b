"""Deep Q-learning that knows which actions are legal, on stable-baselines3's DQN."""
