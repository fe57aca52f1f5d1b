"""Settings of all tests: hypothesis draws the same examples every time, and has time; a cache of the run's own.

No window opens. What numba compiles is compiled by one worker, while the others wait for it.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock, Timeout
from hypothesis import settings

from nenette import compiling

os.environ["SDL_VIDEODRIVER"] = "dummy"  # no test opens a window, on any machine
# Several workers share the cores: threads of torch that wait for one another only take each other's time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

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


@pytest.fixture(scope="session", autouse=True)
def compiled_once(own_cache: Path) -> Iterator[None]:
    """Where a worker compiles a function, others that want it wait, and find it on disk: it takes some seconds each."""
    load, save = compiling._Cache.load_overload, compiling._Cache.save_overload
    held: dict[str, FileLock] = {}

    def name_of(cache: Any, sig: Any) -> str:
        return sha256(f"{cache._cache_path}/{cache._impl.filename_base}{sig}".encode()).hexdigest()[:32]

    def load_or_lock(cache: Any, sig: Any, target_context: Any) -> Any:
        found = load(cache, sig, target_context)
        if found is None and (name := name_of(cache, sig)) not in held:
            lock = FileLock(own_cache / f"{name}.lock")
            try:
                lock.acquire(timeout=120)
            except Timeout:
                return None
            held[name] = lock
            found = load(cache, sig, target_context)
            if found is not None:
                held.pop(name).release()
        return found

    def save_and_release(cache: Any, sig: Any, data: Any) -> None:
        save(cache, sig, data)
        if (name := name_of(cache, sig)) in held:
            held.pop(name).release()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling._Cache, "load_overload", load_or_lock)
        patch.setattr(compiling._Cache, "save_overload", save_and_release)
        yield
