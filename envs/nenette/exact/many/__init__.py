"""Games of two and more players who take turns, each for itself: chances, best responses, equilibria, coalitions."""
