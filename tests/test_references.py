"""What docs, docstrings and comments name of the packages is there: modules, what stands in them, and files."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXTS = [
    path
    for pattern in ("*.md", "docs/*.md", "envs/**/*.py", "agents/**/*.py", "scripts/*.py")
    for path in sorted(ROOT.glob(pattern))
]
NAMES = re.compile(r"`(nenette(?:_agents)?(?:\.\w+)+)`")
FILES = re.compile(r"`((?:\w+/)+\w+\.py)`")
PLACES = (ROOT, ROOT / "envs" / "nenette", ROOT / "agents" / "nenette_agents")


GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, an attribute or a declared field of one, or a group of our entry points."""
    if name in GROUPS:
        return True
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            if not hasattr(found, attribute):
                return attribute in getattr(found, "__annotations__", {})
            found = getattr(found, attribute)
        return True
    return False


@pytest.mark.parametrize("pattern", [NAMES, FILES], ids=["names", "files"])
def test_what_is_named_is_there(pattern):
    named = {
        (path.relative_to(ROOT).as_posix(), name) for path in TEXTS for name in pattern.findall(path.read_text("utf-8"))
    }
    assert len(named) > 5
    there = is_there if pattern is NAMES else lambda name: any((place / name).is_file() for place in PLACES)
    assert [where for where in sorted(named) if not there(where[1])] == []


def test_what_is_not_there_is_found():
    assert is_there("nenette.exact.solve")
    assert not is_there("nenette.exact.solo_states.index")
    assert not is_there("nenette.exact.solve_it")
