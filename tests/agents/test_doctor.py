"""`nenette doctor`: what is there, what is missing, and the exit code."""

import json
from importlib import metadata

import pytest
from typer.testing import CliRunner

from nenette.games import GAMES
from nenette_agents import installation
from nenette_agents.cli.app import app


def doctor(*arguments):
    return CliRunner().invoke(app, ["doctor", *map(str, arguments)])


@pytest.fixture
def requires(monkeypatch):
    """Sets what the distribution says that it needs."""

    def say(*lines):
        monkeypatch.setattr(installation.metadata, "requires", lambda name: list(lines))

    return say


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    for name in ("NENETTE_CACHE", "NENETTE_GAMES", "NUMBA_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
        (tmp_path / name).mkdir()
    return tmp_path


def test_all_is_well_here(tmp_path):
    result = doctor("--json", "--runs", tmp_path)
    report = json.loads(result.stdout)
    assert (result.exit_code, report["problems"]) == (0, [])
    assert report["nenette"] == metadata.version("nenette")
    assert report["packages"]["numpy"] == metadata.version("numpy")
    assert set(report["opponents"]) >= {"421", "demi-iles", "demi-iles-solo"}
    assert min(report["opponents"][game] for game in ("421", "demi-iles", "demi-iles-solo")) >= 4
    assert {one["name"] for one in report["extras"]} == set(metadata.metadata("nenette").get_all("Provides-Extra"))


def test_what_is_kept_is_counted_and_weighed(own_folders):
    (own_folders / "NENETTE_CACHE" / "a.safetensors").write_bytes(bytes(3_000_000))
    (own_folders / "NENETTE_CACHE" / "not ours.txt").write_bytes(bytes(9))
    below = own_folders / "NUMBA_CACHE_DIR" / "vector_1" / "engine.step-1.py311.nbi"
    below.parent.mkdir()
    below.write_bytes(bytes(5))
    kept = {one["what"]: one for one in json.loads(doctor("--json").stdout)["folders"]}
    assert (kept["solved games"]["files"], kept["solved games"]["size"]) == (1, 3_000_000)
    assert (kept["compiled code"]["files"], kept["compiled code"]["size"]) == (1, 5)
    assert kept["played games"] == {
        "what": "played games",
        "folder": str(own_folders / "NENETTE_GAMES"),
        "named_by": "NENETTE_GAMES",
        "files": 0,
        "size": 0,
        "writable": True,
    }
    assert "3.0" in doctor().stdout


def test_an_extra_that_is_missing_says_how_to_get_it_and_is_nothing_wrong(requires):
    requires("numpy>=1.26", "numpy>=900; extra == 'train'", "no-such-package>=2; extra == 'train'")
    result = doctor("--json")
    (train,) = (one for one in json.loads(result.stdout)["extras"] if one["name"] == "train")
    assert result.exit_code == 0
    assert (train["packages"], train["missing"]) == ({}, ["numpy>=900", "no-such-package>=2"])
    assert "pip install '.[train]'" in doctor().stdout


def test_a_base_package_that_is_missing_or_too_old_is_wrong(requires):
    requires("numpy>=900", "no-such-package", "scipy", "other; sys_platform == 'none'")
    result = doctor()
    assert result.exit_code == 1
    assert "Wrong: numpy>=900 is not installed: pip install 'numpy>=900'" in result.stdout
    assert "Wrong: no-such-package is not installed" in result.stdout
    assert "other" not in result.stdout
    assert json.loads(doctor("--json").stdout)["packages"] == {"scipy": metadata.version("scipy")}


def test_a_folder_that_cannot_be_written_names_the_variable_for_another(monkeypatch, tmp_path):
    (tmp_path / "file").touch(mode=0o755)
    monkeypatch.setenv("NENETTE_CACHE", str(tmp_path / "file" / "below"))
    result = doctor("--json")
    assert result.exit_code == 1
    (problem,) = json.loads(result.stdout)["problems"]
    assert problem.endswith("(solved games): NENETTE_CACHE may name another folder")


def test_a_folder_of_somebody_else_s_cannot_be_written(monkeypatch, own_folders):
    theirs = own_folders / "NENETTE_GAMES"
    access = installation.os.access
    monkeypatch.setattr(installation.os, "access", lambda path, mode: path != theirs and access(path, mode))
    (problem,) = json.loads(doctor("--json").stdout)["problems"]
    assert problem == f"nothing can be written to {theirs} (played games): NENETTE_GAMES may name another folder"
    assert "(read-only)" in doctor().stdout


def test_opponents_that_are_missing_are_wrong(monkeypatch, tmp_path):
    monkeypatch.setattr(installation, "OPPONENTS", tmp_path)
    problems = json.loads(doctor("--json").stdout)["problems"]
    assert problems
    assert all(problem.endswith("install nenette again") for problem in problems)
    assert {game for game in GAMES if any(f"/{game}/" in problem for problem in problems)} >= {"421", "demi-iles"}
