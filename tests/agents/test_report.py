"""A benchmark's report: its page in a browser, the leaderboard, and whether that is checked."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from browser import opened, opened_browser
from made_up_board import VERSIONS, made_up_board
from typer.testing import CliRunner

from nenette.games import make_game
from nenette.matches import score
from nenette.policies import load_opponent
from nenette_agents.benchmark.measures import anchors_of, baselines_of
from nenette_agents.benchmark.results import CurvePoint, MadeWith, RunResult, load_results
from nenette_agents.benchmark.suite import Suite
from nenette_agents.cli.app import app
from nenette_agents.report.agents import played_games
from nenette_agents.report.board import read_board
from nenette_agents.report.figures import figures_of
from nenette_agents.report.leaderboard import markdown_top

SUITE = {
    "name": "made-up",
    "description": "Nobody learned <b>anything</b> & everybody was copied.",
    "tasks": {
        "islands-greedy": {"game": "demi-iles", "opponents": "greedy", "measure": "value", "total_timesteps": 1000},
        "islands-self": {
            "game": "demi-iles",
            "opponents": "self",
            "measure": "exploitability",
            "total_timesteps": 2000,
        },
        "three-fiches": {
            "game": "421",
            "rules": {"fiches": 3, "manches_to_lose": 1},
            "opponents": "random",
            "measure": "value",
            "total_timesteps": 1000,
        },
    },
    "learners": {"ppo": {}, "dqn": {}},
    "baselines": ["random", "greedy", "optimal"],
}
COPIED = {"ppo": "ppo-weak", "dqn": "dqn-weak"}
OPPONENTS = Path(str(load_opponent.__globals__["__file__"])).parents[1] / "opponents" / "demi-iles"


def nenette(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="nenette")


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    """The folder of a benchmark whose policies are opponents of the package and whose other figures are made up."""
    folder = tmp_path_factory.mktemp("runs") / "made-up"
    folder.mkdir()
    (folder / "suite.yaml").write_text(yaml.safe_dump(SUITE, sort_keys=False))
    made_with = MadeWith(versions=VERSIONS, processor="made up", cores=2, jobs=2, seconds=60.0)
    (folder / "made_with.json").write_text(made_with.model_dump_json())
    suite = Suite.model_validate(SUITE)
    board = made_up_board({"ppo": 0.9, "dqn": 0.6}, tasks=SUITE["tasks"])
    for name, task in suite.tasks.items():
        anchors = anchors_of(task)
        baselines = [one.model_dump() for one in baselines_of(name, task, suite.baselines, anchors)]
        facts = {"task": name, "anchors": anchors.model_dump(), "baselines": baselines}
        (folder / name).mkdir()
        (folder / name / "task.json").write_text(json.dumps({**facts, "cpu_seconds": 1.0, "determined_by": "0"}))
        for run in (one for one in board.runs if one.task == name):
            at = folder / name / run.learner / f"seed-{run.seed}"
            at.mkdir(parents=True)
            raw = anchors.random + run.score * (anchors.best - anchors.random)
            last = CurvePoint(timesteps=run.curve[-1][0], raw=raw, score=anchors.score(raw))
            curve = [CurvePoint(timesteps=step, raw=0.0, score=score) for step, score in run.curve[:-1]]
            result = RunResult(
                task=name,
                learner=run.learner,
                seed=run.seed,
                status="finished",
                raw=raw,
                score=last.score,
                curve=(*curve, last),
                training_cpu_seconds=18.0,
                evaluation_cpu_seconds=1.0,
                rules_id=task.played.rules_id,
                determined_by="0",
                made_with=made_with,
            )
            entry = result.model_dump(mode="json")
            if task.game == "demi-iles":
                entry["policy"] = "here"
                for file in (OPPONENTS / COPIED[run.learner]).glob("policy.*"):
                    shutil.copy(file, at)
            else:
                entry["policy_reason"] = "a <table> cannot be written down"
            (at / "run.json").write_text(json.dumps(entry))
    at = folder / "three-fiches" / "dqn" / "seed-4" / "run.json"
    failed = {**json.loads(at.read_text()), "status": "failed", "reason": "out of <memory>", "raw": None, "score": None}
    at.write_text(json.dumps(failed))
    return folder


@pytest.fixture(scope="module")
def written(benchmark):
    """The report with a leaderboard and a README, and the report's JSON."""
    readme = benchmark.parent / "README.md"
    readme.write_text("before\n<!-- leaderboard:begin -->\nold\n<!-- leaderboard:end -->\nafter\n")
    result = nenette(
        *("report", benchmark, "--leaderboard", benchmark.parent / "leaderboard.md", "--readme", readme, "--json")
    )
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_middle_seed_of_self_play_sits_at_the_table(benchmark):
    islands, fiches = played_games(load_results(benchmark))
    assert islands.title == "demi-iles"
    assert [(one.name, one.trained) for one in islands.shown] == [
        *(("ppo", True), ("dqn", True)),
        *(("random", False), ("greedy", False), ("optimal", False)),
    ]
    scores = {
        run.seed: run.score
        for run in load_results(benchmark).runs
        if (run.task, run.learner) == ("islands-self", "ppo")
    }
    middle = sorted(scores, key=scores.__getitem__)[2]
    assert islands.shown[0].origin == f"islands-self, seed {middle}"
    assert fiches.title == "421 (fiches 3, manches_to_lose 1)"
    assert fiches.notes == (
        "ppo is not shown: a <table> cannot be written down",
        "dqn is not shown: a <table> cannot be written down",
    )


