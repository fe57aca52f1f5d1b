"""Solved values and exact scores, held against games that are really played.

Seeds are fixed, so a test either fails always or never. Each allows 4 standard errors: 1 in 16,000 for each figure.
"""

import numpy as np
import pytest

from nenette.exact import AnswerKey, answer_key, solve
from nenette.exact.solution import EPSILON
from nenette.games import make_game
from nenette.matches.sampled import play
from nenette.policies import make_policy

SIGMAS = 4.0


def agrees(sample: np.ndarray, expected: float) -> None:
    """Raises unless the mean of independent draws is what is expected."""
    error = sample.std(ddof=1) / np.sqrt(len(sample))
    assert error > 0
    assert abs(sample.mean() - expected) < SIGMAS * error, f"{sample.mean()} ± {error}, expected {expected}"


def behaviour(key: AnswerKey, name: str):
    return key.tabulate(make_policy(name, key.model.game).action_probabilities)


def played(name: str, first: str, second: str, games: int, seed: int = 0, **rules_and_options):
    options = {k: rules_and_options.pop(k) for k in ("tremble", "start", "max_turns") if k in rules_and_options}
    game = make_game(name, **rules_and_options)
    policies = [make_policy(policy, game) for policy in (first, second)]
    # Exact scores of demi-iles are about the game without a cut.
    return play(game, policies, games, np.random.default_rng(seed), **{"max_turns": 50_000, **options})


@pytest.mark.parametrize(
    ("first", "second"),
    [("random", "greedy"), ("greedy", "blocker"), ("blocker", "optimal")],
)
def test_results_of_demi_iles(demi_iles, first, second):
    games = played("demi-iles", first, second, 500)
    assert not games.cut.any()
    result = demi_iles.result(behaviour(demi_iles, first), behaviour(demi_iles, second))
    agrees(games.returns[:, 0], result.first)
    mirrored = demi_iles.result(behaviour(demi_iles, second), behaviour(demi_iles, first))
    agrees(games.returns[:, 1], mirrored.second)
    games = played("demi-iles", second, first, 500, seed=1)
    agrees(games.returns[:, 1], result.second)


@pytest.mark.parametrize(("first", "second"), [("random", "a-fond"), ("beat-it", "optimal")])
def test_results_of_421(whole_421, first, second):
    result = whole_421.result(behaviour(whole_421, first), behaviour(whole_421, second))
    # Either may lead the first charge, wherever they sit.
    agrees(played("421", first, second, 500).returns[:, 0], result.value)


@pytest.mark.parametrize(
    "rules",
    [
        {"fiches": 1},
        {"fiches": 2, "kept_dice": "frozen"},
        {"fiches": 2, "followers": "exactly", "next_manche_leader": "opening", "manches_to_lose": 3},
        {"fiches": 3, "nenette": 0, "manches_to_lose": 1},
    ],
)
def test_results_of_421_under_other_rules(rules):
    key = answer_key(make_game("421", **rules))
    result = key.result(behaviour(key, "a-fond"), behaviour(key, "random"))
    assert rules["fiches"] == 1 or abs(result.value) > 0.01
    agrees(played("421", "a-fond", "random", 600, **rules).returns[:, 0], result.value)


@pytest.mark.parametrize("own", [1, 5, 10])
def test_how_often_the_leader_of_a_decharge_wins(own):
    game = make_game("421", manches_to_lose=1)
    fields = [0, 0, own, 11 - own, 0, 0, 0, 0, 2, 0, 0, 0]
    games = played("421", "optimal", "optimal", 600, start=game.decode(fields), manches_to_lose=1)
    agrees(games.returns[:, 0] > 0, solve(game).facts["leader_wins"][str(own)])


@pytest.mark.parametrize(("tremble", "first", "second"), [(0.5, "optimal", "greedy"), (0.2, "blocker", "optimal")])
def test_results_of_trembling_demi_iles(demi_iles, tremble, first, second):
    result = demi_iles.result(
        *((1 - tremble) * behaviour(demi_iles, name) + tremble * demi_iles.model.uniform() for name in (first, second))
    )
    agrees(played("demi-iles", first, second, 500, tremble=tremble).returns[:, 0], result.first)


def test_the_optimum_of_demi_iles_draws_what_is_cut(demi_iles):
    games = played("demi-iles", "optimal", "optimal", 30, max_turns=400)
    assert games.cut.all()
    assert demi_iles.result(demi_iles.optimum, demi_iles.optimum).draw == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rules"), [("demi-iles", {}), ("421", {}), ("421", {"fiches": 21, "value_of_421": 10})]
)
def test_many_games(name, rules):
    key = answer_key(make_game(name, **rules))
    for second in ("random", "greedy" if name == "demi-iles" else "a-fond"):
        result = key.result(key.optimum, behaviour(key, second))
        expected = result.first if name == "demi-iles" else result.value
        agrees(played(name, "optimal", second, 3_000, **rules).returns[:, 0], expected)


@pytest.mark.slow
def test_the_trembling_value_itself():
    # Games go on for thousands of turns where hands tremble once in a thousand, and from the start little is at
    # stake. So they begin where much is; those that are still going on after 300 turns are worth about as little.
    game = make_game("demi-iles")
    solution = solve(game)
    order = np.argsort(-np.abs(solution.values))
    for s in order[:3]:
        start = next(
            game.decode([a, b, 0])
            for a in range(21)
            for b in range(21)
            if game.codec.keys(np.array([[a, b, 0]]))[0] == solution.keys[s]
        )
        games = played("demi-iles", "optimal", "optimal", 2000, tremble=EPSILON, start=start, max_turns=300)
        returns = games.returns[:, 0]
        assert abs(solution.values[s]) > 0.05
        assert abs(returns.mean() - solution.values[s]) < SIGMAS * returns.std() / np.sqrt(len(returns)) + 1e-3
