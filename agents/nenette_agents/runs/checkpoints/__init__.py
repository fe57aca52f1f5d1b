"""A training's state on the disk, from which it goes on bit for bit as if it had never been killed."""
