"""Scores an agent: `python scripts/evaluate.py runs/421/ppo/421-ppo-seed0`; the same as `nenette evaluate`."""

import sys

from nenette_agents.cli.app import main

if __name__ == "__main__":
    main(["evaluate", *sys.argv[1:]])
