"""The figures of a benchmark's report, and the board that they are worked out from."""

import json
import re
from itertools import pairwise
from types import SimpleNamespace

import pytest
from made_up_board import MEANS, made_up_board

from nenette_agents.benchmark.suite import load_suite
from nenette_agents.config.files import shipped_suites
from nenette_agents.errors import RunError
from nenette_agents.report import pictures
from nenette_agents.report.board import Board, _command, read_board
from nenette_agents.report.figures import figures_of, statistics_json
from nenette_agents.report.leaderboard import markdown, markdown_top, write_leaderboard


def test_learners_are_ranked_and_players_nobody_trained_stand_among_them():
    figures = figures_of(made_up_board())
    assert [one.name for one in figures.ranking] == ["optimal", "ppo", "dqn", "q-table", "random"]
    assert [one.name for one in figures.learners] == list(MEANS)
    assert figures.scores["greedy"] == {"demi-iles-greedy": [0.6]}  # not ranked: it does not play all tasks
    assert figures.evaluation_share == pytest.approx(1 / 19)
    ppo = figures.learners[0]
    assert ppo.aggregates["mean"].low < 0.9 < ppo.aggregates["mean"].high
    assert ppo.seconds == 19.0
    area = ppo.area
    assert area is not None
    # Of a curve s x^0.3 from 1/8 to 1, straight between its points.
    points = [(0.125, 0.125**0.3), (0.25, 0.25**0.3), (0.5, 0.5**0.3), (1.0, 1.0)]
    steps = pairwise(points)
    expected = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in steps) / 0.875
    assert area.value == pytest.approx(expected * ppo.aggregates["interquartile mean"].value, rel=0.03)


def test_a_learner_that_learns_nothing_scores_nothing_within_its_interval():
    figures = figures_of(made_up_board({"ppo": 0.9, "broken": 0.0}))
    broken = next(one for one in figures.ranking if one.name == "broken")
    assert broken.aggregates["mean"].low < 0 < broken.aggregates["mean"].high
    pair = figures.comparisons[0]
    assert (pair.first, pair.second, pair.probability.value, pair.seeds_needed) == ("ppo", "broken", 1.0, 2)


def test_a_seed_that_lacks_a_run_is_left_out_and_what_failed_is_told():
    board = made_up_board()
    last = board.runs[-1]
    failed = last.model_copy(update={"raw": None, "score": None, "reason": "the disk was full"})
    figures = figures_of(board.model_copy(update={"runs": [*board.runs[:-1], failed]}))
    q_table = figures.learners[-1]
    assert (q_table.name, q_table.seeds) == ("q-table", [0, 1, 2, 3])
    assert figures.failed == [f"q-table on {last.task}, seed 4: the disk was full"]
    assert len(figures.scores["q-table"]["demi-iles-solo"]) == 5
    whole = figures_of(board)
    assert figures.comparisons[0] == whole.comparisons[0]
    assert figures.comparisons[1].difference != whole.comparisons[1].difference


def test_who_is_taught_by_the_solver_is_named_as_what_it_is():
    board = made_up_board({"ppo": 0.9, "distilled": 0.99}, seeds=[0])
    said = "distilled is taught by the solver, as its pupil"
    assert board.pupils == ["distilled"]
    for text in (markdown(board, figures_of(board), "board.md"), markdown_top(board, figures_of(board), "board.md")):
        assert said in text
    assert "pupil" not in markdown(made_up_board(seeds=[0]), figures_of(made_up_board(seeds=[0])), "board.md")


def test_nobody_is_ranked_where_no_seed_is_complete(tmp_path):
    board = made_up_board(seeds=[0])
    figures = figures_of(board.model_copy(update={"runs": board.runs[::2]}))
    assert figures.learners == []
    assert [one.name for one in figures.ranking] == ["optimal", "random", "dqn", "ppo", "q-table"]
    with pytest.raises(RunError, match="nobody can be ranked: no algorithm has a seed of which all tasks are finished"):
        write_leaderboard(board, figures, tmp_path / "leaderboard.md")
    assert list(tmp_path.iterdir()) == []


def test_halves_of_the_seeds_are_compared_from_ten_on():
    assert figures_of(made_up_board(seeds=range(9))).halves is None
    assert figures_of(made_up_board(seeds=range(10))).halves == 1
    board = made_up_board({"ppo": 0.9, "dqn": 0.5}, seeds=range(10))
    turned = [
        run.model_copy(update={"score": 1 - run.score}) if run.seed >= 5 and run.learner == "ppo" else run
        for run in board.runs
    ]
    assert figures_of(board.model_copy(update={"runs": turned})).halves == -1


