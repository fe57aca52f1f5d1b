"""The opponents in the package: `python scripts/opponents.py --rebuild`; the same as `nenette opponents`."""

import sys

from nenette_agents.cli.app import main

if __name__ == "__main__":
    main(["opponents", *sys.argv[1:]])
