"""`python -m nenette` is the command `nenette`, which stands in the package `nenette_agents`."""

import sys
from importlib.util import find_spec
from runpy import run_module


def main() -> None:
    """Hands over to the command line."""
    if find_spec("nenette_agents") is None:
        print(
            "nenette: the command line is in nenette_agents, which is not installed beside nenette: in a clone of the "
            "project, pip install .",
            file=sys.stderr,
        )
        sys.exit(2)
    run_module("nenette_agents", run_name="__main__", alter_sys=False)


if __name__ == "__main__":
    main()
