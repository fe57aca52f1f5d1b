"""best-response:NAME wins exactly what the answer key says that a best response wins."""

import pickle
import re

import gymnasium
import numpy as np
import pytest
from small_networks import small_network

import nenette
from nenette.exact import Unsolvable, answer_key
from nenette.games import make_game
from nenette.matches import score
from nenette.policies import BestResponsePolicy, make_policy, policy_names, save_policy

DEMI_ILES = make_game("demi-iles")
ENDLESS = make_game("demi-iles", max_turns=None)  # the game that best-response:NAME is about
SHORT_421 = make_game("421", fiches=2)
NAMES = ", ".join(policy_names("demi-iles"))


@pytest.fixture
def run(tmp_path):
    save_policy(tmp_path / "run", small_network(SHORT_421, name="trained"), {})
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("game", "name"),
    [
        *((ENDLESS, name) for name in ("random", "greedy", "blocker", "optimal")),
        *((SHORT_421, name) for name in ("random", "a-fond", "cautious", "beat-it", "optimal")),
    ],
)
def test_it_wins_what_the_other_is_exploitable_for(game, name):
    other = make_policy(name, game)
    response = nenette.load_opponent(f"best-response:{name}", game)
    assert response.name == f"best-response:{name}"
    got = score(response, game, other)
    scored = score(other, game, other)
    # In demi-iles that takes leaving each cycle of the endless game in the end.
    assert got.value == pytest.approx(scored.exploitability, abs=1e-9)
    assert got.value_by_seat == pytest.approx(scored.best_response_by_seat, abs=1e-9)
    assert np.mean(scored.best_response_by_seat) == pytest.approx(scored.exploitability)
    if name == "optimal":
        assert got.value == pytest.approx(0, abs=1e-9)
    else:
        assert got.value > 0.001


def test_nobody_registered_wins_more():
    for against in ("random", "greedy", "blocker"):
        other = make_policy(against, ENDLESS)
        best = score(nenette.load_opponent(f"best-response:{against}", ENDLESS), ENDLESS, other).value
        for name in ("random", "greedy", "blocker", "optimal"):
            assert score(make_policy(name, ENDLESS), ENDLESS, other).value <= best + 1e-9


def test_a_network_s_best_response_by_path(run):
    network = nenette.load_opponent(run)
    for response in (
        nenette.load_opponent(f"best-response:{run}"),
        nenette.load_opponent(f"best-response:{run}", SHORT_421),
    ):
        assert response.name == "best-response:trained"
        got = score(response, network.game, network)
        assert got.value == pytest.approx(score(network, network.game, network).exploitability, abs=1e-9)
        assert got.value > 0.1


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("demi-iles/best-response:greedy", None),
        ("best-response:demi-iles/greedy", None),
        ("best-response:greedy", "demi-iles"),
        ("demi-iles/best-response:greedy", "demi-iles"),
        ("best-response:demi-iles/greedy", "demi-iles"),
    ],
)
def test_ways_of_naming_it(name, game):
    response = nenette.load_opponent(name, game)
    assert (response.name, response.game.name) == ("best-response:greedy", "demi-iles")


def test_a_best_response_has_a_best_response():
    response = nenette.load_opponent("421/best-response:best-response:cautious", SHORT_421)
    assert response.name == "best-response:best-response:cautious"


@pytest.mark.parametrize(
    ("name", "game", "sentence"),
    [
        (
            "best-response:gredy",
            "demi-iles",
            f"'gredy' is neither a policy of demi-iles ({NAMES}) nor a run, "
            "by its folder or by name in runs; did you mean 'greedy'?",
        ),
        (
            "best-respons:greedy",
            "demi-iles",
            f"'best-respons:greedy' is neither a policy of demi-iles ({NAMES}) nor a run, "
            "by its folder or by name in runs; "
            "did you mean 'best-response:greedy'?",
        ),
        (
            "best-response:greedy",
            None,
            "'greedy' is a policy of demi-iles: say of which game, as in 'demi-iles/greedy'",
        ),
        (
            "421/best-response:cautious",
            "demi-iles",
            "'421/best-response:cautious' is a policy of 421, and one of demi-iles is expected",
        ),
        (
            "best-response:random",
            "demi-iles-solo",
            "best-response:random: demi-iles-solo is played alone, so there is nobody to respond to",
        ),
    ],
)
def test_what_is_none_gets_a_sentence(name, game, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        nenette.load_opponent(name, game)


def test_more_than_two_players_are_not_solved():
    with pytest.raises(Unsolvable, match=r"^there is no best-response:greedy among 3 players"):
        nenette.load_opponent("best-response:greedy", make_game("demi-iles", players=3))


def test_an_environment_seats_it():
    env = gymnasium.make("nenette/DemiIles-v0", opponents=["best-response:greedy"])
    observation, _ = env.reset(seed=0)
    assert observation.shape == (DEMI_ILES.codec.size,)
    ended = False
    while not ended:
        _, reward, terminated, truncated, _ = env.step(1)
        ended = terminated or truncated
    assert reward in (-1, 0, 1)


def test_it_is_pickled_without_the_answer_key():
    response = BestResponsePolicy(SHORT_421, make_policy("cautious", SHORT_421))
    again = pickle.loads(pickle.dumps(response))
    key = answer_key(SHORT_421)
    before, after = (key.tabulate(policy.action_probabilities) for policy in (response, again))
    np.testing.assert_array_equal(before, after)
    assert len(pickle.dumps(response)) < 20 * key.model.n_states


def test_it_is_not_asked_where_no_move_is_to_be_made():
    response = nenette.load_opponent("demi-iles/best-response:greedy")
    waiting = DEMI_ILES.codec.encode(np.array([[3, 4, 1]]))
    sentence = "a state was given in which no move is to be made in demi-iles"
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        response.action_probabilities(waiting, np.ones((1, 3), dtype=np.int8))
