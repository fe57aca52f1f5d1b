"""Proofs in exact arithmetic that the two-player solutions are right, and their check without the solver."""
