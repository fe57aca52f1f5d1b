"""Solves a game: `python scripts/solve.py demi-iles --json`; the same as `nenette solve`."""

import sys

from nenette_agents.cli.app import main

if __name__ == "__main__":
    main(["solve", *sys.argv[1:]])
