"""The solo game's side of a diagnosis, from a state near the end of the game: few sets of scores are met there."""

import io

import numpy as np
import pytest
from rich.console import Console

from nenette.exact.solo.scores import measure
from nenette.exact.solo.solving import solve_solo
from nenette.exact.solo.states import index
from nenette.games import make_game
from nenette.games.demi_iles import ALL_SEEN, SoloState
from nenette_agents.diagnosis import diagnosis
from nenette_agents.diagnosis.critics import report_of
from nenette_agents.diagnosis.page import page
from nenette_agents.diagnosis.picture import draw
from nenette_agents.diagnosis.regrets import solo_regrets
from nenette_agents.diagnosis.solo import SoloSample, compared_alone, fields_of, turns_of_actions
from nenette_agents.diagnosis.subject import Critic, Training

GAME = make_game("demi-iles-solo")
START = SoloState(0, ALL_SEEN & ~(1 << 4) & ~(1 << 19))  # 5 and 20 are missing
TRAINING = Training("dqn", 1000, {}, 0.9, scale=0.5, potential={"*_has_been_stood_on": 4.0})


def uniform(observations, masks):
    return np.full((len(observations), 3), 1 / 3)


@pytest.fixture(scope="module")
def measured(own_cache):
    return measure(GAME, uniform, START)


def test_a_sample_has_states_as_often_as_they_are_met(measured):
    _, tables = measured
    sample = SoloSample(tables, size=20_000)
    assert index(sample.scores, sample.seen).tolist() == sample.places.tolist()
    expected = tables.visits[sample.places] / tables.visits.sum()
    assert np.abs(sample.weights - expected).max() < 5 * np.sqrt(expected.max() / 20_000)
    assert sample.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("off", [0.0, 0.25])
def test_a_critic_that_knows_the_truth_has_no_error(measured, off):
    _, tables = measured
    turns, sample = tables.turns(0.9), SoloSample(tables, size=2000)

    def truth(observations):
        fields = GAME.codec.decode(observations)
        seen = fields[:, 1:] @ (1 << np.arange(20))
        shaped = -turns_of_actions(turns, fields[:, 0], seen, 0.9) - 4.0 * fields[:, 1:].sum(axis=1)[:, None]
        return 0.5 * shaped + off

    critic = Critic("Q-values", truth)
    report = report_of(compared_alone(GAME, critic, TRAINING, tables, turns, sample), critic, TRAINING, 3)
    assert (report.rmse, report.bias) == (pytest.approx(off, abs=1e-6), pytest.approx(off, abs=1e-6))
    assert report.misranked == 0
    assert sum(phase.share for phase in report.phases) == pytest.approx(1)


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_a_value_function_is_held_against_the_mean_of_the_actions(measured, gamma):
    _, tables = measured
    turns, sample = tables.turns(gamma), SoloSample(tables, size=2000)
    plain = Training("ppo", 1000, {}, gamma)
    critic = Critic("value function", lambda x: -turns[solve_solo(GAME).index(GAME.codec.decode(x))])
    report = report_of(compared_alone(GAME, critic, plain, tables, turns, sample), critic, plain, 3)
    assert report.rmse == pytest.approx(0, abs=1e-9)
    assert report.misranked is None


def test_turns_after_the_optimums_actions_are_no_fewer_than_its_own(own_cache):
    optimum = solve_solo(GAME)
    scores, seen = np.array([0, 7, 21]), np.array([0, ALL_SEEN, START.seen])
    turns = turns_of_actions(optimum.turns, scores, seen)
    assert turns.min(axis=1) == pytest.approx(-optimum.values_of(fields_of(scores, seen)))


def test_the_worst_states_are_told(measured):
    play, _ = measured
    found = solo_regrets(play, GAME, "uniform")
    assert found.lost == pytest.approx(sum(phase.lost for phase in found.phases))
    worst = found.worst(3)
    assert len(worst) == 3
    assert worst[0].position.startswith("Seen ")
    assert "33%" in worst[0].plays


def test_a_run_is_diagnosed_on_one_page(trained, monkeypatch, tmp_path):
    """From near the end of the game, so that its network is asked about few states."""
    monkeypatch.setattr(diagnosis, "measure", lambda game, asked: measure(game, asked, START))
    found = diagnosis.diagnose(str(trained("demi-iles-solo-dqn").folder))
    report = found.report()
    assert (report["critic"]["kind"], report["critic"]["gamma"]) == ("Q-values", 0.99)
    assert report["met"]["decisions"] == 256
    assert report["regret"]["unit"] == "turns"
    assert all(state["met_in_training"] > 0 for state in report["regret"]["worst_states"])
    draw(found, tmp_path / "why.png")
    assert (tmp_path / "why.png").is_file()
    text = io.StringIO()
    Console(file=text, width=200).print(page(found))
    assert "only 21 is missing" in text.getvalue()
    assert "Its Q-values against the true values of its own play (discount 0.99)" in text.getvalue()
