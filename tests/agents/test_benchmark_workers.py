"""A benchmark in processes of its own: the same results with one or two, and what happens when one of them dies."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from rich.console import Console
from test_benchmark_runner import Here, made, scores, suite_of
from typer.testing import CliRunner

from nenette_agents.benchmark.display import Display
from nenette_agents.benchmark.results import load_results
from nenette_agents.benchmark.workers import LocalWorkers
from nenette_agents.cli.app import app

HERE = Path(__file__).parent


def test_two_processes_give_what_one_gives_and_a_killed_one_takes_only_its_own_run_with_it(tmp_path):
    suite = suite_of("drawn", "killed")
    one = scores(made(suite_of("drawn"), tmp_path / "one", tasks=["duel"]))
    results = made(suite, tmp_path / "two", LocalWorkers(2), tasks=["duel"])
    assert {key: value for key, value in scores(results).items() if key[1] == "drawn"} == one
    failed = [(run.task, run.learner, run.seed, run.reason) for run in results.runs if run.status == "failed"]
    assert failed == [
        ("duel", "killed", 1, "its process was ended by the signal SIGKILL: perhaps there was not enough memory")
    ]
    assert {run.made_with.threads for run in results.runs} == {1}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "nenette", "benchmark", *arguments]


def test_on_the_command_line_a_killed_benchmark_goes_on_and_so_does_one_after_ctrl_c(tmp_path, monkeypatch):
    (tmp_path / "tiny.yaml").write_text(
        yaml.safe_dump(suite_of("slow", "failing").model_dump(mode="json"), sort_keys=False)
    )
    (tmp_path / "benchmark_learners.py").write_text((HERE / "benchmark_learners.py").read_text())
    asked = command("tiny.yaml", "--seeds", "2", "--json")
    begun = subprocess.Popen(asked, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "runs" / "tiny" / "duel" / "failing" / "seed-0" / "run.json").exists():
        assert begun.poll() is None, begun.communicate()
        time.sleep(0.05)
    begun.kill()
    assert begun.communicate()[0] == ""
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").rglob("run.json")}
    assert len(kept) == 2
    assert len(load_results(tmp_path / "runs" / "tiny").runs) == 2

    (tmp_path / "wait").touch()  # so that it is under way when it is interrupted
    again = subprocess.Popen(
        asked, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not (tmp_path / "waiting").exists():
        assert again.poll() is None, again.communicate()
        time.sleep(0.05)
    os.killpg(again.pid, signal.SIGINT)
    out, told = again.communicate()
    assert (again.returncode, out) == (130, "")
    assert "tiny: 2 of 8 runs are finished already" in told
    assert "of 8 runs are finished and kept, and the same command goes on: nenette benchmark tiny.yaml" in told
    assert "Traceback" not in told

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nenette_agents.benchmark.workers.LocalWorkers", lambda jobs: Here())
    ended = CliRunner().invoke(app, asked[3:])
    assert ended.exit_code == 1, ended.output  # two runs failed
    report = json.loads(ended.stdout)
    assert (report["finished"], report["failed"]) == (6, 2)
    assert "duel/failing/seed-1 failed: RuntimeError: the loss is not finite" in ended.stderr
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert len(load_results(tmp_path / "runs" / "tiny").finished()) == 6


def test_time_left_follows_from_what_such_runs_took(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("nenette_agents.benchmark.display.time.monotonic", lambda: now[0])
    shown = io.StringIO()
    display = Display(Console(file=shown, width=200))
    with display:
        display.begin("tiny", ["a/x/seed-0", "a/x/seed-1", "a/y/seed-0", "a/y/seed-1"], 1)
        now[0] = 100.0
        display.ended("a/x/seed-0", 100.0, None)
        now[0] = 400.0
        display.ended("a/y/seed-0", 300.0, "it was lost")
        now[0] = 470.0
        display.tick()
    # 400 s are to come of 400 s that were spent in 470 s by the clock.
    assert shown.getvalue().splitlines() == [
        "tiny: 1 of 5 runs are finished already",
        "tiny: 2 of 5 runs · 5 min left",
        "tiny: a/y/seed-0 failed: it was lost",
        "tiny: 3 of 5 runs, 1 failed · 8 min left",
    ]


@pytest.mark.slow
def test_the_smoke_suite_comes_to_its_end(tmp_path):
    asked = [*command("smoke", "--seeds", "1", "--jobs", "2", "--json"), "--runs", str(tmp_path)]
    ended = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    results = load_results(tmp_path / "smoke")
    assert len(results.finished()) == len(results.suite.tasks) * len(results.suite.learners)
    for task in ("demi-iles-greedy", "demi-iles-self", "421-manche-beat-it", "421-manche-self"):
        (pupil,) = results.finished(task, "distilled")
        assert 0.8 < pupil.score < 1.0001
        (dqn,) = results.finished(task, "dqn")
        assert 0.3 < dqn.score < 1.0001
