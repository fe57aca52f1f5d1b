"""`nenette evaluate` at a table of three."""

import json

import pytest

from nenette_agents.cli.app import main

THREE = ("--game", "demi-iles", "--set", "players=3", "--set", "max_turns=10")


def main_without_exit(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def test_several_opponents_are_named_one_by_one(capsys):
    arguments = ("evaluate", "greedy", *THREE, "--against", "blocker", "--against", "random")
    assert main_without_exit(*arguments, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["exact"], report["against"], len(report["value_by_seat"])) == (True, "blocker, random", 3)
    assert main_without_exit(*arguments, "--games", "60") == 0
    assert "sampled" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--against", "greedy") * 3,
            "demi-iles with 3 players has 2 other seats: one opponent for all of them, or 2,",
        ),
        (
            ("--against", "gredy"),
            "--against: 'gredy' is neither a policy of demi-iles-3 (random, equilibrium, ",
        ),
    ],
)
def test_mistakes_get_a_sentence(arguments, sentence, capsys):
    assert main_without_exit("evaluate", "greedy", *THREE, *arguments) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_the_rules_that_differ_stand_in_the_title_and_in_the_report(capsys):
    small = ("--game", "421-3", "--set", "fiches=3")
    for command in (("evaluate", "cautious", *small, "--against", "a-fond"), ("table", "cautious", "a-fond", *small)):
        assert main_without_exit(*command) == 0
        assert capsys.readouterr().out.startswith("421, players=3, fiches=3: ")
        assert main_without_exit(*command, "--json") == 0
        report = json.loads(capsys.readouterr().out)
        assert (report["game"], report["rules"]) == ("421", {"players": 3, "fiches": 3})
    assert main_without_exit("evaluate", "greedy", "--game", "demi-iles", "--games", "4", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rules"] == {}
