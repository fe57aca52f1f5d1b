"""`nenette` as people meet it: what it prints where, and how it ends."""

import json
import os
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from nenette.games import GAMES
from nenette.policies import policy_names
from nenette_agents.cli import app as cli
from nenette_agents.config.loading import load_config
from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.errors import ConfigError
from nenette_agents.training import run as training

runner = CliRunner()


def _names(*games):
    return dict.fromkeys(name for game in games for name in policy_names(game))


def nenette(*arguments):
    return runner.invoke(cli.app, [str(argument) for argument in arguments])


def in_a_process(*arguments, code=None):
    command = [sys.executable, *(["-c", code] if code else ["-m", "nenette_agents"]), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["train", "evaluate", "solve", "opponents", "play", "watch"])
def test_every_command_s_help_has_an_example(command):
    result = nenette(command, "--help")
    assert result.exit_code == 0
    assert f"Example: nenette {command}" in " ".join(result.output.split())


def test_version():
    result = nenette("--version")
    assert (result.exit_code, result.stdout) == (0, "nenette 0.1.0\n")


def test_a_mistyped_command_gets_the_nearest():
    result = nenette("trian", "x.yaml")
    assert result.exit_code == 2
    assert "Did you mean 'train'?" in " ".join(result.stderr.replace("│", " ").split())


def test_training_prints_one_object_and_the_rest_on_stderr(small_config, tmp_path):
    done = nenette("train", small_config("421-dqn"), "--runs", tmp_path, "--json", "--seed", 5, "--name", "x")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert report["run"] == str(tmp_path / "421" / "dqn" / "x")
    assert (report["seed"], report["status"], report["steps"]) == (5, "finished", 256)
    assert {"win", "draw", "loss", "value", "exploitability", "regret", "exact"} <= set(report["score"])
    assert done.stderr.startswith("x: step 256 of 256 · ")
    assert json.loads((tmp_path / "421" / "dqn" / "x" / "run.json").read_text())["overrides"] == ["seed=5"]


def test_training_names_runs_after_config_and_seed(small_config, tmp_path):
    result = nenette("train", small_config("421-dqn"), "--runs", tmp_path, "--set", "seed=3")
    assert result.exit_code == 0
    folder = tmp_path / "421" / "dqn" / "421-dqn-seed3"
    assert folder.is_dir()
    assert str(folder) in result.stdout.replace("\n", "")


def test_a_run_is_evaluated_by_name_and_by_folder(trained):
    folder = trained("421-ppo").folder
    by_folder = nenette("evaluate", folder, "--against", "random", "--json")
    assert by_folder.exit_code == 0, by_folder.stderr
    assert by_folder.stderr == ""
    report = json.loads(by_folder.stdout)
    assert {"win", "draw", "loss", "value", "exploitability", "regret", "exact"} <= set(report)
    assert report["win"] + report["draw"] + report["loss"] == pytest.approx(1)
    by_name = nenette("evaluate", folder.name, "--runs", folder.parents[2], "--against", "random", "--json")
    assert json.loads(by_name.stdout) == report
    table = nenette("evaluate", folder, "--against", "random")
    assert "exploitability" in table.stdout
    assert "both seats count equally" in table.stdout


