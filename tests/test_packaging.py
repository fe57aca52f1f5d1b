"""What pyproject.toml says is what the code needs, and the source distribution holds the whole project."""

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRA_OF = {
    "envs/nenette/pettingzoo/": "pettingzoo",
    "envs/nenette/openspiel/": "openspiel",
    "envs/nenette/environments/pictures/": "render",
    "envs/nenette/exact/certificates/storm.py": "storm",
    "agents/": "train",
    "examples/": "train",
    "scripts/": "bench",
}
"""Which extra a part of the code may import from, beside the base install."""
ALSO = {"scripts/": ("train", "docs")}
NOT_INSTALLED = {
    "stormpy": "stormpy",
    "pyspiel": "open-spiel",
    "open_spiel": "open-spiel",
    "pettingzoo": "pettingzoo",
    "pygame": "pygame-ce",
}
"""Distributions of modules that may be missing where the tests run."""


def plain(name: str) -> str:
    return re.split(r"[<>=!~;\[ ]", name, maxsplit=1)[0].lower().replace("_", "-")


def declared(extras: list[str]) -> set[str]:
    project = PYPROJECT["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    return {plain(one) for listed in lists for one in listed}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("root", ["envs", "agents", "examples", "scripts"])
def test_everything_imported_is_declared(root):
    of = packages_distributions()
    own = {"nenette", "nenette_agents", *sys.stdlib_module_names}
    undeclared = set()
    for path in sorted((ROOT / root).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        extras = [extra for part, extra in EXTRA_OF.items() if place.startswith(part)]
        extras += [extra for part, more in ALSO.items() if place.startswith(part) for extra in more]
        for module in set(imported(path)) - own:
            names = {plain(name) for name in of.get(module, [NOT_INSTALLED.get(module, module)])}
            if not names & declared(extras):
                undeclared.add(f"{module} in {place}")
    assert not undeclared


def test_the_tests_need_nothing_but_the_extras_train_and_dev():
    of, own = packages_distributions(), {"nenette", "nenette_agents", *sys.stdlib_module_names}
    ours = {path.stem for path in (ROOT / "tests").rglob("*.py")} | {path.name for path in (ROOT / "tests").iterdir()}
    found = {module for path in (ROOT / "tests").rglob("*.py") for module in imported(path)} - own - ours
    known = declared(["train", "dev"])
    assert not {
        module
        for module in found
        if not {plain(name) for name in of.get(module, [NOT_INSTALLED.get(module, module)])} & known
    }


def test_each_declared_version_is_pinned_to_one_that_was_tested():
    pinned = {plain(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    assert declared(["train", "dev", "docs", "pettingzoo"]) <= pinned


def test_the_source_distribution_holds_the_whole_project(tmp_path):
    pytest.importorskip("hatchling", reason="the extra dev brings what builds the distributions")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.iterdir()
    with tarfile.open(archive) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    linked = re.findall(r"\]\((docs/[^)#]+|[A-Z]+[^)#:/]*)\)", (ROOT / "README.md").read_text())
    assert {"README.md", "Makefile", "LICENSE", "constraints.txt", "configs/421-ppo.yaml", *linked} <= held
    assert {
        "docs/exact.md",
        "tests/conftest.py",
        "examples/sb3_ppo.py",
        "scripts/demo.py",
        "envs/nenette/py.typed",
    } <= held
    assert not {name for name in held if name.startswith(("runs/", ".venv", ".git/")) and name != "runs/README.md"}


def test_the_citation_names_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {name: cited[name] for name in ("cff-version", "title", "version", "license", "type")} == {
        "cff-version": "1.2.0",
        "title": f"nenette: {PYPROJECT['project']['description']}",
        "version": PYPROJECT["project"]["version"],
        "license": PYPROJECT["project"]["license"],
        "type": "software",
    }
    assert cited["message"]
    assert cited["authors"]


def test_the_wheel_brings_configs_and_their_schema(tmp_path):
    pytest.importorskip("hatchling", reason="the extra dev brings what builds the distributions")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.iterdir()
    with zipfile.ZipFile(archive) as opened:
        held = set(opened.namelist())
    configs = {f"nenette_agents/config/shipped/{path.name}" for path in (ROOT / "configs").glob("*.yaml")}
    page = ROOT / "agents" / "nenette_agents" / "page"
    sources = {
        path.relative_to(ROOT / "agents").as_posix() for path in page.rglob("*") if path.suffix not in ("", ".pyc")
    }
    assert {"nenette_agents/page/template.html", "nenette_agents/page/js/main.js"} <= sources <= held
    assert {"nenette_agents/config/config.schema.json", *configs} <= held
