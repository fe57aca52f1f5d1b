"""The demo's table, and its place in a page."""

import json
import runpy
from pathlib import Path

import pytest

from nenette.games import make_game
from nenette.matches import score
from nenette.policies import load_opponent
from nenette_agents.benchmark.as_shipped import as_shipped, in_order
from nenette_agents.benchmark.demo import markdown, results, write_into
from nenette_agents.errors import RunError
from nenette_agents.training.parallel import Job, run_trainings

BEGIN, END = "<!-- demo:begin -->", "<!-- demo:end -->"

SCORE = {
    "game": "421",
    "agent": "x",
    "against": "optimal",
    "exact": True,
    "win": 0.25,
    "draw": 0.0,
    "loss": 0.75,
    "value": -0.5,
    "exploitability": 0.625,
    "regret": 0.03125,
    "seconds": 99.9,
    "cpu_seconds": 61.7,
}
VERSIONS = {
    "nenette": "0.1.0",
    "python": "3.11",
    "torch": "2.6",
    "stable-baselines3": "2.6",
    "instruction set": "AVX2",
}
OUTCOME = {"algorithm": "ppo", "seed": 3, "steps": 250_000, "status": "finished", "run": "runs/x", "score": SCORE}


def test_the_table_has_a_row_for_each_run():
    page = markdown({"runs": [OUTCOME], "versions": VERSIONS, "seconds": 99.6, "cores": 2})
    header, rule, row, empty, caption = page.splitlines()
    assert header == (
        "| game | agent | plays | seed | steps | processor time | value vs optimal | exploitability "
        "| endless game: value | endless game: exploitability | regret a decision |"
    )
    assert rule == "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    assert row == "| 421 | PPO | – | 3 | 250,000 | 62 s | -0.5000 | 0.6250 | – | – | 0.03125 |"
    assert (empty, caption.count("every figure is exact")) == ("", 1)
    assert caption.endswith("; nenette 0.1.0, Python 3.11, torch 2.6, stable-baselines3 2.6, instruction set AVX2.")
    assert " is cut after " not in caption


def test_the_game_as_it_is_played_comes_first_and_both_players_of_a_network_have_a_row():
    endless = {"value": -1.0, "exploitability": 1.0}
    drawn = {**SCORE, "game": "demi-iles", "plays": "sampled", "max_turns": 200, "endless": endless, "value": -0.03}
    score = {**drawn, "plays": "greedy", "value": -0.0014, "exploitability": 0.0024, "other_player": drawn}
    page = markdown({"runs": [{**OUTCOME, "score": score}], "versions": VERSIONS, "seconds": 9.0, "cores": 2})
    _, _, greedy, sampled, _, caption = page.splitlines()
    assert greedy.endswith("| greedy | 3 | 250,000 | 62 s | -0.0014 | 0.0024 | -1.0000 | 1.0000 | 0.03125 |")
    assert sampled.endswith("| sampled | 3 | 250,000 | 62 s | -0.0300 | 0.6250 | -1.0000 | 1.0000 | 0.03125 |")
    assert " demi-iles is cut after 200 turns and drawn, but for the endless game. " in caption


def test_results_are_written_and_put_into_a_page(tmp_path, capsys):
    results([OUTCOME], tmp_path / "demo", seconds=1.0)
    printed = capsys.readouterr().out
    assert "-0.5000" in printed
    assert "endless game: exploitability" in printed  # nothing is cut or folded where there is no screen
    assert json.loads((tmp_path / "demo" / "results.json").read_text())["runs"] == [OUTCOME]
    page = tmp_path / "README.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    for _ in range(2):  # a second time changes nothing
        write_into(page, tmp_path / "demo" / "results.md")
        table = (tmp_path / "demo" / "results.md").read_text()
        assert page.read_text() == f"before\n{BEGIN}\n{table}{END}\nafter\n"


def test_a_run_that_was_trained_with_shorter_games_is_scored_in_the_game_as_it_ships(trained):
    shipped, short = make_game("demi-iles"), trained("demi-iles-ppo", "rules.max_turns=20")
    alike = as_shipped(short.report())
    exact = score(load_opponent(short.folder, shipped), shipped, "random").report()
    assert {key: alike["score"][key] for key in exact} == exact
    assert alike["score"] != short.last
    assert (alike["steps"], alike["score"]["seconds"]) == (short.steps, short.last["seconds"])
    same = trained("demi-iles-ppo").report()
    assert as_shipped(same) is same


def test_rows_come_by_game_whichever_was_trained_first():
    runs = [(game, algorithm) for game in ("demi-iles", "421") for algorithm in ("dqn", "ppo")]
    mixed = [{"algorithm": algorithm, "score": {"game": game}} for game, algorithm in runs]
    ordered = [(one["score"]["game"], one["algorithm"]) for one in in_order(mixed)]
    assert ordered == [("421", "ppo"), ("421", "dqn"), ("demi-iles", "ppo"), ("demi-iles", "dqn")]


def test_a_page_without_the_markers_is_left_alone(tmp_path):
    page, table = tmp_path / "README.md", tmp_path / "results.md"
    page.write_text(f"{END} {BEGIN}")
    table.write_text("table")
    with pytest.raises(RunError, match="the markers <!-- demo:begin --> and <!-- demo:end --> were expected"):
        write_into(page, table)
    assert page.read_text() == f"{END} {BEGIN}"


def test_trainings_run_side_by_side_and_come_back_in_order(small_config, trained, tmp_path, capfd):
    """Two processes, of which the second has nothing left to train, and so is over first."""
    finished = trained("421-ppo").folder
    jobs = [
        Job(small_config("421-dqn"), 2, ["network.net_arch=[8]"], "mine"),
        Job(small_config("421-ppo"), resume=finished),
    ]
    ended = []
    outcomes = run_trainings(jobs, tmp_path, at_a_time=2, ended=ended.append)
    assert [(o["algorithm"], o["seed"], o["status"]) for o in outcomes] == [
        ("dqn", 2, "finished"),
        ("ppo", 0, "finished"),
    ]
    assert sorted(ended, key=jobs.index) == jobs
    assert [o["run"] for o in outcomes] == [str(tmp_path / "421" / "dqn" / "mine"), str(finished)]
    assert json.loads((tmp_path / "421" / "dqn" / "mine" / "policy.json").read_text())["layers"][1:] == [8, 8]
    assert "mine: step 256 of 256" in capfd.readouterr().err


def test_a_training_that_fails_ends_the_demo(tmp_path, capfd):
    with pytest.raises(RunError, match=r"none\.yaml ended with exit code 2$"):
        run_trainings([Job(tmp_path / "none.yaml")], tmp_path, at_a_time=2)
    assert "there is no such file" in capfd.readouterr().err


def test_a_config_that_the_demo_cannot_train_gets_a_sentence(monkeypatch, capsys):
    path = str(Path(__file__).parents[2] / "scripts" / "demo.py")
    monkeypatch.setattr("sys.argv", [path, "--configs", "421-pp0"])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(path, run_name="__main__")
    out, err = capsys.readouterr()
    assert (left.value.code, out) == (2, "")
    assert err.count("\n") <= 3
    assert "Traceback" not in err
