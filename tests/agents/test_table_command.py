"""`nenette table`, games played on request, and best responses, on the command line."""

import json

import pytest
from typer.testing import CliRunner

from nenette.policies import policy_names
from nenette.policies.shipped import shipped_names
from nenette_agents.cli import app as cli

runner = CliRunner()
SHORT = ["--game", "421", "--set", "fiches=2", "--set", "manches_to_lose=1"]


def nenette(*arguments):
    return runner.invoke(cli.app, [str(argument) for argument in arguments])


def test_the_help_has_an_example():
    result = nenette("table", "--help")
    assert result.exit_code == 0
    assert "Example: nenette table --game demi-iles" in result.output


def test_all_opponents_of_a_game():
    result = nenette("table", "--game", "demi-iles", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    report = json.loads(result.stdout)
    assert report["policies"] == policy_names("demi-iles")
    assert {"values", "wins", "elo", "nash", "nash_averages", "mean_values"} <= set(report)


def test_all_opponents_that_play_by_the_rules_that_were_set():
    report = json.loads(nenette("table", *SHORT, "--json").stdout)
    assert report["policies"] == [name for name in policy_names("421") if name not in shipped_names("421")]


def test_named_ones_the_best_first():
    result = nenette("table", "random", "cautious", "best-response:cautious", *SHORT)
    assert result.exit_code == 0, result.stderr
    rows = [line.split("│") for line in result.stdout.splitlines() if line.startswith("│")]
    assert [row[1].strip() for row in rows] == ["1", "2", "3"]
    assert [row[2].strip() for row in rows] == ["best-response:cautious", "cautious", "random (sampled)"]
    assert "-0.000" not in result.stdout


def test_runs_beside_names(trained):
    folder = trained("421-ppo").folder
    result = nenette("table", folder, "random", f"best-response:{folder.name}", "--runs", folder.parents[2], "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    run = report["policies"][0]
    assert report["policies"][1:] == ["random", f"best-response:{run}"]
    evaluated = json.loads(nenette("evaluate", folder, "--against", "random", "--json").stdout)
    assert report["values"][0][1] == pytest.approx(evaluated["value"])
    assert report["values"][2][0] == pytest.approx(evaluated["exploitability"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name the agents to compare, or say with --game of which game all opponents are compared"),
        (
            ["greedy", "random"],
            "'greedy' is the name of an opponent: say of which game, as in 'demi-iles/greedy', or with --game",
        ),
        (["greedy", "--game", "demi-iles"], "a table compares at least two policies, and 1 was given"),
        (["--game", "demi-iles-solo"], "demi-iles-solo is played alone: its agents do not meet"),
        (
            ["greedy", "gredy", "--game", "demi-iles"],
            f"'gredy' is neither a policy of demi-iles ({', '.join(policy_names('demi-iles'))}) nor a run, "
            "by its folder or by name in runs; did you mean 'greedy'?",
        ),
        (
            ["random", "best-response:cautios", "--game", "421"],
            f"'cautios' is neither a policy of 421 ({', '.join(policy_names('421'))}) nor a run, "
            "by its folder or by name in runs; did you mean 'cautious'?",
        ),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(arguments, sentence, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = nenette("table", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"nenette: {sentence}\n")


def test_games_are_played_when_they_are_asked_for():
    exact = json.loads(nenette("evaluate", "cautious", *SHORT, "--json").stdout)
    played = json.loads(nenette("evaluate", "cautious", *SHORT, "--games", 400, "--json").stdout)
    assert (exact["exact"], played["exact"], played["games"]) == (True, False, 400)
    assert abs(played["adjusted_value"] - exact["value"]) < 3 * played["adjusted_half_width"]
    assert played["adjusted_half_width"] < played["half_width"] / 2
    assert played["variance_ratio"] > 4
    assert played["adjustments"][played["adjusted_by"]]["value"] == played["adjusted_value"]
    assert "optimal play" in played["adjustments"]
    assert exact["adjusted_value"] is None
    table = nenette("evaluate", "cautious", *SHORT, "--games", 400).stdout
    assert "without luck" in table


def test_a_best_response_is_evaluated():
    report = json.loads(nenette("evaluate", "best-response:cautious", *SHORT, "--against", "cautious", "--json").stdout)
    other = json.loads(nenette("evaluate", "cautious", *SHORT, "--json").stdout)
    assert report["agent"] == "best-response:cautious"
    assert report["value"] == pytest.approx(other["exploitability"])
    assert report["value_by_seat"] == pytest.approx(other["best_response_by_seat"])
    against = nenette("evaluate", "cautious", *SHORT, "--against", "best-response:cautious", "--json")
    assert json.loads(against.stdout)["value"] == pytest.approx(-report["value"])


def test_a_best_response_without_a_game_gets_a_sentence():
    result = nenette("evaluate", "best-response:greedy")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "nenette: 'best-response:greedy' is the name of an opponent: say of which game, as in "
        "'demi-iles/best-response:greedy', or with --game\n"
    )
