"""`nenette train --resume` as people meet it."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from twins import assert_the_same, config_file, places
from typer.testing import CliRunner

from nenette_agents.cli import app as cli

runner = CliRunner()


def nenette(*arguments):
    return runner.invoke(cli.app, [str(argument) for argument in arguments])


@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9")
def test_a_process_that_was_killed_goes_on(whole, tmp_path):
    twin, config = whole("421-dqn"), config_file("421-dqn", tmp_path)
    command = [sys.executable, "-m", "nenette_agents", "train"]
    folder = tmp_path / "421" / "dqn" / "run"
    with subprocess.Popen([*command, config, "--runs", tmp_path, "--name", "run"], stderr=subprocess.PIPE) as process:
        while not (folder / "checkpoints").exists() or len(list((folder / "checkpoints").iterdir())) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)  # not to be over before it is killed
        second = nenette("train", "--resume", "run", "--runs", tmp_path)
        assert second.exit_code == 2
        assert second.stderr == f"nenette: {folder} is being trained by another process right now: wait, or end that\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert json.loads((folder / "run.json").read_text())["status"] == "running"
    done = nenette("train", "--resume", folder, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "finished"
    assert done.stderr.startswith("run: goes on from step ")
    assert_the_same(folder, twin)


def test_a_finished_run_is_shown_again(whole):
    folder = whole("421-ppo")
    result = nenette("train", "--resume", folder, "--json")
    assert (result.exit_code, result.stderr) == (0, "run: is finished\n")
    assert json.loads(result.stdout)["steps"] == 768
    assert f"The run is in {folder}" in nenette("train", "--resume", folder).stdout.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["x.yaml"], "a config cannot be given with it"),
        (["--seed", 3], "--seed cannot be given with it"),
        (["--seeds", "0-2"], "--seeds cannot be given with it"),
        (["--name", "y", "--set", "total_timesteps=3"], "--name cannot be given with it"),
        (["--name", "y"], "--name cannot be given with it"),
    ],
)
def test_options_that_contradict_it_are_refused(arguments, sentence):
    result = nenette("train", "--resume", "x", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"nenette: --resume goes on as the run's own config says: {sentence}\n"


def test_what_is_no_run_gets_a_sentence(tmp_path, whole):
    result = nenette("train", "--resume", "x", "--runs", tmp_path)
    sentence = f"nenette: there is no run 'x', neither as a folder nor by name under {tmp_path}\n"
    assert (result.exit_code, result.stderr) == (2, sentence)
    result = nenette("train", "--resume", tmp_path)
    sentence = f"nenette: {tmp_path} is no run's folder: there is no run.json in it\n"
    assert (result.exit_code, result.stderr) == (2, sentence)
    (tmp_path / "run.json").write_text("{")
    result = nenette("train", "--resume", tmp_path)
    reason = "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
    sentence = f"nenette: {tmp_path / 'run.json'} is damaged: it is no JSON that can be read ({reason})\n"
    assert (result.exit_code, result.stderr) == (2, sentence)


def test_either_a_config_or_a_run_is_needed():
    result = nenette("train")
    sentence = "nenette: train takes a YAML file or the name of a config, such as 421-ppo, or --resume and a run\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", sentence)


@pytest.mark.skipif(os.name != "posix", reason="there is no limit to a file's size")
def test_a_disk_that_fills_up_loses_nothing(whole, draw, monkeypatch, tmp_path):
    """No file may grow beyond what the first checkpoints take: later ones find no room, nor does the curve."""
    import resource

    twin, config = whole("421-dqn"), config_file("421-dqn", tmp_path)
    folder = tmp_path / "421" / "dqn" / "run"
    monkeypatch.setattr("nenette_agents.training.run._draw", draw)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (45_000, before[1]))
    try:
        done = nenette("train", config, "--runs", tmp_path, "--name", "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "/checkpoints/.aside/arrays.safetensors: File too large); the training goes on" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.exit_code == 2
    assert len(places(folder)) == 2
    last = int(places(folder)[-1].name.removeprefix("step-"))
    result = nenette("train", "--resume", folder)
    assert result.stderr.startswith(f"run: goes on from step {last}\n")
    assert result.exit_code == 0
    assert_the_same(folder, twin)
