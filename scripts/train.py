"""Trains an agent as a config says: `python scripts/train.py configs/421-ppo.yaml`; the same as `nenette train`."""

import sys

from nenette_agents.cli.app import main

if __name__ == "__main__":
    main(["train", *sys.argv[1:]])