def test_curves_are_compared_at_steps_that_all_runs_have():
    """A learner that reports at the first chance after a step begins later, and another one ends a little earlier."""
    board = made_up_board()
    later = [
        run.model_copy(update={"curve": [(step + 60, score) for step, score in run.curve[:-1]] + run.curve[-1:]})
        if run.learner == "ppo"
        else run
        for run in board.runs
    ]
    learning = figures_of(board.model_copy(update={"runs": later})).learning
    assert learning is not None
    assert learning.tasks["demi-iles-solo"].steps == [185, 310, 560, 1000]
    dqn = next(run.curve for run in board.runs if (run.learner, run.seed, run.task) == ("dqn", 0, "demi-iles-solo"))
    expected = dqn[0][1] + (185 - 125) / 125 * (dqn[1][1] - dqn[0][1])
    assert learning.tasks["demi-iles-solo"].scores["dqn"][0, 0] == pytest.approx(expected)
    assert learning.shares[0] == 0.185
    only_ends = [run.model_copy(update={"curve": run.curve[-1:]}) for run in board.runs]
    assert figures_of(board.model_copy(update={"runs": only_ends})).learning is None


def test_a_run_far_below_random_play_does_not_squeeze_the_others(monkeypatch):
    figures = figures_of(made_up_board({"ppo": 0.9, "lost": -4.0}, seeds=range(2)))
    drawn = {}
    monkeypatch.setattr(pictures, "picture_of", lambda figure, name, title, alt: drawn.update({title: figure}))
    pictures.curves_picture(figures)
    pictures.profiles_picture(figures)
    (together, curves), (_, profiles) = drawn.items()
    assert together == "Learning curves, all tasks together (below -0.5 not shown)"
    assert curves.axes[0].get_ylim()[0] == -0.55
    assert profiles.axes[0].get_xlim()[0] > -0.7


def test_a_board_comes_back_from_its_file_and_so_do_its_statistics(tmp_path):
    board = made_up_board(seeds=range(3))
    figures = figures_of(board)
    page, kept, picture = write_leaderboard(board, figures, tmp_path / "leaderboard.md")
    assert read_board(kept) == board
    content = json.loads(kept.read_text())
    assert content["statistics"] == statistics_json(figures_of(Board.model_validate(board.model_dump())))
    assert picture.read_bytes()[:4] == b"\x89PNG"
    text = page.read_text()
    assert text == markdown(board, figures, "leaderboard.md")
    assert "- command: `nenette benchmark made-up --seeds 0-2 --jobs 2`" in text
    assert "- by the clock: 1,234 s in all" in text
    assert re.search(r"\| 1 \| ppo \| 0\.9\d\d \[0\.\d{3}, 0\.\d{3}\]", text)
    assert "| – | *optimal* (untrained) | 1.000 |" in text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda board: board.update(runs=3), "runs: input should be a valid list, given 3"),
        (lambda board: board["runs"][0].update(score="high"), "runs.0.score: input should be a valid number"),
        (lambda board: board["runs"][0].update(luck=1), "runs.0.luck: extra inputs are not permitted, given 1"),
        (lambda board: board.update(format=2), "format: input should be 1, given 2"),
        (lambda board: board["suite"]["tasks"].clear(), "suite.tasks: dictionary should have at least 1 item"),
        (lambda board: board["anchors"].update(other={"random": 0, "best": 1}), "the suite has no task 'other'"),
        (lambda board: board["runs"][0].update(task="other"), "there are no anchors of the task 'other'"),
        (lambda board: board["runs"][0].update(learner="other"), "the suite has no learner 'other'"),
        (lambda board: board["anchors"]["demi-iles-solo"].update(best=-5), "that are scores of 0 and 1 are -5.0 both"),
    ],
)
def test_a_file_that_is_no_board_is_one_sentence(tmp_path, change, sentence):
    file, content = tmp_path / "leaderboard.json", made_up_board(seeds=[0]).model_dump(mode="json")
    change(content)
    file.write_text(json.dumps(content))
    with pytest.raises(RunError, match=re.escape(sentence)) as refused:
        read_board(file)
    assert str(refused.value).startswith(f"{file}: ")


def test_the_command_of_a_board_runs_the_tasks_and_learners_that_there_are():
    suite = load_suite(shipped_suites()["smoke"]).only(None, ["ppo", "elsewhere:learn"])
    tasks = list(suite.tasks)
    runs = [SimpleNamespace(task=tasks[0], learner=learner, seed=0) for learner in ("ppo", "elsewhere.learn")]
    results = SimpleNamespace(suite=suite, runs=runs, made_with=SimpleNamespace(jobs=2))
    asked = f"--tasks {tasks[0]} --learners ppo,elsewhere:learn"
    assert _command(results) == f"nenette benchmark smoke --seeds 0-0 {asked} --jobs 2"
    whole = load_suite(shipped_suites()["smoke"])
    runs = [SimpleNamespace(task=task, learner=learner, seed=0) for task in whole.tasks for learner in whole.learners]
    results = SimpleNamespace(suite=whole, runs=runs, made_with=SimpleNamespace(jobs=None))
    assert _command(results) == "nenette benchmark smoke --seeds 0-0"


def test_the_top_says_of_how_many_algorithms_it_is():
    few, many = made_up_board(seeds=[0]), made_up_board(dict.fromkeys("abcde", 0.1), seeds=[0])
    assert ": 3 algorithms, " in markdown_top(few, figures_of(few), "board.md")
    assert " the first 4 of 5 algorithms, " in markdown_top(many, figures_of(many), "board.md")
