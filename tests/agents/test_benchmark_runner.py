"""What a benchmark makes, keeps, makes again and records, with learners that take no time and no processes."""

import io
import json
import math
from pathlib import Path

import pytest
from rich.console import Console

from nenette.matches import score
from nenette.policies import load_opponent
from nenette_agents.benchmark.display import Display
from nenette_agents.benchmark.evaluation import find_agent
from nenette_agents.benchmark.measures import anchors_of, raw_figure
from nenette_agents.benchmark.results import Anchors, load_results
from nenette_agents.benchmark.runner import InterruptedBenchmark, run_benchmark
from nenette_agents.benchmark.suite import Suite, Task
from nenette_agents.benchmark.workers import Done
from nenette_agents.errors import ConfigError, RunError

DUEL = {"game": "demi-iles", "opponents": ["greedy"], "measure": "value", "total_timesteps": 100}
ALONE = {"game": "demi-iles", "opponents": ["self"], "measure": "exploitability", "total_timesteps": 200}


def suite_of(*learners: str, **changes) -> Suite:
    document = {
        "name": "tiny",
        "tasks": {"duel": DUEL, "alone": ALONE},
        "learners": {name: {"learner": f"benchmark_learners:{name}"} for name in learners},
        "baselines": ["random", "greedy", "optimal", "cautious"],
        "seeds": 2,
    }
    return Suite.model_validate({**document, **changes})


class Here:
    """Workers that are this process; they stop after so many calls as by Ctrl-C."""

    def __init__(self, most: int = 1000) -> None:
        self.jobs: list[str] = []
        self._most = most

    def work(self, calls, tick):
        for number, call in enumerate(calls):
            if number == self._most:
                raise KeyboardInterrupt
            self.jobs.append(str(call.job))
            yield Done(call, call.function(call.job))


def made(suite, folder, workers=None, seeds=(0, 1), **options):
    console = Console(file=io.StringIO())
    return run_benchmark(suite, folder, workers or Here(), Display(console), seeds=seeds, **options)


def scores(results):
    return {(run.task, run.learner, run.seed): (run.raw, run.curve) for run in results.runs}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return made(suite_of("drawn", "failing"), tmp_path_factory.mktemp("runs"))


def test_every_task_learner_and_seed_is_a_run_in_a_folder_of_its_own(results):
    assert [(run.task, run.learner, run.seed) for run in results.runs] == [
        (task, learner, seed) for task in ("duel", "alone") for learner in ("drawn", "failing") for seed in (0, 1)
    ]
    run = results.runs[0]
    noted = json.loads((results.folder / "duel" / "drawn" / "seed-0" / "run.json").read_text())
    assert noted["raw"] == run.raw
    assert [point.timesteps for point in run.curve] == [12, 25, 50, 100]
    assert (run.raw, run.score) == (run.curve[-1].raw, run.curve[-1].score)
    assert run.training_seconds > 0
    assert run.evaluation_cpu_seconds > 0
    assert run.made_with.versions["nenette"]
    assert run.made_with.threads == 1
    assert run.made_with.processor
    assert results.made_with.seconds > 0
    assert (run.policy, run.policy_reason) == (
        None,
        "the agent, an object of function, cannot be written down; a model of stable-baselines3 with an MlpPolicy, an "
        "nn.Sequential of Linear with Tanh or ReLU between them, a NetworkPolicy and a TablePolicy can",
    )


def test_random_scores_0_the_best_response_1_and_nobody_is_clipped(results):
    found = {(one.task, one.name): one for one in results.baselines}
    assert set(found) == {(task, name) for task in ("duel", "alone") for name in ("random", "greedy", "optimal")}
    for task in ("duel", "alone"):
        assert found[task, "random"].score == 0
    assert found["alone", "optimal"].score == pytest.approx(1, abs=1e-9)
    game = results.suite.tasks["duel"].played
    assert found["duel", "random"].raw == pytest.approx(score("random", game, "greedy").value, abs=1e-12)
    best = score("greedy", game, "greedy").exploitability
    assert results.tasks["duel"].anchors.best == pytest.approx(best, abs=1e-12)
    assert found["duel", "optimal"].score == pytest.approx(
        (score("optimal", game, "greedy").value - found["duel", "random"].raw) / (best - found["duel", "random"].raw)
    )
    assert 0.9 < found["duel", "optimal"].score < 1
    assert results.tasks["duel"].anchors.score(-1.0) < 0


