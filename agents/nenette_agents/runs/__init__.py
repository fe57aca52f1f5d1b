"""Run folders, and the checkpoints in them."""
