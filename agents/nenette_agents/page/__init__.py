"""A page to play on and to look at optimal play: one HTML file, which holds all that it needs."""
