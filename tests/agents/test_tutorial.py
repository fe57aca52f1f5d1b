"""The tutorial's notebook is its page, and runs from the first cell to the last."""

import io
import json
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from nenette_agents.cli.app import app
from nenette_agents.documentation import notebook

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "tutorial.md").read_text()
SMALL = "total_timesteps=128 n_envs=8 ppo.n_steps=8 ppo.batch_size=32 evaluation.every=null network.net_arch=[4]"
"""What the tests' training is cut down to."""


def run(command):
    """What a cell's command prints, run in this process; a training is a small one."""
    words = shlex.split(command)
    if words[:2] == ["nenette", "train"]:
        words += [word for setting in SMALL.split() for word in ("--set", setting)]
    assert words[0] == "nenette"
    result = CliRunner().invoke(app, words[1:], prog_name="nenette")
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_notebook_is_the_page_s():
    assert (DOCS / "tutorial.ipynb").read_text() == notebook.notebook(PAGE), "python scripts/documentation.py"


def test_the_notebook_s_cells_hold_the_page_in_its_order():
    kinds = [kind for kind, _ in notebook.cells(PAGE)]
    text = "\n".join(source for _, source in notebook.cells(PAGE))
    programs = [source for kind, source in notebook.cells(PAGE) if kind == "code" and not source.startswith("!")]
    assert PAGE.count("```python") == len(programs) >= 4
    assert kinds.count("code") >= 8
    assert [text.index(heading) for heading in ("## Solve", "## Train", "## Play")] == sorted(
        text.index(heading) for heading in ("## Solve", "## Train", "## Play")
    )
    assert "nenette play 421" in text
    assert "!nenette play" not in text


def test_the_notebook_is_one_by_jupyter_s_schema():
    format_of = pytest.importorskip("nbformat", reason="Jupyter's own check; it is no package of the extra dev")
    format_of.validate(json.loads((DOCS / "tutorial.ipynb").read_text()))


def go_through(cells):
    """Runs cells as a notebook does, in one namespace, which is returned; each has to show something."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for kind, source in cells:
        if kind == "code" and source.startswith("!"):
            assert all(run(line.removeprefix("!")).strip() for line in source.splitlines())
        elif kind == "code":
            shown = io.StringIO()
            with redirect_stdout(shown):
                exec(compile(source, "a cell", "exec"), namespace)
            assert shown.getvalue().strip(), source
    return namespace


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NENETTE_GAMES", str(tmp_path / "games"))


@pytest.mark.usefixtures("elsewhere")
def test_the_cells_before_the_training_run_and_the_page_tells_their_figures():
    cells = notebook.cells(PAGE)
    training = next(number for number, (_, source) in enumerate(cells) if "nenette train" in source)
    leader_wins = go_through(cells[:training])["facts"]["leader_wins"]
    assert f"with one fiche {leader_wins['1']:.3f}, with ten {leader_wins['10']:.3f}" in PAGE


@pytest.mark.slow
@pytest.mark.usefixtures("elsewhere")
def test_the_tutorial_runs_from_the_first_cell_to_the_last():
    """Half a minute of processor time, nearly all of it for exact scores of 421; the training itself is a small one."""
    assert go_through(notebook.cells(PAGE))["agent"].name