def test_a_run_that_fails_is_recorded_with_its_reason_and_stops_nobody(results):
    failed = {run.seed: run for run in results.runs if run.learner == "failing" and run.task == "duel"}
    assert [failed[0].status, failed[1].status] == ["finished", "failed"]
    assert failed[1].reason == "RuntimeError: the loss is not finite"
    assert (failed[1].raw, failed[1].score, len(failed[1].curve)) == (None, None, 1)
    trace = results.folder / "duel" / "failing" / "seed-1" / "error.txt"
    assert 'raise RuntimeError("the loss' in trace.read_text()


def test_what_is_finished_is_not_run_again_and_what_failed_is(tmp_path):
    suite = suite_of("failing")
    first = made(suite, tmp_path)
    again = Here()
    second = made(suite, tmp_path, again)
    assert again.jobs == ["duel/failing/seed-1", "alone/failing/seed-1"]
    assert scores(second) == scores(first)


def test_an_interrupted_benchmark_goes_on_where_it_was(tmp_path):
    suite = suite_of("drawn")
    whole = made(suite, tmp_path / "whole")
    stopping = Here(most=2 + 3)
    with pytest.raises(InterruptedBenchmark) as stopped:
        made(suite, tmp_path / "half", stopping)
    assert (stopped.value.finished, stopped.value.total) == (3, 4)
    assert len(load_results(tmp_path / "half" / "tiny").finished()) == 3
    rest = Here()
    assert scores(made(suite, tmp_path / "half", rest)) == scores(whole)
    assert rest.jobs == ["alone/drawn/seed-1"]
    with pytest.raises(InterruptedBenchmark):
        made(suite, tmp_path / "nothing", Here(most=0))
    assert load_results(tmp_path / "nothing" / "tiny").runs == ()


def test_runs_of_other_settings_are_refused_or_made_again_when_that_is_said(tmp_path):
    first = made(suite_of("drawn"), tmp_path, seeds=[0])
    other = suite_of("drawn", tasks={"duel": {**DUEL, "total_timesteps": 50}, "alone": ALONE})
    with pytest.raises(RunError, match=r"duel/drawn/seed-0 was made by another task, learner, .* --again makes"):
        made(other, tmp_path, seeds=[0])
    assert scores(load_results(tmp_path / "tiny")) == scores(first)
    working = Here()
    second = made(other, tmp_path, working, seeds=[0], again=True)
    assert working.jobs[1:] == ["duel/drawn/seed-0"]
    assert second.runs[0].curve[-1].timesteps == 50


