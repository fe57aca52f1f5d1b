"""Algorithms compared over tasks and seeds, and the demo."""
