"""What `nenette evaluate` shows of the solo game."""

import json

import pytest

from nenette_agents.cli.app import main


def shown(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(["evaluate", "collector", "--game", "demi-iles-solo", *arguments])
    assert not left.value.code
    return capsys.readouterr().out


def test_both_ways_of_playing_are_reported_exactly(capsys):
    report = json.loads(shown(capsys, "--json"))
    assert report["exact"]
    text = shown(capsys)
    assert text.count(f"{report['turns']:.6f}") == 2
    for figure in ("finishes", "agreement"):
        assert f"{report['solo']['sampled'][figure]:.4%}" in text
    assert f"the fewest possible are {report['solo']['optimum']:.6f} turns" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_games_are_played_when_asked_for(capsys):
    report = json.loads(shown(capsys, "--json", "--games", "20"))
    assert not report["exact"]
    assert report["games"] == 20
