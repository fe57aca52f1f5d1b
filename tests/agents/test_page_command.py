"""`nenette page`, without a browser: what is in the file, what the command says, what it refuses."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from nenette.games import make_game
from nenette_agents.cli import app as cli
from nenette_agents.page.building import texts
from nenette_agents.page.packing import packed
from nenette_agents.page.quatre21 import actions

runner = CliRunner()


def nenette(*arguments):
    return runner.invoke(cli.app, [str(argument) for argument in arguments])


def test_the_page_is_one_file_that_refers_to_nothing_else(tmp_path):
    file = tmp_path / "table.html"
    result = nenette("page", "--game", "demi-iles", "--output", file, "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    page = file.read_text()
    assert report == {
        "page": str(file),
        "bytes": len(page.encode()),
        "games": ["demi-iles"],
        "seconds": report["seconds"],
    }
    code = re.sub(r'<script type="application/json".*?</script>', "", page)
    assert not re.search(r"https?:|//[a-z]|\bsrc=|@import|url\(|\bfetch\(|eval\(|new Function|\{\{", code)
    assert re.findall(r'href="[^"]*"', page) == ['href="data:,"']
    assert page.count("</script>") == 2
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*)</script>', page)[1])
    assert list(data["games"]) == ["demi-iles"]
    assert data["opponents"]["demi-iles"][-1]["name"] == "optimal"
    again = nenette("page", "--game", "demi-iles", "--output", file)
    assert again.stdout == f"{file} is written: {len(page.encode()):,} bytes. Open it in a browser.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--game", "422"], "--game is one of 'demi-iles', '421', 'demi-iles-solo', not '422'; did you mean '421'?"),
        (
            ["--game", "demi-iles-solo"],
            "--game demi-iles-solo alone leaves nobody to play against: add --game demi-iles or 421",
        ),
        (["--output", "."], "--output: . is a folder, and a file is to be written"),
        (["--output", "nowhere/p.html"], "--output: there is no folder nowhere"),
    ],
)
def test_what_cannot_be_is_one_sentence(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    result = nenette("page", *arguments)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"nenette: {sentence}")
    assert not list(tmp_path.iterdir())


def test_both_languages_say_the_same_things():
    english, french = texts()["en"], texts()["fr"]
    assert list(english) == list(french)
    for name, text in english.items():
        assert type(text) is type(french[name])
        if isinstance(text, str):
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", french[name])), name
        else:
            assert list(text) == list(french[name]), name


def test_arrays_of_other_numbers_and_play_that_is_drawn_do_not_travel():
    with pytest.raises(ValueError, match=r"^arrays of uint8, .* can be packed, not of int64$"):
        packed(np.zeros(3, dtype=np.int64))

    class Uniform:
        name = "uniform"

        def action_probabilities(self, observations, masks):
            return masks / masks.sum(axis=1, keepdims=True)

    with pytest.raises(ValueError, match=r"^uniform draws its actions, and a table of single actions was asked for$"):
        actions(make_game("421", fiches=2), Uniform())
