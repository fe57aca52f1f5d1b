"""The leaderboard in docs/ follows from its own JSON and from the code, and README shows its top."""

from pathlib import Path

import pytest

from nenette_agents.benchmark.demo import BEGIN, END
from nenette_agents.benchmark.suite import LearnerEntry, load_suite
from nenette_agents.config.files import shipped_suites
from nenette_agents.report.board import read_board
from nenette_agents.report.checking import _suite as differences_of_suite
from nenette_agents.report.checking import check_leaderboard
from nenette_agents.report.figures import figures_of
from nenette_agents.report.leaderboard import markdown, markdown_top

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "leaderboard.md"


@pytest.fixture(scope="module")
def board():
    return read_board(PAGE.with_suffix(".json"))


@pytest.fixture(scope="module")
def figures(board):
    return figures_of(board)


def test_the_page_follows_from_the_scores_of_all_seeds(board, figures):
    assert PAGE.read_text() == markdown(board, figures, PAGE.name)


def test_it_is_of_the_suite_that_ships_and_complete(board):
    assert board.suite == load_suite(shipped_suites()["nenette-v1"])
    seeds = sorted({run.seed for run in board.runs})
    assert len(seeds) >= 5
    made = {(run.task, run.learner, run.seed) for run in board.runs if run.score is not None}
    assert made == {
        (task, learner, seed) for task in board.suite.tasks for learner in board.suite.learners for seed in seeds
    }


def test_readme_shows_its_top(board, figures):
    _, _, rest = (ROOT / "README.md").read_text().partition(BEGIN.format("leaderboard") + "\n")
    shown, end, _ = rest.partition(END.format("leaderboard"))
    assert end
    assert shown == markdown_top(board, figures, "docs/leaderboard.md")


def test_whoever_took_part_besides_is_no_difference_to_the_suite(board):
    learners = {**board.suite.learners, "elsewhere.learn": LearnerEntry(learner="elsewhere:learn")}
    joined = board.model_copy(update={"suite": board.suite.model_copy(update={"learners": learners})})
    assert list(differences_of_suite(joined)) == []
    learners = {**learners, "ppo": LearnerEntry(settings={"n_envs": 1})}
    changed = board.model_copy(update={"suite": board.suite.model_copy(update={"learners": learners})})
    assert any("suite.learners.ppo.settings.n_envs: 1 is said" in one for one in differences_of_suite(changed))


@pytest.mark.slow(reason="scores every untrained player in every task, whole matches of 421 among them")
def test_all_that_takes_no_training_is_worked_out_alike():
    assert [one for one in check_leaderboard(PAGE) if one.differences] == []
