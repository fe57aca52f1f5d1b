"""Settings of all tests: hypothesis draws the same examples every time, and has time; a cache of the run's own.

No window opens.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ["SDL_VIDEODRIVER"] = "dummy"  # no test opens a window, on any machine

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, max_examples=100)
settings.load_profile("repeatable")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how the order of the tests, which is random, comes about again."""
    seed = getattr(terminalreporter.config.option, "randomly_seed", None)
    if seed is not None:
        terminalreporter.write_line(f"The tests ran in random order: --randomly-seed={seed} repeats it.")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Solutions are kept in a folder of this run: the user's cache is neither read nor written.

    The workers of one run share it, so that a game is solved once and not by each worker.
    """
    with pytest.MonkeyPatch.context() as patch:
        base = tmp_path_factory.getbasetemp()
        folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "solutions"
        folder.mkdir(exist_ok=True)
        patch.setenv("NENETTE_CACHE", str(folder))
        yield folder
