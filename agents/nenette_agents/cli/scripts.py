"""What the scripts in `scripts/` have in common."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nenette_agents.errors import sentence_of

__all__ = ["run_script"]


def run_script(main: Callable[[], Any]) -> None:
    """Calls `main`; what people's mistakes raise becomes one sentence and exit code 2, and Ctrl-C exit code 130."""
    try:
        main()
    except (ValueError, OSError) as error:
        print(f"{Path(sys.argv[0]).stem}: {sentence_of(error)}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
