"""Work that takes long shows that it goes on; quick work says nothing."""

import io
import time

import pytest
from rich.console import Console
from typer.testing import CliRunner

from nenette_agents.cli import app as cli
from nenette_agents.terminal import progress as progress_module
from nenette_agents.terminal.progress import AtWork, Progress

SOON = (0.01, 0.05)


def wait_for(said, console):
    for _ in range(500):
        if said in console.file.getvalue():
            return
        time.sleep(0.01)
    raise AssertionError(f"{said!r} was not said: {console.file.getvalue()!r}")


def screen(*, terminal):
    return Console(file=io.StringIO(), force_terminal=terminal, width=60)


@pytest.mark.parametrize("terminal", [False, True])
def test_long_work_names_itself_and_what_it_does(terminal, monkeypatch):
    monkeypatch.setattr(progress_module, "_PAUSES", SOON)
    console = screen(terminal=terminal)
    with AtWork("table 421 [mine]", console) as work:
        wait_for("table 421 [mine] · 0 s", console)
        work.counted("pairs scored", 1200)(1100)
        wait_for("table 421 [mine]: 1,100 of 1,200 pairs scored · ", console)
        work.counted("games")(7)
        wait_for("table 421 [mine]: 7 games · ", console)
    said = console.file.getvalue()
    time.sleep(0.15)
    assert console.file.getvalue() == said, "and it stops when the work is over"


@pytest.mark.parametrize("terminal", [False, True])
def test_quick_work_says_nothing(terminal, monkeypatch):
    monkeypatch.setattr(progress_module, "_PAUSES", (30.0,))
    console = screen(terminal=terminal)
    with AtWork("solve 421", console):
        pass
    assert console.file.getvalue() == ""


def test_what_is_raised_at_work_passes(monkeypatch):
    monkeypatch.setattr(progress_module, "_PAUSES", SOON)
    with pytest.raises(ValueError, match="mistake"), AtWork("x", screen(terminal=False)):
        raise ValueError("a mistake")


COMMANDS = {
    "evaluate 421/cautious": "nenette_agents.benchmark.evaluation.evaluate",
    "table random cautious": "nenette_agents.benchmark.evaluation.cross_table",
    "table --game 421": "nenette_agents.benchmark.evaluation.cross_table",
    "solve 421": "nenette.exact.solve",
    "certify 421": "nenette_agents.cli.solve._certify",
    "certify --check 421.json": "nenette_agents.cli.solve._check",
    "opponents --verify --game demi-iles": "nenette_agents.opponents.cards.ladder_policy",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_says_on_stderr_that_it_goes_on(command, monkeypatch, tmp_path):
    def work(*_, **__):
        time.sleep(0.2)
        raise OSError("enough of it")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress_module, "_PAUSES", SOON)
    monkeypatch.setattr(COMMANDS[command], work)
    result = CliRunner().invoke(cli.app, command.split())
    said = [line for line in result.stderr.splitlines() if " · 0 s" in line]
    assert said[0].startswith(command.replace("table --game", "table"))
    assert (result.stdout, result.stderr.splitlines()[-1]) == ("", "nenette: enough of it")


@pytest.mark.parametrize("terminal", [False, True])
def test_a_training_that_nobody_watches_says_now_and_then_that_it_goes_on(terminal, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("nenette_agents.terminal.progress.time.monotonic", lambda: clock[0])
    console = screen(terminal=terminal)
    with Progress(console, 10_000, "mine-seed3") as progress:
        for clock[0], steps in ((1.0, 100), (59.0, 2900), (62.0, 3100), (110.0, 5900), (124.0, 6200)):
            progress.moved(steps)
    lines = [line for line in console.file.getvalue().splitlines() if "steps/s" in line and not terminal]
    assert (
        lines == []
        if terminal
        else [
            "mine-seed3: step 3,100 of 10,000 · 50 steps/s · 2 min left",
            "mine-seed3: step 6,200 of 10,000 · 50 steps/s · 1 min left",
        ]
    )
