"""What README and docs/ say in code runs as it stands, and the commands that they name have these options."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from nenette_agents.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CONTINUED = "<!-- continued -->"
"""Before a block that goes on where the one before it on the page ended; every other one begins afresh."""
NEEDS = {
    "import pyspiel": "pyspiel",
    "nenette.pettingzoo": "pettingzoo",
    "from pettingzoo.classic": "pygame",
    "rgb_array": "pygame",
    "RecordVideo": "moviepy",
}
"""Packages of extras that a block may ask for."""


def blocks(page: Path, language: str) -> Iterator[tuple[int, str, bool]]:
    """Line number, text, and whether it continues the block before, for each fenced block."""
    text = page.read_text()
    for found in re.finditer(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        before = text[: found.start()]
        yield before.count("\n") + 2, found.group(1), before.rstrip().endswith(CONTINUED)


OF_ITS_OWN = "tutorial.md"
"""A page whose programs and commands are one: tests/agents/test_tutorial.py runs them."""
PROGRAMS = [
    pytest.param(page, line, id=f"{page.name}:{line}")
    for page in PAGES
    if page.name != OF_ITS_OWN
    for line, _, _ in blocks(page, "python")
]


@pytest.mark.parametrize(("page", "line"), PROGRAMS)
def test_a_program_of_a_page_runs_as_it_stands(page, line, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STEPS", "100")  # of what the examples train
    needed: list[str] = []
    for number, text, continued in blocks(page, "python"):
        needed = [*needed, text] if continued else [text]
        if number == line:
            break
    for words, package in NEEDS.items():
        if words in "".join(needed):
            pytest.importorskip(package, reason="an extra that is not installed here")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for text in needed:
        exec(compile(text, f"{page.name}:{line}", "exec"), namespace)
    if page.name == "README.md":
        assert capsys.readouterr().out.strip(), "what a reader runs shows something"


def test_the_examples_are_the_programs_of_their_pages():
    pages = ("your-own-agent.md", "your-own-algorithm.md")
    shown = [text for page in pages for _, text, _ in blocks(ROOT / "docs" / page, "python")]
    assert sorted(shown) == sorted(path.read_text() for path in (ROOT / "examples").glob("*.py"))
    assert all(len(text.splitlines()) < 60 for text in shown)


def test_every_program_of_a_page_is_found():
    for page in PAGES:
        found = page.read_text().count("```python")
        assert len(list(blocks(page, "python"))) == found, page
    assert len(PROGRAMS) >= 5


def commands() -> Iterator[Any]:
    for page in PAGES:
        for line, text, _ in blocks(page, r"(?:bash|sh|console)?"):
            for offset, one in enumerate(text.splitlines()):
                if one.startswith(("nenette ", "$ nenette ")):
                    yield pytest.param(
                        shlex.split(one.removeprefix("$ "), comments=True), id=f"{page.name}:{line + offset}"
                    )


@pytest.mark.parametrize("command", list(commands()))
def test_a_command_of_a_page_is_one_with_these_options(command):
    group: Any = typer.main.get_command(app)
    _, name, *arguments = command
    if name.startswith("--"):
        assert name in {option for parameter in group.params for option in parameter.opts}
        return
    assert name in group.commands
    with group.commands[name].make_context(name, arguments) as context:  # parses, and runs nothing
        assert context.params
    helped = {option for parameter in group.commands[name].params for option in parameter.opts}
    assert {word.partition("=")[0] for word in arguments if word.startswith("--")} <= helped | {"--help"}


QUICK = re.compile(
    r"config|doctor|--show-completion|train \S+ --print|opponents(?: [\w/-]+)?$|solve (?:demi-iles|421)(?: --json)?$"
    r"|evaluate demi-iles/[\w-]+$"
)
"""Commands of the pages that are run, too: those that take a second at most, and change nothing."""


@pytest.mark.parametrize(
    "command", sorted({shlex.join(one.values[0][1:]) for one in commands() if QUICK.match(" ".join(one.values[0][1:]))})
)
def test_a_quick_command_of_a_page_does_what_it_says(command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))  # tests need no shell around them
    result = CliRunner().invoke(app, shlex.split(command), prog_name="nenette")
    assert (result.exit_code, result.exception) == (0, None), result.output
    assert result.stdout.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_scripts_configs_and_pages_that_are_named_are_there(page):
    text = page.read_text()
    named = set(re.findall(r"\b((?:scripts|configs)/[\w./-]+\.(?:py|yaml))", text))
    named |= {
        (page.parent / link).resolve().relative_to(ROOT).as_posix() for link in re.findall(r"\]\(([\w./-]+)", text)
    }
    assert not {name for name in named if not (ROOT / name).exists()}
