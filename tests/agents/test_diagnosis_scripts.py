"""The scripts that say where an agent loses, and which moves decide everything."""

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


def script(name: str, *arguments: str) -> CompletedProcess[str]:
    """Runs the file as `python scripts/NAME` does, in this process: a new one takes seconds to import torch."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    command = [str(SCRIPTS / name), *arguments]
    with mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_path(command[0], run_name="__main__")
        except SystemExit as left:
            code = int(left.code or 0)
    return CompletedProcess(command, code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def regrets(own_cache) -> dict:
    return json.loads(script("regret.py", "greedy", "--game", "demi-iles", "--json").stdout)


def test_regret_by_each_field_adds_up(regrets):
    assert regrets["lost"] > 0
    assert {"own score", "score of the next player"} <= set(regrets["by"])
    assert len(regrets["by"]["own score"]) > 10
    for lines in regrets["by"].values():
        for figure in ("lost", "decisions"):
            assert sum(line[figure] for line in lines) == pytest.approx(regrets[figure], rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody", "--game", "421"], "regret: 'nobody' is neither a policy of 421 "),
        (["random", "--game", "demi-iles-solo"], "regret: a game with an opponent is one of 'demi-iles', '421', not "),
        (["random", "--game", "demi-iles", "--by", "own scor"], "regret: a field of demi-iles is one of 'own score', "),
    ],
)
def test_what_is_wrong_gets_a_sentence(own_cache, arguments, sentence):
    result = script("regret.py", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1


def test_moves_that_decide_everything_are_counted_where_the_play_is_safe(own_cache):
    report = json.loads(script("decisive.py", "--discount", "0.1", "--discount", "0.5", "--json").stdout)
    short_sighted, safe = report["lines"]
    assert short_sighted["exploitability"] == pytest.approx(0.2367491166, abs=1e-9)  # as in tests/exact
    assert short_sighted["moves"] is None
    assert safe["exploitability"] == pytest.approx(0, abs=1e-9)
    assert (safe["moves"], safe["faintest"]) == (219, pytest.approx(0.0908, abs=1e-4))


def test_a_network_fitted_to_the_solver_loses_less_the_longer_it_is(own_cache):
    quick = ["--layers", "16", "--watched", "20", "--json"]
    reports = [
        json.loads(script("capacity_421.py", *quick, "--steps", steps, "--learns", learns).stdout)
        for learns, steps in (("values", "1"), ("values", "80"), ("odds", "80"))
    ]
    assert reports[0]["layers"] == [93, 16, 8]
    assert all(0 < one["exploitability"] < reports[0]["exploitability"] < 1 for one in reports[1:])


@pytest.mark.parametrize("name", ["capacity", "capacity_421"])
def test_invalid_layers_get_a_sentence(name):
    result = script(f"{name}.py", "--layers", "128;64")
    sentence = f"{name}: --layers is '128;64'; sizes such as 128,128 were expected, each of at most 9999\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", sentence)


def test_a_config_that_the_demo_cannot_train_gets_a_sentence():
    result = script("demo.py", "--configs", "421-pp0")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") <= 3
    assert "Traceback" not in result.stderr
