"""What a shell is offered after Tab, asked as bash, zsh and fish ask."""

import pytest
from typer.testing import CliRunner

from nenette.games import GAMES
from nenette_agents.cli.app import app
from nenette_agents.config.files import shipped_configs


def offered(line):
    """Asks as bash does."""
    words = line.split(" ")
    environment = {"_NENETTE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    result = CliRunner().invoke(app, [], env=environment, prog_name="nenette")
    assert result.exit_code == 0, result.output
    return result.stdout.split()


@pytest.fixture(autouse=True)
def folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell):
    script = CliRunner().invoke(app, [], env={"_NENETTE_COMPLETE": f"source_{shell}"}, prog_name="nenette")
    assert script.exit_code == 0
    assert f"_NENETTE_COMPLETE=complete_{shell}" in script.stdout


def test_commands_and_options():
    assert offered("nenette do") == ["doctor"]
    assert offered("nenette play 421 --hi") == ["--hints"]


def test_games_and_configs():
    assert set(offered("nenette solve ")) == set(GAMES)
    assert offered("nenette solve demi-iles-") == ["demi-iles-solo"]
    assert offered("nenette train 421-ppo") == [name for name in shipped_configs() if name.startswith("421-ppo")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nenette evaluate --game 421 a-", ["a-fond"]),
        ("nenette evaluate 421/a-", ["421/a-fond"]),
        ("nenette play 421 --opponent caut", ["cautious"]),
        ("nenette watch --game demi-iles ppo-s", ["ppo-strong"]),
        ("nenette table --game 421 gree", []),
    ],
)
def test_agents(line, expected):
    assert offered(line) == expected


def test_runs_folders_and_files(folder_of_its_own):
    run = folder_of_its_own / "runs" / "421" / "ppo" / "mine"
    run.mkdir(parents=True)
    (run / "run.json").touch()
    (folder_of_its_own / "my.yaml").touch()
    (folder_of_its_own / "my.txt").touch()
    assert offered("nenette evaluate mi") == ["mine"]
    assert offered("nenette evaluate runs/4") == ["runs/421/"]
    assert offered("nenette train my") == ["my.yaml"]
