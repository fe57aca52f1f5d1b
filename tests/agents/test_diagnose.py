"""`nenette diagnose`: critics held against the truth, what training met, and the command."""

import json
import shutil

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from nenette.exact import answer_key
from nenette.games import make_game
from nenette.policies import load_opponent
from nenette_agents.cli import app as cli
from nenette_agents.diagnosis.capacity import capacity
from nenette_agents.diagnosis.critics import critic_report
from nenette_agents.diagnosis.decisive import decisive_moves, single_changes
from nenette_agents.diagnosis.subject import Critic, Training, find_subject, potential_of
from nenette_agents.diagnosis.visits import faced_in_training, visits_in_training

runner = CliRunner()
GAMMA = 0.9


def nenette(*arguments):
    return runner.invoke(cli.app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def key(own_cache):
    return answer_key(make_game("demi-iles"))


@pytest.fixture(scope="module")
def short(own_cache):
    return answer_key(make_game("421", fiches=2, manches_to_lose=1))


def training(**changes):
    usual = {"algorithm": "dqn", "timesteps": 1000, "opponents": {"random": 1.0}, "gamma": GAMMA, "max_turns": 200}
    return Training(**{**usual, **changes})


class FromTable:
    """A policy and a critic that know one number for each row."""

    name = "table"

    def __init__(self, key, rows):
        self._key, self._rows = key, np.asarray(rows)

    def estimates(self, observations):
        rows = self._key.rows[self._key.index(self._key.model.game.codec.decode(observations))]
        return np.where(rows >= 0, self._rows[rows], -np.inf)

    def action_probabilities(self, observations, masks):
        return np.eye(masks.shape[1])[self.estimates(observations).argmax(axis=1)]


def test_discounted_values_are_what_stepping_through_the_game_gives(key):
    """Iterated from the equations themselves: the reward now, or gamma times the value at the next own decision."""
    model = key.model
    player, opponent = model.uniform(), key.optimum
    steps = model.transition.tocsc()
    stays, passes = steps[:, : model.n_states], steps[:, model.n_states :]
    own, others = np.zeros(model.n_states), np.zeros(model.n_states)
    for _ in range(600):
        rows = model.payoff + GAMMA * (stays @ own) + passes @ others
        others_rows = -model.payoff + stays @ others + GAMMA * (passes @ own)
        own = np.add.reduceat(player * rows, model.row_start[:-1])
        others = np.add.reduceat(opponent * others_rows, model.row_start[:-1])
    assert key.discounted(player, opponent, GAMMA) == pytest.approx(rows, abs=1e-9)


def test_values_without_a_discount_are_those_of_the_forecast(short):
    player, opponent = short.model.uniform(), short.optimum
    rows = short.forecast(player, opponent).rows[0][:, 0]
    assert short.discounted(player, opponent, 1.0) == pytest.approx(rows, abs=1e-12)


@pytest.mark.parametrize(("off", "scale"), [(0.0, 1.0), (0.1, 1.0), (0.0, 3.0)])
def test_a_critic_that_knows_the_truth_has_no_error(short, off, scale):
    """DQN's: the Q-values of a play that takes the best by them; improved until it is its own truth."""
    opponent = short.tabulate(load_opponent("random", short.model.game).action_probabilities)
    potential = {"own_fiches": -0.1}
    shaped = training(scale=scale, potential=potential)
    player = short.optimum
    for _ in range(20):
        rows = short.discounted(player, opponent, GAMMA)
        best = FromTable(short, rows)
        again = short.tabulate(best.action_probabilities)
        if np.array_equal(again, player):
            break
        player = again
    values = potential_of(shaped, short.model.game, short.model.fields)[short.model.row_state]
    known = FromTable(short, scale * (rows - values) + off)
    faced = faced_in_training(short, best, shaped)
    report = critic_report(short, Critic("Q-values", known.estimates), shaped, faced)
    assert (report.rmse, report.bias) == (pytest.approx(off, abs=1e-9), pytest.approx(off, abs=1e-9))
    assert report.explained == pytest.approx(1)
    assert report.misranked == 0
    assert sum(phase.share for phase in report.phases) == pytest.approx(1)


def test_a_single_wrong_value_is_told_first(key):
    rows = key.discounted(key.optimum, key.model.uniform(), GAMMA)
    start = int(key.rows[key.model.start][0])
    rows[start] -= 0.5
    optimum = load_opponent("optimal", key.model.game)
    known = FromTable(key, rows)
    report = critic_report(
        key, Critic("Q-values", known.estimates), training(), faced_in_training(key, optimum, training())
    )
    worst = report.worst[0]
    assert worst["position"] == "Score It 0 · The other 0."
    assert worst["estimate"] - worst["truth"] == pytest.approx(-0.5)
    assert report.rmse == pytest.approx(0.5 * np.sqrt(worst["share"]))


def test_a_value_function_is_held_against_the_mean_over_the_opponents(key):
    ppo = training(algorithm="ppo", opponents={"random": 3.0, "greedy": 1.0})
    uniform = load_opponent("random", key.model.game)
    faced = faced_in_training(key, uniform, ppo)
    assert [(one.name, one.share) for one in faced] == [("random", 0.75), ("greedy", 0.25)]
    rows = [key.discounted(one.learner, one.opponent, GAMMA) for one in faced]
    weights = [one.share * one.visits[key.model.row_state] for one in faced]
    mean = sum(w * r for w, r in zip(weights, rows, strict=True)) / np.maximum(sum(weights), 1e-300)
    values = np.add.reduceat(mean * faced[0].learner, key.model.row_start[:-1])
    game = key.model.game
    critic = Critic("value function", lambda observations: values[key.index(game.codec.decode(observations))])
    report = critic_report(key, critic, ppo, faced)
    assert report.rmse == pytest.approx(0, abs=1e-12)
    assert report.misranked is None


def test_training_meets_as_many_states_as_it_has_decisions(key):
    optimum = key.optimum
    visits = visits_in_training(key, optimum, optimum, training(), self_play=False)
    # Between perfect players nobody ever wins: each decides in half of the 200 turns, but for the first throws.
    assert visits.sum() == pytest.approx(100)
    assert visits[key.model.start] >= 0.5


def test_random_openings_make_no_difference_to_who_is_random_anyway(key):
    uniform = key.model.uniform()
    visits = [
        visits_in_training(key, uniform, uniform, training(opening_moves=moves), self_play=True) for moves in (0, 3)
    ]
    assert visits[1] == pytest.approx(visits[0])
    opened = visits_in_training(key, key.optimum, uniform, training(opening_moves=1), self_play=False)
    assert not np.allclose(opened, visits_in_training(key, key.optimum, uniform, training(), self_play=False))


def test_a_longer_fit_to_the_optimum_loses_less(own_cache):
    game = make_game("421", fiches=2, manches_to_lose=1)
    one, values, probabilities = (
        capacity(game, [16], taught=taught, steps=steps)
        for taught, steps in (("values", 1), ("values", 60), ("probabilities", 60))
    )
    assert one.layers == [game.codec.size, 16, 8]
    assert all(0 <= fitted.exploitability < one.exploitability for fitted in (values, probabilities))


def test_decisive_moves_are_counted_where_the_play_is_safe(key):
    short_sighted, safe = (decisive_moves(key, 0.05, discount) for discount in (0.1, 0.5))
    assert short_sighted.exploitability == pytest.approx(0.2367491166, abs=1e-9)  # as in tests/exact
    assert short_sighted.moves is None
    assert safe.exploitability == pytest.approx(0, abs=1e-9)
    assert (safe.moves, safe.faintest) == (219, pytest.approx(0.0908, abs=1e-4))


@pytest.mark.slow
def test_single_changes_of_the_optimum_are_those_of_the_findings(key):
    found = single_changes(key, key.optimum)
    assert (found.changes, found.worthless, found.exploitable) == (882, 831, 149)


def diagnosed(*arguments):
    result = nenette("diagnose", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_run_of_ppo_is_diagnosed_with_its_value_function(trained):
    folder = trained("demi-iles-ppo").folder
    report = diagnosed(folder)
    assert report["critic"]["kind"] == "value function"
    assert report["critic"]["opponents"] == ["random", "past"]
    assert report["met"]["decisions"] == 1024
    assert report["regret"]["worst_states"][0]["met_in_training"] >= 0
    assert report["picture"] == str(folder / "diagnosis.png")
    assert (folder / "diagnosis.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_of_dqn_is_diagnosed_with_its_q_values_on_one_page(trained, tmp_path):
    folder = trained("421-dqn").folder
    file = tmp_path / "why.png"
    result = nenette("diagnose", folder, "--picture", file, "--by", "own fiches")
    assert result.exit_code == 0, result.output
    for words in (
        "Where it gives value away",
        "leading, after the 1st throw",
        "own fiches 1",
        "The mistakes that cost most",
        "The states in which it loses most",
        "Its Q-values against the true values of its own play (discount 0.99)",
        "What training met",
        f"The picture is in {file}",
    ):
        assert words in result.stdout
    assert file.is_file()


def test_a_policy_file_alone_has_no_value_function(trained, tmp_path):
    folder = trained("421-dqn").folder
    for name in ("policy.json", "policy.safetensors"):
        shutil.copy(folder / name, tmp_path)
    report = diagnosed(tmp_path)
    assert (report["critic"], report["met"], report["picture"]) == (None, None, None)
    assert report["no_critic"] == "nothing says how it was trained"


def test_the_optimum_makes_no_mistake(own_cache):
    result = nenette("diagnose", "optimal", "--game", "demi-iles")
    assert result.exit_code == 0
    assert "0.0000 of a win" in result.stdout
    assert "It makes no mistake." in result.stdout
    assert "it is a program" in result.stdout


def test_a_run_of_a_benchmark_is_diagnosed_by_its_suite(trained, tmp_path):
    source = trained("421-dqn").folder
    folder = tmp_path / "suite" / "duel" / "mine" / "seed-0"
    folder.mkdir(parents=True)
    task = {"game": "421", "rules": {"fiches": 3, "manches_to_lose": 1}, "opponents": "random"}
    settings = {"gamma": 0.75, "learning_starts": 64, "batch_size": 16}
    suite = {
        "name": "suite",
        "tasks": {"duel": {**task, "measure": "value", "total_timesteps": 256}},
        "learners": {"mine": {"learner": "dqn", "settings": settings}},
    }
    (tmp_path / "suite" / "suite.yaml").write_text(yaml.safe_dump(suite))
    made = {"versions": {}, "processor": "any", "cores": 1}
    run = {"task": "duel", "learner": "mine", "seed": 0, "status": "finished", "settings": settings}
    more = {"rules_id": "any", "determined_by": "any", "made_with": made, "policy": str(folder)}
    (folder / "run.json").write_text(json.dumps({**run, **more}))
    for name in ("policy.json", "policy.safetensors"):
        shutil.copy(source / name, folder)
    subject = find_subject(str(folder), game=None, rules=[], runs=tmp_path)
    known = subject.training
    assert (known.algorithm, known.timesteps, known.opponents, known.gamma) == ("dqn", 256, {"random": 1.0}, 0.75)
    assert known.exploration[-1] == pytest.approx(0.05)
    report = diagnosed(folder)
    assert (report["critic"]["kind"], report["critic"]["gamma"]) == ("Q-values", 0.75)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["421/ppo-mediun"], "nenette: a policy of 421 is one of "),
        (["random", "--game", "demi-iles", "--set", "players=3"], "nenette: a diagnosis is of a game for one or two"),
        (["random", "--game", "421", "--decisive"], "nenette: --decisive is about the endless game of demi-iles"),
        (["random", "--game", "demi-iles", "--capacity"], "nenette: --capacity is about an agent's network"),
        (["random", "--game", "demi-iles", "--by", "own scor"], "nenette: a field of demi-iles is one of 'own score'"),
        (["random", "--game", "demi-iles-solo", "--by", "score"], "nenette: --by score is about games for two"),
        (["random", "--game", "demi-iles", "--against", "nobody"], "nenette: --against: 'nobody' is neither a policy"),
    ],
)
def test_what_is_wrong_gets_a_sentence(own_cache, arguments, sentence):
    result = nenette("diagnose", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1


def test_the_help_has_an_example():
    assert "Example: nenette diagnose 421-ppo-seed3 --capacity" in nenette("diagnose", "--help").output
