"""What of stable-baselines3 is relied on without being public is as it was, and the list of it is complete."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
import sb3_contrib
import stable_baselines3

from nenette_agents.algorithms import sb3_parts

ROOT = Path(__file__).parents[2]
OURS = ROOT / "agents" / "nenette_agents"
LISTED = {method.name for method in sb3_parts.METHODS} | {
    name for names in sb3_parts.ATTRIBUTES.values() for name in names
}


def test_nothing_has_changed():
    assert sb3_parts.changed() == []


def test_what_changes_is_named(monkeypatch):
    monkeypatch.delattr("stable_baselines3.common.base_class.BaseAlgorithm._update_info_buffer")
    monkeypatch.setattr("stable_baselines3.dqn.dqn.DQN.train", lambda self, batch_size: None)
    monkeypatch.setitem(sb3_parts.ATTRIBUTES, stable_baselines3.DQN, ("no_such_thing",))
    assert sb3_parts.changed() == [
        "BaseAlgorithm._update_info_buffer is gone, which was called with the infos of what has ended",
        "DQN.train takes ('batch_size',), and ('gradient_steps', 'batch_size') was expected; "
        "it is overridden: learn calls it",
        "DQN.no_such_thing is not set any more",
    ]


def private_names(folder: Path) -> set[str]:
    """Attributes that begin with an underscore and that a class sets or defines."""
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and re.match("_[a-z]", node.name):
                found.add(node.name)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and re.match("_[a-z]", node.attr):
                found.add(node.attr)
    return found


@pytest.mark.parametrize("package", [stable_baselines3, sb3_contrib])
def test_the_list_is_complete(package):
    """No private name of theirs that our code uses, and does not set itself, is missing in it."""
    theirs = private_names(Path(package.__file__).parent)
    used = set()
    for path in OURS.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        overridden = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        own = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr not in LISTED
        }
        learns = "stable_baselines3" in path.read_text("utf-8")
        used |= ((names | overridden) - own) & theirs if learns else set()
    # What those are for who subclass a callback, a VecEnv, or an algorithm.
    hooks = {"_on_step", "_on_rollout_start", "_on_rollout_end", "_on_training_start", "_on_training_end"}
    shared = {"_get_indices", "_reset_seeds", "_reset_options", "_seeds", "_init_setup_model"}
    assert used - LISTED - hooks - shared == set()


def test_the_versions_are_those_of_the_package():
    oldest, newest = sb3_parts.TESTED
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = project["project"]["optional-dependencies"]["train"]
    pinned = (ROOT / "constraints.txt").read_text("utf-8")
    page = (ROOT / "docs" / "algorithms.md").read_text("utf-8")
    for package in ("stable-baselines3", "sb3-contrib"):
        assert any(oldest.startswith(one.removeprefix(f"{package}>=")) for one in needed if one.startswith(package))
        assert f"{package.replace('-', '_')}=={newest}" in pinned
    assert f"from\n{oldest} to {newest} of both" in page