def test_a_learner_whose_file_has_changed_is_made_again_when_that_is_said(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "changing_learner.py"
    text = "import benchmark_learners\n\nlearn = benchmark_learners.drawn\n"
    file.write_text(text)
    suite = suite_of("changing", learners={"changing": {"learner": "changing_learner:learn"}})
    made(suite, tmp_path, seeds=[0], tasks=["duel"])
    file.write_text(text + "# another learner\n")
    with pytest.raises(RunError, match=r"duel/changing/seed-0 was made by another task, learner, code of the learner"):
        made(suite, tmp_path, seeds=[0], tasks=["duel"])
    working = Here()
    made(suite, tmp_path, working, seeds=[0], tasks=["duel"], again=True)
    assert working.jobs == ["duel/changing/seed-0"]
    made(suite, tmp_path, idle := Here(), seeds=[0], tasks=["duel"])
    assert idle.jobs == []


def test_the_same_seed_gives_the_same_run_whatever_ran_before_it(tmp_path):
    together = scores(made(suite_of("failing", "drawn"), tmp_path / "a"))
    alone = scores(made(suite_of("drawn"), tmp_path / "b", seeds=[1], tasks=["alone"]))
    assert together["alone", "drawn", 1] == alone["alone", "drawn", 1]
    assert together["alone", "drawn", 0] != alone["alone", "drawn", 1]


def test_a_part_can_be_run_and_whoever_joins_stays_in_the_results(tmp_path):
    suite = suite_of("drawn")
    made(suite, tmp_path, seeds=[3], tasks=["duel"], learners=["benchmark_learners:done"])
    results = made(suite, tmp_path, seeds=[3], tasks=["alone"])
    assert [(run.task, run.learner) for run in results.runs] == [
        ("duel", "benchmark_learners.done"),
        ("alone", "drawn"),
    ]
    assert list(results.suite.learners) == ["drawn", "benchmark_learners.done"]


def test_a_learner_that_is_not_there_stops_everything_before_it_begins(tmp_path):
    suite = suite_of("drawn", learners={"drwan": {"learner": "benchmark_learners:drwan"}})
    with pytest.raises(ConfigError, match=r"learner drwan in task duel: .*did you mean 'drawn'"):
        made(suite, tmp_path)
    assert not (tmp_path / "tiny").exists()


def test_results_that_are_not_there_or_damaged_are_told(tmp_path, results):
    with pytest.raises(RunError, match=r"holds no benchmark: there is no suite\.yaml in it"):
        load_results(tmp_path)
    folder = made(suite_of("drawn"), tmp_path, seeds=[0]).folder
    path = folder / "alone" / "drawn" / "seed-0" / "run.json"
    path.write_text(path.read_text().replace('"finished"', '"ended"'))
    with pytest.raises(RunError, match=r"run\.json is damaged: status: "):
        load_results(folder)


def test_half_games_rank_players_of_the_solo_game_as_whole_games_do():
    """The whole games' turns are those of the cards, in which each is given up after a turn with a chance of 1/1000."""
    task = Task(game="demi-iles-solo", measure="turns", total_timesteps=1)
    whole = {"optimal": 76.92, "collector": 86.74, "climber": 100.78, "random": 389.07}
    half = {name: raw_figure(load_opponent(name, task.played), task) for name in whole}
    assert sorted(half, key=half.get) == list(whole)
    anchors = Anchors(random=half["random"], best=half["optimal"])
    for name in ("collector", "climber"):
        as_whole = (whole[name] - whole["random"]) / (whole["optimal"] - whole["random"])
        assert anchors.score(half[name]) == pytest.approx(as_whole, abs=0.02)


def test_a_manche_s_scores_are_those_of_exact_scores():
    task = Task(
        game="421", rules={"manches_to_lose": 1}, opponents=["self"], measure="exploitability", total_timesteps=1
    )
    anchors = anchors_of(task)
    assert anchors.random == pytest.approx(score("random", task.played, "random").exploitability, abs=1e-12)
    assert anchors.best == 0
    assert math.isclose(raw_figure(load_opponent("optimal", task.played), task), 0, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        (".", r"tiny is a whole benchmark: one of its runs that left a policy was expected$"),
        ("duel/drawn/seed-0", r"seed-0 holds no policy: the agent, an object of function, cannot be written down; a "),
        ("duel/failing/seed-1", r"seed-1 holds no policy: RuntimeError: the loss is not finite$"),
    ],
)
def test_what_is_no_policy_in_a_benchmark_says_what_it_is(results, place, sentence):
    with pytest.raises(RunError, match=sentence):
        find_agent(str(results.folder / place), None, [], results.folder.parent)


def test_the_folder_around_benchmarks_is_told_from_them(results):
    with pytest.raises(RunError, match=r"in it; there is one in .*tiny$"):
        load_results(results.folder.parent)


def test_learners_of_the_package_take_part_and_their_networks_are_kept_as_policies(tmp_path):
    learners = {"q-table": {"settings": {"gamma": 0.97}}, "distilled": {"settings": {"network": {"net_arch": [16]}}}}
    duel = {**DUEL, "total_timesteps": 6000}
    suite = suite_of(tasks={"duel": duel}, learners=learners, report_at=[0.5, 1])
    results = made(suite, tmp_path, seeds=[1000])
    (table,), (pupil,) = results.finished(learner="q-table"), results.finished(learner="distilled")
    assert 0 < table.score < pupil.score < 1
    for run in (table, pupil):
        kept = load_opponent(run.policy)
        assert kept.card["seed"] == 1000
        assert score(kept, suite.tasks["duel"].played, "greedy").value == pytest.approx(run.raw, abs=1e-9)


def test_nothing_is_left_of_what_learners_wrote_for_themselves(results):
    assert not list(Path(results.folder).rglob("scratch"))
