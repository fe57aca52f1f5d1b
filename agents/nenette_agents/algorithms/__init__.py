"""The learning algorithms, on stable-baselines3."""
