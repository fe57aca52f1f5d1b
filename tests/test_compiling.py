"""Compiled code works where none of it can be kept, and says so once."""

import ast
import pickle
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import caching

import nenette
from nenette import compiling


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    monkeypatch.setattr(compiling, "_said", [])
    return caplog


def test_it_compiles_where_no_folder_can_be_written_to(
    log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    functions = [compiling.njit()(lambda x: x + 1), compiling.njit(inline="always")(lambda x: x + 2)]
    assert [function(1) for function in functions] == [2, 3]
    assert len(log.messages) == 1
    assert log.messages[0].startswith("compiled code cannot be kept on disk, so each process compiles it anew")


@pytest.mark.parametrize("what", ["save", "load"])
def test_it_compiles_where_the_folder_fails_later(
    what: str, log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.config, "CACHE_DIR", str(tmp_path))
    function = compiling.njit()(lambda x: x + 1)
    monkeypatch.setattr(caching.IndexDataCacheFile, what, fails)
    assert function(1) == 2
    assert len(log.messages) == 1


def test_what_is_compiled_is_kept(
    log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(caching.config, "CACHE_DIR", str(tmp_path))
    assert compiling.njit()(lambda x: x + 1)(1) == 2
    assert list(tmp_path.rglob("*.nbc"))
    assert not log.messages


def test_what_another_version_has_kept_is_compiled_anew(
    log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def double(x: float) -> float:
        return 2 * x

    monkeypatch.setattr(caching.config, "CACHE_DIR", str(tmp_path))
    assert compiling.njit()(double)(1) == 2
    (index,) = tmp_path.rglob("*.nbi")
    # numba writes its version, then what it knows: here a class of this package that is gone.
    gone = b"cnenette.compiling\nNoLongerThere\n."
    index.write_bytes(pickle.dumps(numba.__version__) + gone)
    assert compiling.njit()(double)(1) == 2
    assert gone not in index.read_bytes()
    assert not log.messages


def test_nothing_in_the_packages_is_compiled_otherwise() -> None:
    folder = Path(nenette.__file__).parent
    others = [folder.parents[1] / "agents" / "nenette_agents"]
    for file in sorted(path for root in (folder, *others) for path in root.rglob("*.py")):
        if file.name == "compiling.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "numba":
                assert not {"njit", "jit", "vectorize", "guvectorize"} & {name.name for name in node.names}, file
