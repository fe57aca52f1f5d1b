"""Run folders are made once, found by name, and readable after a kill."""

import json

import pytest

from nenette_agents.config.loading import load_config
from nenette_agents.errors import RunError
from nenette_agents.runs.folders import find_run, new_run


@pytest.fixture
def config(small_config):
    return load_config(small_config("421-dqn"))


def test_a_name_that_is_taken_gets_a_number(config, tmp_path):
    names = [new_run(tmp_path, config, "first", []).folder.name for _ in range(3)]
    assert names == ["first", "first-2", "first-3"]


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "-x", "a b", "a" * 101, "a\n"])
def test_a_name_that_is_no_folder_s_is_refused(config, tmp_path, name):
    with pytest.raises(RunError, match=r"^a run's name is made of letters, digits, dots, dashes and underscores"):
        new_run(tmp_path, config, name, [])
    assert not list(tmp_path.iterdir())


def test_a_running_run_says_so(config, tmp_path):
    run = new_run(tmp_path, config, "x", ["seed=3"])
    facts = json.loads((run.folder / "run.json").read_text())
    assert (facts["status"], facts["finished"], facts["overrides"]) == ("running", None, ["seed=3"])


def test_metrics_that_a_kill_cut_short_are_read_up_to_there(config, tmp_path):
    run = new_run(tmp_path, config, "x", [])
    assert run.metrics() == []
    run.add_metrics({"step": 1})
    with (run.folder / "metrics.jsonl").open("a") as file:
        file.write('{"step": 2')
    assert run.metrics() == [{"step": 1}]


def test_runs_are_found_by_folder_and_by_name(config, tmp_path):
    folder = new_run(tmp_path, config, "alone", []).folder
    assert find_run(str(folder), tmp_path) == folder
    assert find_run("alone", tmp_path) == folder
    with pytest.raises(RunError, match=r"^there is no run 'alon', .* under .*; did you mean 'alone'\?$"):
        find_run("alon", tmp_path)


def test_a_name_that_two_runs_have_is_no_answer(config, tmp_path, small_config):
    first = new_run(tmp_path, config, "same", []).folder
    second = new_run(tmp_path, load_config(small_config("demi-iles-ppo")), "same", []).folder
    with pytest.raises(RunError) as caught:
        find_run("same", tmp_path)
    assert str(caught.value) == f"more than one run is called 'same': {first}, {second}; give one of these"
