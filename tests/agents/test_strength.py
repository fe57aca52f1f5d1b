"""The table of strengths: what it trains, that it goes on where it was, and what it refuses."""

import json
import math
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from nenette.games import make_game
from nenette.matches import score
from nenette.policies import load_opponent, read_policy
from nenette_agents.benchmark.strength import (
    Cell,
    _finite,
    _from_json,
    _line,
    markdown,
    read_cells,
    report_on,
    train_all,
)
from nenette_agents.benchmark.strength_figures import FIGURES, Measured
from nenette_agents.errors import ConfigError, RunError

VERSIONS = {"nenette": "1", "python": "3", "torch": "2", "stable-baselines3": "2", "instruction set": "AVX2"}
TIMES = {"seconds": [600.0] * 5, "cpu_seconds": [60.0, 61.0, 62.0, 63.0, 64.0]}
TINY = """
game: demi-iles
algorithm: ppo
opponents: [greedy]
total_timesteps: 256
n_envs: 8
network: {net_arch: [8]}
evaluation: {every: 128, against: greedy}
ppo: {n_steps: 16, batch_size: 32, n_epochs: 1}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two lines, trained with one seed each."""
    folder = tmp_path_factory.mktemp("strength")
    (folder / "tiny.yaml").write_text(TINY)
    (folder / "table.yaml").write_text(
        "- {config: tiny, figure: exploitability, at_most: 0.01}\n- {config: other, figure: share, at_least: 0}\n"
    )
    (folder / "other.yaml").write_text(TINY.replace("[8]", "[4]"))
    return folder


def trained(folder, seeds=(0,), only=()):
    cells = read_cells(folder / "table.yaml", only)
    return train_all(cells, folder, folder / "runs", seeds=seeds, at_a_time=2, console=Console(quiet=True))


def test_each_line_is_trained_scored_exactly_and_kept(folder):
    report = trained(folder)
    game = make_game("demi-iles")
    run = folder / "runs" / "demi-iles" / "ppo" / "tiny-seed0"
    found = score(read_policy(run, game), game, load_opponent("optimal", game))
    first, second = report["lines"]
    assert first["figures"] == [found.exploitability] == [first["median"]]
    endless = [found.endless.exploitability]
    assert first["endless"] == {"figures": endless, "median": endless[0], "unexploitable": 0}
    assert first["reached"] == (endless[0] <= 0.01)
    assert (first["plays"], first["other_player"]["plays"]) == (["sampled"], ["greedy"])
    assert first["other_player"]["figures"] == [found.other_player.exploitability]
    of_greedy = score(load_opponent("greedy", game), game, load_opponent("optimal", game))
    against = score(read_policy(run.with_name("other-seed0"), game), game, load_opponent("greedy", game))
    assert second["median"] == pytest.approx(against.value / of_greedy.exploitability)
    # Nobody gets more than 1 in this game, and against the greedy player that can be had if it is never cut.
    assert second["endless"]["median"] == pytest.approx(against.endless.value)
    before = {path: path.stat().st_mtime_ns for path in (folder / "runs").rglob("policy.*")}
    assert trained(folder)["lines"] == report["lines"]
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "| tiny | exploitability (sampled) | ≤ 0.0100, endless game | " in markdown(report)


def test_every_seed_is_shown_and_how_many_are_unexploitable():
    cell = Cell(config="x", figure="exploitability", at_most=0.01)

    def one(value, endless):
        return Measured("greedy", value, endless, Measured("sampled", value + 0.005, 1.0))

    found = [one(0.0, 0.0), one(0.0024, 1.0), one(0.0, 1e-13), one(0.0, 0.0), one(0.0011, 1.0)]
    line = _line(cell, [0, 1, 2, 3, 4], found, TIMES)
    assert line["endless"]["unexploitable"] == 3
    assert line["reached"]
    assert not _line(cell, [0, 1, 2], found[1:2] * 3, TIMES)["reached"]
    page = markdown({"lines": [line], "cores": 2, "versions": VERSIONS, "seeds": [0, 1, 2, 3, 4], "missing": []})
    for said in (
        "| 0.0000 | 0.0000, 0.0024, 0.0000, 0.0000, 0.0011 | 3 of 5 seeds unexploitable (0.0000, 1.0000, ",
        "sampled: 0.0050 (0.0050, 0.0074, 0.0050, 0.0050, 0.0061); endless game: 0 of 5 seeds unexploitable (1.0000",
        "Exact figures of 5 seeds",
        " | 62 s |",
        "instruction set AVX2.",
    ):
        assert said in page


def test_what_was_stopped_goes_on(folder):
    trained(folder)
    run = folder / "runs" / "demi-iles" / "ppo" / "tiny-seed0"
    was = (run / "policy.safetensors").read_bytes()
    facts = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**facts, "status": "running"}))  # as a kill would leave it
    (run / "policy.safetensors").unlink()
    trained(folder, only=["tiny"])
    assert (run / "policy.safetensors").read_bytes() == was