def test_the_page_has_every_picture_in_itself_and_beside_it(benchmark, written):
    page = Path(written["page"]).read_text()
    assert not re.search(r"https?:|//[a-z]|<script|@import|url\(", re.sub(r'"data:[^"]*"', '""', page))
    names = {Path(file).stem for file in written["pictures"]}
    assert {"leaderboard", "profiles", "aggregates", "curves", "curve-islands-self", "table-demi-iles"} <= names
    assert "map-demi-iles-ppo" in names
    assert page.count("<img ") == len(names) == len(written["pictures"]) / 2
    for file in map(Path, written["pictures"]):
        assert file.read_bytes()[:5] == (b"<?xml" if file.suffix == ".svg" else b"\x89PNG\r")


def test_what_others_wrote_is_shown_as_they_wrote_it(written):
    page = Path(written["page"]).read_text()
    assert "Nobody learned &lt;b&gt;anything&lt;/b&gt; &amp; everybody was copied." in page
    assert "dqn on three-fiches, seed 4: out of &lt;memory&gt;" in page
    assert "a &lt;table&gt; cannot be written down" in page
    assert "<b>" not in page


def test_the_page_tells_the_exact_values_of_all_against_all(written):
    page = Path(written["page"]).read_text()
    game = make_game("demi-iles")
    value = score(load_opponent("ppo-weak", game), game, load_opponent("optimal", game)).value
    assert f"<td>{value:+.3f}</td>" in page


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser(written, width):
    page = Path(written["page"])
    with opened_browser() as browser, opened(browser, page, width=width) as tab:
        pictures = tab.evaluate("[...document.images].map(one => [one.complete && one.naturalWidth, one.alt.length])")
        assert len(pictures) == len(written["pictures"]) / 2
        assert all(loaded > 0 and words > 20 for loaded, words in pictures)
        assert tab.evaluate("[...document.images].every(one => one.getBoundingClientRect().right <= innerWidth)")
        assert tab.evaluate(
            "[...document.querySelectorAll('nav a')].every(one => document.querySelector(one.getAttribute('href')))"
        )
        small = tab.evaluate(
            "[...document.querySelectorAll('p, td, th, li')]"
            ".filter(one => parseFloat(getComputedStyle(one).fontSize) < 13)"
        )
        assert small == []
        tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")


def test_the_readme_gets_the_top_and_the_picture(benchmark, written):
    text = (benchmark.parent / "README.md").read_text()
    board = read_board(benchmark.parent / "leaderboard.json")
    top = markdown_top(board, figures_of(board), "leaderboard.md")
    assert text == f"before\n<!-- leaderboard:begin -->\n{top}<!-- leaderboard:end -->\nafter\n"
    assert "](leaderboard.png)" in top
    assert "*optimal*" not in top


def test_a_leaderboard_is_checked_and_each_wrong_figure_is_named(benchmark, written, tmp_path):
    for name in ("leaderboard.md", "leaderboard.json"):
        shutil.copy(benchmark.parent / name, tmp_path)
    page, kept = tmp_path / "leaderboard.md", tmp_path / "leaderboard.json"

    def checked():
        result = nenette("report", "--check", page, "--json")
        report = json.loads(result.stdout)
        assert result.exit_code == (0 if report["agrees"] else 1)
        return {one["what"]: one["differences"] for one in report["checks"] if one["differences"]}

    wrong = checked()
    assert list(wrong) == ["the suite is the package's of that name"]  # there is no suite made-up in the package
    good = json.loads(kept.read_text())

    def changed(change):
        content = json.loads(json.dumps(good))
        change(content)
        kept.write_text(json.dumps(content))
        return checked()

    found = changed(lambda one: one["anchors"]["islands-self"].update(random=-1.5))
    assert len(found["what scores 0 and 1 in each task"]) == 1
    assert found["what scores 0 and 1 in each task"][0].startswith("anchors of islands-self.random: -1.5 is said, and ")
    found = changed(lambda one: one["baselines"][0].update(raw=0.123))
    assert found["the untrained players' scores"][0].startswith("baselines of islands-greedy.random.raw: 0.123 is said")
    found = changed(lambda one: one["runs"][0].update(raw=0.5))
    assert found["every run's score follows from its raw figure"][0].startswith("ppo on islands-greedy, seed 0: ")
    found = changed(lambda one: one["statistics"]["ranking"][1]["aggregates"]["mean"].__setitem__(2, 0.99))
    assert list(found) == [*wrong, "statistics of all seeds"]
    kept.write_text(json.dumps(good))
    page.write_text(page.read_text().replace("| 1 | ppo |", "| 1 | dqn |"))
    assert list(checked()) == [*wrong, "the page is that of the JSON file"]
    said = nenette("report", "--check", page)
    assert "differs  the page is that of the JSON file" in said.stdout
    assert said.stdout.rstrip().endswith("which takes the command above the leaderboard")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name a benchmark's folder, such as runs/smoke, or a leaderboard to check: --check FILE"),
        (["nowhere"], "nowhere holds no benchmark: there is no suite.yaml in it"),
        (["nowhere", "--check", "leaderboard.md"], "--check FILE stands alone"),
        (["nowhere", "--readme", "README.md"], "--readme shows the top of a leaderboard: say with --leaderboard FILE"),
        (["--check", "nowhere.md"], "nowhere.json cannot be read: No such file or directory"),
        (["--check", "nowhere.txt"], "a leaderboard is a page in Markdown, such as docs/leaderboard.md"),
        (["nowhere", "--leaderboard", "board.html"], "such as docs/leaderboard.md, and board.html was given"),
    ],
)
def test_what_cannot_be_reported_is_one_sentence(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    result = nenette("report", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
