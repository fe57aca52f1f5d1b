"""A benchmark's suite as somebody writes it down, and what is said about a mistake in it."""

from pathlib import Path

import pytest
import yaml

from nenette_agents.benchmark.suite import SCHEMA_FILE, LearnerEntry, load_suite, schema_text
from nenette_agents.config.files import shipped_suites, suite_file
from nenette_agents.errors import ConfigError
from nenette_agents.learners.finding import check_settings

SUITE = """
name: tiny
tasks:
  solo: {game: demi-iles-solo, measure: turns, total_timesteps: 1e3}
  duel: {game: demi-iles, opponents: greedy, measure: value, total_timesteps: 100}
  manche: {game: 421, rules: {manches_to_lose: 1}, opponents: [self], measure: exploitability, total_timesteps: 1000,
    report_at: [0.5, 1]}
learners:
  ppo: {settings: {learning_rate: 0}}
  mine: {learner: "my_module:learn"}
report_at: [0.001, 0.5, 1]
"""


def written(tmp_path, old="", new=""):
    path = tmp_path / "tiny.yaml"
    assert old in SUITE
    path.write_text(SUITE.replace(old, new))
    return path


def test_a_suite_says_what_is_learned_and_by_whom(tmp_path):
    suite = load_suite(written(tmp_path))
    assert list(suite.tasks) == ["solo", "duel", "manche"]
    assert suite.tasks["duel"].opponents == ["greedy"]
    assert suite.tasks["manche"].played.rules.manches_to_lose == 1
    assert suite.tasks["manche"].self_play
    assert suite.reports("solo") == (1, 500, 1000)
    assert suite.reports("manche") == (500, 1000)
    assert suite.reports("duel") == (1, 50, 100)  # nobody is scored before the first decision
    assert suite.learners["ppo"] == LearnerEntry(settings={"learning_rate": 0})
    assert suite.seeds == 5


