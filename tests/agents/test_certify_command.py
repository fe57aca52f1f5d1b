"""`nenette certify` writes what `nenette certify --check` believes, and `nenette solve` shows the exact figures."""

import json

import pytest

from nenette_agents.cli.app import main


def main_without_exit(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def test_the_command_certifies_and_checks(tmp_path, capsys):
    file = tmp_path / "demi-iles.json"
    assert main_without_exit("certify", "demi-iles", "--output", str(file), "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["proved"] is True
    assert report["states"] == report["decisions"] == 435
    assert report["bytes"] == file.stat().st_size
    assert main_without_exit("certify", "--check", str(file)) == 0
    out = capsys.readouterr().out
    assert "demi-iles by the default rules is proved in all 435 states" in out
    assert "The optimal play is unique" in out
    assert "trembling_value = 0.000005245823272953159" in out
    assert main_without_exit("solve", "demi-iles", "--json") == 0
    solved = json.loads(capsys.readouterr().out)
    assert solved["exact"] == "0/1"
    assert solved["exact_trembling_value"] == report["exact"]["trembling_value"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name a game to certify, such as 421, or a file to check: --check FILE"),
        (["421", "--check", "a.json"], "--check FILE stands alone"),
        (["--check", "nowhere.json"], "nowhere.json: No such file or directory"),
        (["demi-iles", "--set", "players=4"], "is certified with two or three players, not with 4"),
    ],
)
def test_mistakes_get_a_sentence(arguments, sentence, capsys):
    assert main_without_exit("certify", *arguments) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_the_solo_games_certificates_are_distinguished_from_the_others(tmp_path, capsys):
    file = tmp_path / "changed.json"
    file.write_text(json.dumps({"format": "nenette-certificate", "version": 1, "game": "demi-iles-solo"}))
    assert main_without_exit("certify", "--check", str(file)) == 2
    assert "is no certificate of the solo game that can be checked: 'rules' is missing" in capsys.readouterr().err
