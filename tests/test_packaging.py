"""What pyproject.toml says is what the code needs, and the source distribution holds the whole project."""

import ast
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRA_OF = {
    "envs/nenette/pettingzoo/": "pettingzoo",
    "envs/nenette/openspiel/": "openspiel",
    "envs/nenette/environments/pictures/": "render",
    "envs/nenette/exact/certificates/storm.py": "storm",
    "agents/": "train",
    "agents/nenette_agents/benchmark/ray_workers.py": "ray",
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
    "ray": "ray",
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
        "docs/tutorial.ipynb",
        "mkdocs.yml",
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling", reason="the extra dev brings what builds the distributions")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = folder.iterdir()
    return archive


def test_the_wheel_brings_configs_and_their_schema(wheel):
    with zipfile.ZipFile(wheel) as opened:
        held = set(opened.namelist())
    yaml_files = (path.relative_to(ROOT / "configs").as_posix() for path in (ROOT / "configs").rglob("*.yaml"))
    configs = {f"nenette_agents/config/shipped/{name}" for name in yaml_files}
    assert any("benchmark/smoke" in name for name in configs)
    page = ROOT / "agents" / "nenette_agents" / "page"
    sources = {
        path.relative_to(ROOT / "agents").as_posix() for path in page.rglob("*") if path.suffix not in ("", ".pyc")
    }
    assert {"nenette_agents/page/template.html", "nenette_agents/page/js/main.js"} <= sources <= held
    assert {"nenette_agents/config/config.schema.json", *configs} <= held


LARGEST_WHEEL = 6_000_000
"""Bytes; docs/development.md tells what the wheel has today."""


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Folders with the wheel, unpacked, and with links to the packages of its base installation, and no others."""
    ours, others = tmp_path_factory.mktemp("ours"), tmp_path_factory.mktemp("others")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(ours)
    (about,) = ours.glob("*.dist-info/METADATA")
    wanted = [Requirement(line) for line in Distribution.at(about.parent).requires or ()]
    seen = set()
    while wanted:
        one = wanted.pop()
        if plain(one.name) in seen or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        seen.add(plain(one.name))
        found = distribution(one.name)
        wanted += [Requirement(line) for line in found.requires or ()]
        for part in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            (others / part).symlink_to(found.locate_file(part))
    return [ours, others]


def in_it(installed, folder, code, typed=""):
    """Runs a program that finds the standard library and `installed`, and nothing else."""
    begin = f"import sys; sys.path += {[str(path) for path in installed]!r}\n"
    kept = {name: str(folder / name) for name in ("NENETTE_CACHE", "NENETTE_GAMES")}
    command = [sys.executable, "-I", "-S", "-c", begin + code]
    done = subprocess.run(command, cwd=folder, env=kept, input=typed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_plays_without_torch_in_a_clean_environment(installed, tmp_path):
    code = """
import importlib.util, json
assert not any(map(importlib.util.find_spec, ("torch", "stable_baselines3", "matplotlib", "pytest")))
import gymnasium, nenette
env = gymnasium.make("nenette/421-v0", opponents="ppo-weak")
env.action_space.seed(0)
observation, info = env.reset(seed=0)
rewards = []
ended = False
while not ended:
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
    rewards.append(float(reward))
    ended = terminated or truncated
print(json.dumps([sum(rewards), nenette.__file__, nenette.load_opponent("demi-iles/dqn-weak").name]))
"""
    won, file, name = json.loads(in_it(installed, tmp_path, code))
    assert (abs(won), name) == (1.0, "dqn-weak")
    assert Path(file).is_relative_to(installed[0])


def test_the_wheel_s_command_plays_and_says_what_is_missing(installed, tmp_path):
    call = "from nenette_agents.cli import main; main({!r})"
    arguments = ["play", "demi-iles", "--opponent", "greedy", "--seed", "16", "--seat", "0", "--lang", "en"]
    assert "the game is over" in in_it(installed, tmp_path, call.format(arguments), "2\n1\n2\n2\n")
    report = json.loads(in_it(installed, tmp_path, call.format(["doctor", "--json"])))
    assert report["problems"] == []
    (train,) = (one for one in report["extras"] if one["name"] == "train")
    assert any(one.startswith("torch") for one in train["missing"])


def test_the_wheel_is_small(wheel):
    assert wheel.stat().st_size < LARGEST_WHEEL
