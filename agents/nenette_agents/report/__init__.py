"""What a benchmark found: figures over seeds, a page to read them on, and the leaderboard of the documentation."""
