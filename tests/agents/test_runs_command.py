"""`nenette runs`, and `nenette train --seeds`, as people meet them."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from here import trainings_here
from typer.testing import CliRunner

from nenette_agents.cli import app as cli
from nenette_agents.cli.benchmark import _seeds as benchmark_seeds
from nenette_agents.cli.train import seeds_of
from nenette_agents.errors import ConfigError


def nenette(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def root(tmp_path_factory, small_config) -> Path:
    """Two seeds of one config and one run of another game; somebody has damaged a fourth."""
    root = tmp_path_factory.mktemp("listed")
    with trainings_here():
        done = nenette("train", small_config("421-ppo"), "--seeds", "3,5", "--jobs", 2, "--runs", root, "--json")
    assert done.exit_code == 0, done.stderr
    reports = json.loads(done.stdout)["runs"]
    assert [(report["seed"], report["status"], Path(report["run"]).name) for report in reports] == [
        (3, "finished", "421-ppo-seed3"),
        (5, "finished", "421-ppo-seed5"),
    ]
    assert "nenette: 2 of 2 seeds are trained" in done.stderr
    assert nenette("train", small_config("demi-iles-solo-dqn"), "--runs", root, "--name", "solo").exit_code == 0
    (root / "421" / "ppo" / "broken").mkdir()
    (root / "421" / "ppo" / "broken" / "run.json").write_text("{")
    return root


def test_all_runs_are_listed_with_their_last_scores(root) -> None:
    rows = json.loads(nenette("runs", "--runs", root, "--json").stdout)["runs"]
    found = {one["name"]: one for one in rows}
    assert set(found) == {"421-ppo-seed3", "421-ppo-seed5", "solo", "broken"}
    last = json.loads((root / "421/ppo/421-ppo-seed3/metrics.jsonl").read_text().splitlines()[-1])
    for name in ("value", "exploitability", "regret", "against", "seconds"):
        assert found["421-ppo-seed3"][name] == last[name]
    assert (found["421-ppo-seed3"]["steps"], found["421-ppo-seed3"]["status"]) == (last["step"], "finished")
    assert (found["solo"]["exact"], found["solo"]["seed"], found["broken"]["status"]) == (False, 0, "damaged")
    shown = nenette("runs", "--runs", root).stdout
    assert f"{last['exploitability']:.4f}" in shown
    assert "(sampled)" in shown
    assert f"{root / '421/ppo/broken/run.json'} is not JSON that can be read" in shown


def test_runs_are_chosen_by_name_game_and_status(root) -> None:
    def names(*words) -> list[str]:
        return [one["name"] for one in json.loads(nenette("runs", *words, "--runs", root, "--json").stdout)["runs"]]

    assert names("--game", "demi-iles-solo") == ["solo"]
    assert names("--status", "damaged") == ["broken"]
    assert names("421-ppo-seed5", "solo") == ["421-ppo-seed5", "solo"]
    refused = nenette("runs", "421-ppo-seed4", "--runs", root)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "did you mean '421-ppo-seed5'?" in refused.stderr or "did you mean '421-ppo-seed3'?" in refused.stderr
    refused = nenette("runs", "--game", "421", "--status", "failed", "--runs", root)
    assert (refused.exit_code, refused.stderr) == (2, f"nenette: there are no runs to show in {root}\n")


def test_what_is_compared_says_where_configs_differ(root, tmp_path) -> None:
    picture = tmp_path / "curves.png"
    done = nenette("runs", "421-ppo-seed3", "421-ppo-seed5", "--runs", root, "--plot", picture, "--json")
    report = json.loads(done.stdout)
    assert report["differences"] == {"seed": [3, 5]}
    assert (report["plot"], picture.read_bytes()[:4]) == (str(picture), b"\x89PNG")
    shown = nenette("runs", "421-ppo-seed3", "solo", "--runs", root, "--plot", picture)
    keys = {line.split("│")[1].strip() for line in shown.stdout.split("\n") if "│" in line}
    assert {"rules.max_turns", "algorithm", "game"} <= keys
    assert shown.stdout.endswith(f"The curves are in {picture}\n")
    refused = nenette("runs", "broken", "--runs", root, "--plot", picture)
    assert (refused.exit_code, refused.stderr) == (
        2,
        "nenette: there is no curve to be drawn: none of these runs has been scored\n",
    )


@pytest.mark.parametrize(
    ("text", "seeds"), [("0-4", [0, 1, 2, 3, 4]), ("7", [7]), ("1, 3,7", [1, 3, 7]), ("0-2,9", [0, 1, 2, 9])]
)
def test_seeds_are_read(text: str, seeds: list[int]) -> None:
    assert seeds_of(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "4-1", "0-", "0-99999", "1,1", "-3", "1e3"])
def test_seeds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^--seeds .*(was|were) expected"):
        seeds_of(text)


def test_seeds_contradict_a_seed_and_a_run(small_config) -> None:
    config = small_config("421-ppo")
    refused = nenette("train", config, "--seed", 1, "--seeds", "0-1")
    assert (refused.exit_code, refused.stderr) == (2, "nenette: --seed and --seeds cannot be given together\n")
    refused = nenette("train", config, "--seeds", "0-1", "--set", "ppo.gama=1")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "did you mean 'ppo.gamma'?" in refused.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals are sent")
def test_ctrl_c_stops_all_seeds_and_each_keeps_what_it_has(small_config, tmp_path) -> None:
    command = [
        sys.executable,
        "-m",
        "nenette_agents",
        "train",
        small_config("421-ppo"),
        "--seeds",
        "0-2",
        "--jobs",
        "2",
    ]
    command += ["--runs", tmp_path, "--set", "total_timesteps=1e9", "--set", "checkpoint.every_seconds=0", "--json"]
    folders = [tmp_path / "421" / "ppo" / f"421-ppo-seed{seed}" for seed in (0, 1)]
    # Tests that a shell runs in the background ignore SIGINT, and what they start would, too.
    heeds_it = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, preexec_fn=heeds_it) as process:
        while not all(list(folder.glob("checkpoints/step-*")) for folder in folders):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        printed, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    reports = json.loads(printed)["runs"]
    assert [(report["seed"], report["status"]) for report in reports] == [(0, "interrupted"), (1, "interrupted")]
    for folder in folders:
        assert f"this goes on: nenette train --resume {folder}" in messages
        assert (folder / "policy.json").exists()
        assert list(folder.glob("checkpoints/step-*"))
    assert "not begun: --seeds 2" in messages
    assert "Traceback" not in messages


@pytest.mark.parametrize("text", ["-3", "ten", ""])
def test_a_benchmark_says_that_seeds_are_a_number_or_which(text):
    with pytest.raises(ConfigError, match=r"how many, such as 10, or which, such as 5-9 or 1,3, were expected$"):
        benchmark_seeds(text)
    assert benchmark_seeds("2") == [0, 1]
    assert benchmark_seeds("5-6") == [5, 6]
