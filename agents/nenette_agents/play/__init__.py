"""Playing and watching in the terminal. Nothing here needs torch."""
