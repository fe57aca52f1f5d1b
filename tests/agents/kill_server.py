"""Starts training processes that may be killed: run as a script, it forks for each.

It says "ready" first. A line on stdin is a JSON object: {"load"} is a kind of run, whose compiled code and solved games
are loaded now, and not in every process; {"config", "root"} trains, {"resume"} goes on, and "kill_after" has it killed
after so many seconds. The answer is how it ended: an exit code, or minus a signal's number.
"""

import io
import json
import os
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from twins import config_of

from nenette_agents.config.loading import load_config
from nenette_agents.training.resuming import resume
from nenette_agents.training.run import train


def main() -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "load" in order:
            with TemporaryDirectory() as folder:
                config = config_of(order["load"], Path(folder), "total_timesteps=256")
                train(config, Path(folder), "run", Console(file=io.StringIO()))
            print(0, flush=True)
            continue
        child = os.fork()
        if child == 0:
            os._exit(obey(order))
        if order["kill_after"] is not None:
            time.sleep(order["kill_after"])
            os.kill(child, signal.SIGKILL)  # until it is waited for, a process that is over keeps its number
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def obey(order: dict[str, Any]) -> int:
    console = Console(file=io.StringIO())
    try:
        if "resume" in order:
            outcome = resume(Path(order["resume"]), console)
        else:
            outcome = train(load_config(order["config"]), Path(order["root"]), "run", console)
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        return 1
    return 0 if outcome.status == "finished" else 130


if __name__ == "__main__":
    main()
