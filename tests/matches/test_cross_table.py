"""All pairs exactly, and ratings made from them."""

import json
import re

import numpy as np
import pytest

import nenette
from nenette.exact import Unsolvable
from nenette.games import make_game
from nenette.matches import cross_table, score
from nenette.matches.ratings import VIRTUAL_GAMES, elo_ratings, nash_averages
from nenette.policies import NetworkPolicy, make_policy, policy_names
from nenette.policies.inputs import features_of
from nenette.policies.shipped import shipped_names

DEMI_ILES = make_game("demi-iles")
SHORT_421 = make_game("421", fiches=2)
CYCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


@pytest.fixture(scope="module", params=[DEMI_ILES, SHORT_421], ids=lambda game: game.name)
def table(request):
    game = request.param
    names = [name for name in policy_names(game) if name not in shipped_names(game.name)]
    return game, cross_table([make_policy(name, game) for name in names], game)


def test_it_is_antisymmetric_and_holds_the_exact_scores(table):
    game, found = table
    values, wins = np.array(found.values), np.array(found.wins)
    np.testing.assert_array_equal(values, -values.T)
    np.testing.assert_allclose(wins - wins.T, values, atol=1e-9)
    assert (wins + wins.T).max() <= 1 + 1e-9
    one = score(make_policy("random", game), game, make_policy("optimal", game))
    i, j = found.policies.index("random"), found.policies.index("optimal")
    assert (values[i, j], wins[i, j], wins[j, i]) == pytest.approx((one.value, one.win, one.loss))
    assert found.max_turns == one.max_turns == game.max_turns
    assert (found.endless is None) == (one.endless is None) == (game.max_turns is None)
    if found.endless is not None:
        endless = found.endless
        there = endless.values[i][j], endless.wins[i][j], endless.wins[j][i]
        assert there == pytest.approx((one.endless.value, one.endless.win, one.endless.loss))
        assert (endless.policies, endless.max_turns, endless.endless) == (found.policies, None, None)
    assert dict(zip(found.policies, found.plays, strict=True)) == {
        name: "sampled" if name == "random" else "greedy" for name in found.policies
    }
    assert found.mean_values == pytest.approx(values.sum(axis=1) / (len(values) - 1))


def test_the_optimum_is_on_top_and_random_at_the_bottom_and_at_0(table):
    found = table[1].endless or table[1]
    by_elo = [found.policies[i] for i in np.argsort(found.elo)]
    assert (by_elo[0], by_elo[-1]) == ("random", "optimal")
    assert found.elo[found.policies.index("random")] == 0
    best = found.policies.index("optimal")
    assert found.nash[best] == pytest.approx(1)
    assert found.nash_averages[best] == pytest.approx(0, abs=1e-9)
    assert max(a for i, a in enumerate(found.nash_averages) if i != best) < -0.01


def test_it_is_one_json_object(table):
    _, found = table
    assert json.loads(json.dumps(found.report()))["policies"] == found.policies


def test_a_best_response_is_rated_like_anybody():
    policies = [nenette.load_opponent(name, DEMI_ILES) for name in ("random", "best-response:random", "optimal")]
    found = cross_table(policies, DEMI_ILES).endless
    assert found.values[1] == pytest.approx([1, 0, 0], abs=1e-9)
    # Neither the best response nor the optimum beats the other, and both beat the random player.
    assert found.nash == pytest.approx([0, 0.5, 0.5], abs=1e-6)


