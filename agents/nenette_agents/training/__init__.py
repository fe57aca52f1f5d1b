"""One training run: from a config to a policy."""
