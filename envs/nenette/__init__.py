"""Two French dice games, solved exactly: reinforcement-learning environments with their own answer key."""