def test_the_other_player_of_a_network_is_reported_and_not_rated():
    policies = [nenette.load_opponent(f"demi-iles/{name}") for name in ("ppo-strong", "dqn-strong", "greedy")]
    found = cross_table(policies, DEMI_ILES)
    (other,) = found.other_players
    assert (other.policy, other.plays, len(found.elo)) == ("ppo-strong", "sampled", 3)
    drawn = policies[0].with_head("softmax")
    scores = [score(drawn, DEMI_ILES, each, both_players=False) for each in policies]
    assert other.values == pytest.approx([one.value for one in scores])
    assert found.endless.other_players[0].values == pytest.approx([one.endless.value for one in scores])


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["greedy"], "a table compares at least two policies, and 1 was given"),
        (["greedy", "random", "greedy"], "a table names each policy once, and 'greedy' is there 2 times"),
    ],
)
def test_what_makes_no_table_gets_a_sentence(names, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        cross_table([make_policy(name, DEMI_ILES) for name in names], DEMI_ILES)


@pytest.fixture(scope="module")
def table_of_three():
    return cross_table(["random", "blocker", "greedy"], "demi-iles-3")


def test_of_three_players_each_row_sits_alone_among_two_of_its_column(table_of_three):
    game = make_game("demi-iles", players=3)
    for table, of in ((table_of_three, lambda found: found), (table_of_three.endless, lambda found: found.endless)):
        for i, name in enumerate(table.policies):
            for j, other in enumerate(table.policies):
                found = of(score(name, game, other, both_players=False))
                assert table.values[i][j] == (0 if i == j else pytest.approx(found.value, abs=1e-12))
                assert table.wins[i][j] == pytest.approx(found.win, abs=1e-12)
    assert (table_of_three.players, table_of_three.max_turns, table_of_three.endless.max_turns) == (3, 200, None)


def test_ratings_of_three_players_are_of_half_the_difference_of_both_ways(table_of_three):
    values = np.array(table_of_three.values)
    assert np.abs(values + values.T).max() > 0.01  # alone among two is not two among one
    expected = elo_ratings(table_of_three.policies, (values - values.T) / 2)
    assert table_of_three.elo == pytest.approx(expected.tolist())
    assert table_of_three.elo[0] == 0


def test_of_three_at_421_each_row_sits_alone_among_two_of_its_column():
    game = make_game("421", players=3, fiches=2, manches_to_lose=1)
    names = ["random", "beat-it"]
    table = cross_table(names, game)
    assert (table.players, table.max_turns, table.endless, table.plays) == (3, None, None, ["sampled", "greedy"])
    for i, name in enumerate(names):
        for j, other in enumerate(names):
            found = score(name, game, other, exact=True)
            assert table.values[i][j] == pytest.approx(0 if i == j else found.value, abs=1e-12)
            assert table.wins[i][j] == pytest.approx(found.win, abs=1e-12)


def test_a_network_at_421_is_in_a_table_of_three_if_it_does_not_look_at_everything():
    game = make_game("421", players=3, fiches=2, manches_to_lose=1)
    rng = np.random.default_rng(0)
    weight = rng.normal(size=(game.n_actions, game.codec.size)).astype(np.float32)
    network = NetworkPolicy(game, [(weight, np.zeros(game.n_actions, dtype=np.float32))], name="all")
    with pytest.raises(Unsolvable, match=r"^all may look at everything, .* with network\.looks_at can be "):
        cross_table([network, "random"], game)
    few = weight.copy()
    few[:, ~features_of(game, ["own fiches", "the weakest throw", "dice on the table"])] = 0
    network = NetworkPolicy(game, [(few, np.zeros(game.n_actions, dtype=np.float32))], name="few")
    network.card = {"algorithm": "ppo"}
    table = cross_table([network, "random"], game)
    # Asked about everything, it is worth the same.
    without = WithoutSaying(network)
    assert table.values[0][1] == pytest.approx(score(without, game, "random", exact=True).value, abs=1e-12)
    assert table.values[1][0] == pytest.approx(score("random", game, without, exact=True).value, abs=1e-12)
    assert [(other.policy, other.plays) for other in table.other_players] == [("few", "greedy")]


class WithoutSaying:
    """A policy that does not say what it looks at."""

    fixed = True

    def __init__(self, policy):
        self.name, self.action_probabilities = policy.name, policy.action_probabilities


def test_games_of_five_make_no_table():
    game = make_game("demi-iles", players=5)
    with pytest.raises(Unsolvable):
        cross_table([make_policy(name, game) for name in ("random", "greedy")], game)


def test_elo_of_two_is_the_formula():
    value = 0.5  # three points of four
    score_of_the_better = (VIRTUAL_GAMES * (1 + value) / 2 + 0.5) / (VIRTUAL_GAMES + 1)
    expected = 400 * np.log10(score_of_the_better / (1 - score_of_the_better))
    assert elo_ratings(["a", "random"], np.array([[0, value], [-value, 0]])) == pytest.approx([expected, 0])
    assert expected == pytest.approx(400 * np.log10(3), abs=0.5)


def test_elo_without_random_has_mean_0_and_foresees_every_total():
    rng = np.random.default_rng(0)
    values = rng.uniform(-0.95, 0.95, (6, 6))
    values = np.triu(values, 1) - np.triu(values, 1).T
    ratings = elo_ratings(list("abcdef"), values)
    assert ratings.mean() == pytest.approx(0, abs=1e-9)
    foreseen = 1 / (1 + 10 ** ((ratings - ratings[:, None]) / 400))
    scores = (VIRTUAL_GAMES * (1 + values) / 2 + 0.5) / (VIRTUAL_GAMES + 1)
    np.testing.assert_allclose(foreseen.sum(axis=1), scores.sum(axis=1), atol=1e-9)


def test_elo_recovers_ratings_that_made_the_scores():
    made = np.array([0.0, 120.0, 300.0, 450.0])
    values = 2 / (1 + 10 ** ((made - made[:, None]) / 400)) - 1
    assert elo_ratings(["random", "a", "b", "c"], values) == pytest.approx(made, abs=2)


def test_whoever_wins_everything_has_a_finite_elo():
    values = np.array([[0.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [-1.0, -1.0, 0.0]])
    ratings = elo_ratings(["a", "b", "c"], values)
    assert np.isfinite(ratings).all()
    assert ratings[0] - ratings[1] > 800
    assert ratings[0] - ratings[2] < 3000


def test_a_cycle_is_all_alike():
    assert elo_ratings(list("abc"), CYCLE) == pytest.approx([0, 0, 0], abs=1e-9)
    shares, averages = nash_averages(CYCLE)
    assert shares == pytest.approx([1 / 3] * 3, abs=1e-7)
    assert averages == pytest.approx([0] * 3, abs=1e-7)


def test_a_policy_listed_twice_changes_no_nash_average():
    twice = [0, 1, 2, 2]
    shares, averages = nash_averages(CYCLE[np.ix_(twice, twice)])
    assert shares == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-6)
    assert averages == pytest.approx([0] * 4, abs=1e-7)


def test_equals_share_equally():
    shares, _ = nash_averages(np.zeros((4, 4)))
    assert shares == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("seed", range(5))
def test_nash_shares_are_an_equilibrium(seed):
    rng = np.random.default_rng(seed)
    values = np.triu(rng.integers(-2, 3, (7, 7)) / 2, 1)  # ties make for many equilibria
    values = values - values.T
    shares, averages = nash_averages(values)
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)
    assert averages.max() < 1e-6
    assert averages[shares > 1e-6] == pytest.approx(0, abs=1e-5)