def test_a_page_gets_the_lines_of_which_all_seeds_are_finished(folder):
    trained(folder)
    facts = folder / "runs" / "demi-iles" / "ppo" / "other-seed0" / "run.json"
    finished = facts.read_text()
    facts.write_text(json.dumps({**json.loads(finished), "status": "interrupted"}))
    cells = read_cells(folder / "table.yaml")
    try:
        report = report_on(cells, folder, folder / "runs", seeds=[0])
    finally:
        facts.write_text(finished)
    assert ([line["config"] for line in report["lines"]], report["missing"]) == (["tiny"], ["other"])
    assert "Not trained with 1 seeds by its present config, and so without a line: other. " in markdown(report)
    run = json.loads(facts.with_name("run.json").read_text())
    assert report["versions"] == run["versions"]


def test_a_figure_is_taken_again_for_another_policy(folder):
    trained(folder)
    run = folder / "runs" / "demi-iles" / "ppo" / "tiny-seed0"
    (run / "strength.json").write_text(json.dumps({"figure": "exploitability", "measured": 9.0, "policy": "another"}))
    assert trained(folder, only=["tiny"])["lines"][0]["median"] <= 1


def test_the_better_way_of_playing_comes_first_in_the_solo_game(tmp_path, monkeypatch):
    from nenette_agents.benchmark import strength_figures

    scored = SimpleNamespace(solo={"optimum": 80.0, "sampled": {"turns": 100.0}, "greedy": {"turns": None}})
    monkeypatch.setattr(strength_figures, "score", lambda *_: scored)
    monkeypatch.setattr(strength_figures, "read_policy", lambda *_: None)

    def measured():
        found = FIGURES["turns"](tmp_path, None, make_game("demi-iles-solo"))
        return [(one.plays, one.value) for one in (found, found.other_player)]

    assert measured() == [("sampled", pytest.approx(0.25)), ("greedy", math.inf)]
    scored.solo["greedy"] = {"turns": 84.0}
    assert measured() == [("greedy", pytest.approx(0.05)), ("sampled", pytest.approx(0.25))]
    scored.solo["sampled"] = scored.solo["greedy"] = {"turns": None}
    assert [value for _, value in measured()] == [math.inf, math.inf]


def test_a_play_that_may_never_end_is_written_to_json_and_read_again():
    found = Measured("sampled", 0.05, None, Measured("greedy", math.inf))
    kept = json.dumps(_finite(asdict(found)), allow_nan=False)
    assert _from_json(json.loads(kept)) == found
    assert _from_json({"plays": "greedy"}) is None
    cell = Cell(config="x", figure="turns", at_most=0.08)
    never = Measured("greedy", math.inf, None, Measured("sampled", math.inf))
    line = _line(cell, [0, 1, 2], [found, found, never], {"seconds": [1.0] * 3, "cpu_seconds": [1.0] * 3})
    assert line["reached"]
    report = _finite({"lines": [line], "cores": 2, "versions": VERSIONS, "seeds": [0, 1, 2], "missing": []})
    json.dumps(report, allow_nan=False)
    assert "| 5.0% | 5.0%, 5.0%, no end | – | greedy or sampled: no end (no end, no end, no end) |" in markdown(report)


def test_a_page_gets_no_table_of_few_seeds(tmp_path):
    script = Path(__file__).parents[2] / "scripts" / "strength.py"
    command = [sys.executable, script, "--readme", "--seed", "0", "--seed", "1", "--runs", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("--readme: a table of 5 seeds or more was expected, and 2 are asked for\n")


def test_bounds_are_kept():
    at_most = Cell(config="x", figure="exploitability", at_most=0.02)
    at_least = Cell(config="x", figure="share", at_least=0.99)
    assert (at_most.reached(0.02), at_most.reached(0.0201)) == (True, False)
    assert (at_least.reached(0.99), at_least.reached(0.9899)) == (True, False)


def test_what_is_wrong_gets_a_sentence(folder):
    with pytest.raises(
        ConfigError, match=r"table\.yaml has no line 'tinny'; it has tiny, other; did you mean 'tiny'\?$"
    ):
        read_cells(folder / "table.yaml", ["tinny"])
    (folder / "wrong.yaml").write_text("- {config: tiny, figure: strength}")
    with pytest.raises(ConfigError, match=r"wrong\.yaml: 0\.figure: input should be 'turns', 'exploitability' or "):
        read_cells(folder / "wrong.yaml")
    trained(folder)
    (folder / "tiny.yaml").write_text(TINY.replace("n_epochs: 1", "n_epochs: 2"))
    try:
        with pytest.raises(RunError, match="tiny-seed0 is a run by another config than "):
            trained(folder)
    finally:
        (folder / "tiny.yaml").write_text(TINY)
