"""Environments as the learners take them."""
