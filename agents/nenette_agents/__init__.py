"""Agents for nenette: training, run folders, the command line."""