def test_a_named_policy_is_evaluated_against_another():
    report = json.loads(nenette("evaluate", "random", "--game", "demi-iles", "--against", "random", "--json").stdout)
    assert report["value"] == pytest.approx(0, abs=1e-9)
    assert report["exact"] is True


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "no.yaml"], "nenette: no.yaml: there is no such file\n"),
        (
            ["evaluate", "421-ppo"],
            f"nenette: '421-ppo' is neither a policy ({', '.join(_names(*GAMES))}) nor a run, by its folder or by name "
            "in runs\n",
        ),
        (
            ["evaluate", "random"],
            "nenette: 'random' is the name of an opponent: say of which game, as in 'demi-iles-solo/random', or with "
            "--game\n",
        ),
        (
            ["evaluate", "random", "--game", "demi-iles-solo", "--against", "random"],
            "nenette: --against 'random': nobody else plays demi-iles-solo\n",
        ),
        (
            ["evaluate", "random", "--game", "421", "--set", "fichs=3"],
            "nenette: --set: 421 has no rule 'fichs' (it has players, fiches, value_of_421, nenette, "
            "nenette_in_decharge, nenette_capped, nenettes_tie, manches_to_lose, next_manche_leader, followers, "
            "kept_dice, limit_after_tie, max_turns); "
            "did you mean 'fiches'?\n",
        ),
        (
            ["solve", "demi-ile"],
            "nenette: a game is one of 'demi-iles-solo', 'demi-iles', '421', 'demi-iles-3', '421-3', not 'demi-ile'; "
            "did you mean 'demi-iles'?\n",
        ),
        (
            ["play", "nope"],
            "nenette: a game is one of 'demi-iles-solo', 'demi-iles', '421', 'demi-iles-3', '421-3', not 'nope'\n",
        ),
        (
            ["play", "421-3", "--players", "2"],
            "nenette: 421-3 is 421 with 3 players, and 2 are asked for: say 421 alone, or leave the number out\n",
        ),
        (
            ["evaluate", "421-3/ppo", "--set", "players=4"],
            "nenette: 421-3 is 421 with 3 players, and 4 are asked for: say 421 alone, or leave the number out\n",
        ),
        (
            ["evaluate", "421-3/cautious", "--against", "best-response:cautious"],
            "nenette: --against: there is no best-response:cautious among 3 players of 421, only between two; "
            "these can sit there: random, a-fond, cautious, beat-it, ppo\n",
        ),
        (
            ["evaluate", "421-3/nope"],
            "nenette: 'nope' is neither a policy of 421-3 (random, a-fond, cautious, beat-it, ppo) nor a run, "
            "by its folder or by name in runs\n",
        ),
        (
            ["opponents", "--game", "422"],
            "nenette: a game is one of 'demi-iles-solo', 'demi-iles', '421', 'demi-iles-3', '421-3', not '422'; "
            "did you mean '421'?\n",
        ),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(arguments, sentence, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = nenette(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", sentence)


def test_an_unknown_opponent_of_an_evaluation_gets_the_nearest(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = nenette("evaluate", "random", "--game", "demi-iles", "--against", "gredy")
    assert result.exit_code == 2
    assert result.stderr.startswith("nenette: --against: 'gredy' is neither a policy of demi-iles (random, ")
    assert result.stderr.endswith("in runs; did you mean 'greedy'?\n")


def test_a_run_by_name_is_an_opponent_everywhere(trained, small_config, tmp_path, monkeypatch):
    folder = trained("421-ppo").folder
    monkeypatch.chdir(folder.parents[3])
    (folder.parents[3] / "runs").symlink_to(folder.parents[2].name)
    rules = ["--set", "fiches=3", "--set", "manches_to_lose=1"]
    named = [folder.name, f"421/{folder.name}", folder]
    for name in named:
        report = json.loads(nenette("evaluate", "421/random", *rules, "--against", name, "--json").stdout)
        assert report["against"] == folder.name
        table = json.loads(
            nenette("table", "421/random", f"best-response:{folder.name}", name, *rules, "--json").stdout
        )
        assert table["policies"] == ["random", f"best-response:{folder.name}", folder.name]
        load_config(small_config("421-dqn"), [f"opponents={{{name}: 1, random: 1}}", f"evaluation.against={name}"])
    with pytest.raises(ConfigError, match="a run, by folder or by name, was expected"):
        load_config(small_config("421-dqn"), ["opponents=nobody"])


@pytest.mark.parametrize("arguments", [["train"], ["evaluate", "x", "--games", "none"], ["solve", "421", "--jsn"]])
def test_wrong_usage_ends_with_2_as_well(arguments):
    result = nenette(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_mistake_leaves_no_traceback_in_a_process(tmp_path):
    done = in_a_process("evaluate", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    *at_work, sentence = done.stderr.splitlines()  # a busy machine may take its time to find out
    assert sentence == f"nenette: {tmp_path} holds no policy: there is no policy.json in it"
    assert all(line.startswith(f"evaluate {tmp_path} · ") for line in at_work)


def test_a_folder_that_cannot_be_written_gets_a_sentence(small_config, tmp_path):
    (tmp_path / "file").write_text("")
    result = nenette("train", small_config("421-dqn"), "--runs", tmp_path / "file")
    assert result.exit_code == 2
    assert result.stderr == f"nenette: {tmp_path / 'file' / '421' / 'dqn'}: Not a directory\n"


def test_a_rule_that_only_the_environment_refuses_gets_a_sentence(small_config, tmp_path):
    result = nenette("train", small_config("demi-iles-ppo"), "--runs", tmp_path, "--set", "rules.max_turns=1")
    assert result.exit_code == 2
    assert result.stderr.startswith("nenette: the environment cannot be made: max_turns is an integer of at least 2")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_gets_a_sentence(small_config, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", str(tmp_path / "policy.json"))

    monkeypatch.setattr("nenette_agents.training.callbacks.save_policy", full)
    result = nenette("train", small_config("421-dqn"), "--runs", tmp_path)
    assert result.exit_code == 2
    assert result.stderr == f"nenette: {tmp_path / 'policy.json'}: No space left on device\n"


def test_training_without_its_extra_says_what_to_install(small_config):
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from nenette_agents.cli.app import main\n"
        f"main(['train', {str(small_config('421-dqn'))!r}])\n"
    )
    done = in_a_process(code=code)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "nenette: training needs the extra 'train', and torch is not installed: "
        "in a clone of nenette, pip install '.[train]'\n"
    )


def test_nothing_but_training_imports_the_learning_stack(trained):
    folder = trained("421-ppo").folder
    code = (
        "import sys\nfrom nenette_agents.cli.app import app\n"
        f"app(['evaluate', {str(folder)!r}, '--against', 'random', '--json'], standalone_mode=False)\n"
        "heavy = {'torch', 'stable_baselines3', 'sb3_contrib', 'matplotlib', 'tensorboard'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)\n"
    )
    assert in_a_process(code=code).stderr.splitlines()[-1] == "[]"


def test_an_interrupted_training_keeps_what_there_is(small_config, draw, monkeypatch, tmp_path):
    """Ctrl-C after the second evaluation; test_runs_command interrupts real processes."""
    monkeypatch.setattr(training, "_draw", draw)
    folder = tmp_path / "demi-iles" / "ppo" / "demi-iles-ppo-seed0"
    step, made = NativeVecEnv.step_wait, [0]

    def interrupted(self):
        made[0] += 1
        if made[0] == 100:
            signal.raise_signal(signal.SIGINT)
        return step(self)

    with monkeypatch.context() as patch:
        patch.setattr(NativeVecEnv, "step_wait", interrupted)
        options = ["--json", "--set", "total_timesteps=100000000"]
        done = nenette("train", small_config("demi-iles-ppo"), "--runs", tmp_path, *options)
    assert (done.exit_code, made[0]) == (130, 100), done.stderr
    report = json.loads(done.stdout)
    assert (report["status"], report["score"]["step"]) == ("interrupted", 512)
    kept = (
        f"nenette: interrupted; what there is was kept in {folder}, and this goes on: nenette train --resume {folder}"
    )
    assert done.stderr.splitlines()[-1] == kept
    assert "Traceback" not in done.stderr
    assert json.loads((folder / "run.json").read_text())["status"] == "interrupted"
    assert (folder / "curve.png").exists()
    evaluated = nenette("evaluate", folder, "--against", "random", "--json")
    assert evaluated.exit_code == 0
    assert json.loads((folder / "policy.json").read_text())["card"]["steps"] == 800


def test_an_interrupt_before_the_training_ends_with_130(small_config, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "train", interrupted)
    result = nenette("train", small_config("421-dqn"))
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "nenette: interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes that close are reported by signals elsewhere")
def test_a_reader_that_leaves_is_no_error():
    command = f"{sys.executable} -m nenette_agents opponents | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
