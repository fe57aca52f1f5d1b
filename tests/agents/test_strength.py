"""The table of strengths: what it trains, that it goes on where it was, and what it refuses."""

import json
import math
from types import SimpleNamespace

import pytest
from rich.console import Console

from nenette.games import make_game
from nenette.matches import score
from nenette.policies import load_opponent, read_policy
from nenette_agents.errors import ConfigError, RunError
from nenette_agents.strength import FIGURES, Cell, markdown, read_cells, train_all

TINY = """
game: demi-iles
algorithm: ppo
opponents: [greedy]
total_steps: 256
environments: 8
network: {layers: [8]}
evaluation: {every: 128, against: greedy}
ppo: {rollout_steps: 16, batch_size: 32, epochs: 1}
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
    exploitability = score(read_policy(run, game), game, load_opponent("optimal", game)).exploitability
    first, second = report["lines"]
    assert first["figures"] == [exploitability] == [first["median"]]
    assert first["reached"] == (exploitability <= 0.01)
    policy = read_policy(run.with_name("other-seed0"), game)
    # Nobody gets more than 1 in this game, and against the greedy player that can be had.
    assert second["median"] == pytest.approx(score(policy, game, load_opponent("greedy", game)).value)
    before = {path: path.stat().st_mtime_ns for path in (folder / "runs").rglob("policy.*")}
    assert trained(folder)["lines"] == report["lines"]
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "| tiny | exploitability | ≤ 0.0100 | " in markdown(report)


def test_what_was_stopped_goes_on(folder):
    trained(folder)
    run = folder / "runs" / "demi-iles" / "ppo" / "tiny-seed0"
    was = (run / "policy.safetensors").read_bytes()
    facts = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**facts, "status": "running"}))  # as a kill would leave it
    (run / "policy.safetensors").unlink()
    trained(folder, only=["tiny"])
    assert (run / "policy.safetensors").read_bytes() == was


def test_a_figure_is_taken_again_for_another_policy(folder):
    trained(folder)
    run = folder / "runs" / "demi-iles" / "ppo" / "tiny-seed0"
    (run / "strength.json").write_text(json.dumps({"figure": "exploitability", "value": 9.0, "policy": "another"}))
    assert trained(folder, only=["tiny"])["lines"][0]["median"] <= 1


def test_the_better_way_of_playing_counts_in_the_solo_game(tmp_path, monkeypatch):
    from nenette_agents import strength

    told = SimpleNamespace(solo={"optimum": 80.0, "sampled": {"turns": 100.0}, "greedy": {"turns": None}})
    monkeypatch.setattr(strength, "score", lambda *_: told)
    monkeypatch.setattr(strength, "read_policy", lambda *_: None)
    assert FIGURES["turns"](tmp_path, None, make_game("demi-iles-solo")) == pytest.approx(0.25)
    told.solo["greedy"] = {"turns": 84.0}
    assert FIGURES["turns"](tmp_path, None, make_game("demi-iles-solo")) == pytest.approx(0.05)
    told.solo["sampled"] = told.solo["greedy"] = {"turns": None}
    assert math.isinf(FIGURES["turns"](tmp_path, None, make_game("demi-iles-solo")))


def test_bounds_are_kept():
    at_most = Cell(config="x", figure="exploitability", at_most=0.02)
    at_least = Cell(config="x", figure="share", at_least=0.99)
    assert (at_most.reached(0.02), at_most.reached(0.0201)) == (True, False)
    assert (at_least.reached(0.99), at_least.reached(0.9899)) == (True, False)


def test_what_is_wrong_is_told(folder):
    with pytest.raises(
        ConfigError, match=r"table\.yaml has no line 'tinny'; it has tiny, other; did you mean 'tiny'\?$"
    ):
        read_cells(folder / "table.yaml", ["tinny"])
    (folder / "wrong.yaml").write_text("- {config: tiny, figure: strength}")
    with pytest.raises(ConfigError, match=r"wrong\.yaml: 0\.figure: input should be 'turns', 'exploitability' or "):
        read_cells(folder / "wrong.yaml")
    trained(folder)
    (folder / "tiny.yaml").write_text(TINY.replace("epochs: 1", "epochs: 2"))
    try:
        with pytest.raises(RunError, match="tiny-seed0 is a run by another config than "):
            trained(folder)
    finally:
        (folder / "tiny.yaml").write_text(TINY)
