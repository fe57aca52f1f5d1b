"""Tables show all of every cell, however narrow the screen."""

import io
import re

import pytest
from rich.console import Console
from typer.testing import CliRunner

from nenette_agents.cli import app as cli
from nenette_agents.terminal import tables
from nenette_agents.terminal.tables import Column, WideTable, output

COLUMNS = [Column("", key=True), Column("who", figures=False, key=True), *(Column(f"figure {i}") for i in range(12))]
ROWS = [[str(i), f"somebody-{i}", *(f"+{i}.{j:04}" for j in range(12))] for i in range(9, 12)]


def printed(width, columns=COLUMNS, rows=ROWS):
    console = Console(file=io.StringIO(), width=width)
    console.print(WideTable(columns, rows))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 133, 5000])
def test_no_figure_is_cut_and_none_is_left_out(width):
    text = printed(width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    found = re.findall(r"\+\d+\.\d{4}", text)
    assert sorted(found) == sorted(cell for row in ROWS for cell in row[2:])
    assert re.findall(r"figure \d+", text) == [f"figure {i}" for i in range(12)]


def test_parts_repeat_who_the_rows_are_about():
    assert printed(5000).count("somebody-9") == 1
    assert printed(80).count("somebody-9") == printed(80).count("┏") > 1


def test_a_long_name_is_folded_where_there_is_no_room():
    text = printed(30, COLUMNS[1:3], [["a-run-with-a-very-long-name-indeed", "+0.1234"]])
    folded = "".join(line.split("│")[1].strip() for line in text.splitlines() if line.startswith("│"))
    assert folded == "a-run-with-a-very-long-name-indeed"
    assert "+0.1234" in text


def test_there_is_no_end_of_a_line_in_a_pipe(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(tables.sys.stdout, "isatty", lambda: False, raising=False)
    assert output().width > 1000
    monkeypatch.setattr(tables.sys.stdout, "isatty", lambda: True, raising=False)
    assert output().width <= 60


@pytest.mark.parametrize(
    "command",
    [
        ["table", "--game", "demi-iles"],
        ["opponents"],
        ["opponents", "421/ppo-strong"],
        ["evaluate", "demi-iles/greedy"],
    ],
)
def test_a_pipe_gets_whole_figures_and_one_line_a_row(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    result = CliRunner().invoke(cli.app, command)
    assert result.exit_code == 0, result.stderr
    assert "…" not in result.stdout
    rows = [line for line in result.stdout.splitlines() if line.startswith("│")]
    assert not [row for row in rows if not "".join(row.split("│")[1:3]).strip()], "no row goes on below"


def test_a_terminal_of_80_columns_gets_whole_figures(monkeypatch):
    monkeypatch.setattr("nenette_agents.cli.evaluate.output", lambda: Console(width=80))
    result = CliRunner().invoke(cli.app, ["table", "--game", "demi-iles"])
    assert "…" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    first = result.stdout.split("└")[0]
    n = len(re.findall(r"^│ +\d+ │", first, flags=re.MULTILINE))
    sampled = len(re.findall(r"^│ +│ \S", first, flags=re.MULTILINE))  # networks once more, by their probabilities
    figures = n * n + sampled * n  # n values off the diagonal and n of Nash; n values of each network
    assert len(re.findall(r"[+-]\d\.\d{3} ", result.stdout)) == 2 * figures, "of the played game and the endless one"