def test_a_suite_that_is_written_down_again_is_the_same(tmp_path):
    suite, again = load_suite(written(tmp_path)), tmp_path / "again.yaml"
    again.write_text(yaml.safe_dump(suite.model_dump(mode="json"), sort_keys=False))
    assert load_suite(again) == suite


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("measure: turns", "measure: value", "tasks.solo.measure is 'value'; for demi-iles-solo turns was expected"),
        ("measure: value", "measure: worth", "tasks.duel.measure is 'worth'; one of turns, value, exploitability"),
        ("opponents: greedy, ", "", "tasks.duel.opponents is []; a name such as random, or self, was expected"),
        ("solo: {", "solo: {opponents: [random], ", "tasks.solo.opponents is ['random']; none, for it is played alone"),
        ("[self]", "[self, random]", "tasks.manche.opponents is ['self', 'random']; one name was expected"),
        ("opponents: greedy", "oponents: greedy", "tasks.duel.oponents ('greedy') is no key of a suite"),
        ("opponents: greedy", "oponents: greedy", "did you mean 'tasks.duel.opponents'?"),
        ("{settings: ", "{setings: ", "did you mean 'learners.ppo.settings'?"),
        ("game: demi-iles,", "game: demi-ile,", "'demi-ile'"),
        ("1e3", "0", "tasks.solo.total_timesteps is 0; an integer of at least 1"),
        ("name: tiny", "name: ../tiny", "name is '../tiny'; a name of letters, digits, dots"),
        ("duel:", "a/b:", "a name of letters, digits, dots"),
        ("[0.001, 0.5, 1]", "[0.5, 0.25, 1]", "report_at is [0.5, 0.25, 1]; a list of increasing parts"),
        (
            "[0.001, 0.5, 1]",
            "[0.5]",
            "report_at is [0.5]; a list of increasing parts of the training, each above 0 and the last one 1, was",
        ),
        ("name: tiny\n", "", "name is missing; a name of letters, digits, dots"),
        (
            "game: demi-iles,",
            "game: demi-iles, rules: {players: 3},",
            "tasks.duel: demi-iles with 3 players is not scored",
        ),
        ("learners:", "learner:", "learners is missing; a mapping of keys to values"),
        ("{manches_to_lose: 1}", "{manches: 1}", "tasks.manche: "),
        ("rules: {manches_to_lose: 1}", "rules: {players: 3}", "tasks.manche: 421 with 3 players is not scored"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(tmp_path, old, new, said):
    path = written(tmp_path, old, new)
    with pytest.raises(ConfigError) as error:
        load_suite(path)
    assert said in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_a_suite_can_be_like_another_one_and_take_longer(tmp_path):
    written(tmp_path)
    other = tmp_path / "longer.yaml"
    other.write_text("{name: longer, like: tiny, times: 2.5, seeds: 3}")
    suite, tiny = load_suite(other), load_suite(tmp_path / "tiny.yaml")
    assert (suite.name, suite.seeds, suite.learners) == ("longer", 3, tiny.learners)
    assert {name: task.total_timesteps for name, task in suite.tasks.items()} == {
        name: 2.5 * task.total_timesteps for name, task in tiny.tasks.items()
    }
    for wrong, said in {
        "{name: a, like: tiny, times: 0}": "times is 0; a number above 0",
        "{name: a, like: longer}": "like is 'longer'; a suite that says all by itself",
        "{name: a, like: ../tiny}": "like is '../tiny'; the name of a suite in the same folder",
        "{name: a, like: tyni}": "there is no such file; did you mean",
    }.items():
        other.with_name("wrong.yaml").write_text(wrong)
        with pytest.raises(ConfigError) as error:
            load_suite(other.with_name("wrong.yaml"))
        assert said in str(error.value)


SHIPPED = shipped_suites()


@pytest.mark.parametrize("path", SHIPPED.values(), ids=lambda path: path.stem)
def test_a_suite_of_the_package_is_found_by_name_and_says_what_it_is(path):
    schema = "# yaml-language-server: $schema=../../agents/nenette_agents/benchmark/suite.schema.json\n# "
    assert path.read_text().startswith(schema)
    suite = load_suite(path)
    assert suite.name == path.stem
    assert suite_file(Path(path.stem)) == path
    assert suite.description
    assert {"random", "optimal"} <= set(suite.baselines)
    for name, task in suite.tasks.items():
        what = {1: "manche", 2: "match"}[task.played.rules.manches_to_lose] if task.game == "421" else None
        assert name == "-".join(filter(None, [task.game, what, *task.opponents]))
    for name, entry in suite.learners.items():
        for task in suite.tasks.values():
            given = (entry.settings, task.played, tuple(task.opponents), task.total_timesteps)
            check_settings(entry.learner or name, *given)


def test_the_long_suite_is_the_other_one_with_ten_times_the_budgets():
    short, long = load_suite(SHIPPED["nenette-v1"]), load_suite(SHIPPED["nenette-v1-long"])
    assert {name: task.total_timesteps * 10 for name, task in short.tasks.items()} == {
        name: task.total_timesteps for name, task in long.tasks.items()
    }
    assert (long.learners, long.report_at) == (short.learners, short.report_at)
    assert len(short.tasks) == 13
    assert set(short.learners) == {"ppo", "a2c", "dqn", "qr-dqn", "q-table", "distilled"}


def test_the_schema_is_current():
    assert SCHEMA_FILE.read_text() == schema_text(), "python scripts/documentation.py writes it anew"


def test_a_part_of_a_suite_can_be_chosen_and_somebody_added(tmp_path):
    suite = load_suite(written(tmp_path))
    part = suite.only(["manche", "solo"], ["mine", "q-table", "elsewhere:learn"])
    assert list(part.tasks) == ["solo", "manche"]
    assert part.learners == {
        "mine": LearnerEntry(learner="my_module:learn"),
        "q-table": LearnerEntry(learner="q-table"),
        "elsewhere.learn": LearnerEntry(learner="elsewhere:learn"),
    }
    several = suite.only(None, ["one:learn", "two:learn", "mine:mine", "q-table"]).learners
    assert {name: entry.learner for name, entry in several.items()} == {
        "one.learn": "one:learn",
        "two.learn": "two:learn",
        "mine.mine": "mine:mine",  # the suite has a learner of the name mine
        "q-table": "q-table",
    }
    taken = suite.model_copy(update={"learners": {"one.learn": LearnerEntry(learner="another:learn")}})
    with pytest.raises(ConfigError, match=r"'one:learn' would be called one\.learn, as a learner of tiny is already"):
        taken.only(None, ["one:learn"])
    with pytest.raises(ConfigError, match="'duell' is no task of tiny; some of solo, duel, manche were expected; did"):
        suite.only(["duell"])
