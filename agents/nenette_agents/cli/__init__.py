"""The command line, `nenette`."""

import os

# Where colorama is installed, numba would have it write an escape sequence to the terminal when the command ends: also
# where the user asked for plain text. numba reads this when it is imported, so it stands before the commands.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

from nenette_agents.cli.app import main

__all__ = ["main"]
