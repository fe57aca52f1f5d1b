"""Equilibria with trembling hands and coalitions: against all pure plays, and against the two-player solver."""

from itertools import product

import numpy as np
import pytest
from made_up_many import all_pure, random_many, slow_values

from nenette.exact import Unsolvable, solve
from nenette.exact.many.answers import ManyKey, many_key
from nenette.exact.many.coalition import coalition, coalition_bounds
from nenette.exact.many.equilibrium import find_equilibrium
from nenette.exact.many.model import many_model
from nenette.exact.many.solution import solve_many
from nenette.games import make_game
from nenette.games.demi_iles import DemiIles, DemiIlesRules
from nenette.policies import load_opponent, make_policy, policy_names


@pytest.mark.parametrize("players", [2, 3])
def test_a_coalition_is_worth_the_minimax_over_all_pure_plays(players):
    rng = np.random.default_rng(players)
    for _ in range(2):
        model = random_many(rng, players, 2, ends=0.5).trembling(0.25)
        found = coalition(model)
        plays = list(all_pure(model))
        worth = [
            [slow_values(model, [own, *others], 0) for own in plays] for others in product(plays, repeat=players - 1)
        ]
        best = np.max(worth, axis=1).min(axis=0)
        assert np.array(found.values) == pytest.approx(best, abs=1e-11)
        least, most = coalition_bounds(model, found.rows)
        assert np.array(least) == pytest.approx(best, abs=1e-11)
        assert np.array(most) == pytest.approx(best, abs=1e-11)


def test_with_two_players_all_of_it_is_what_the_two_player_solver_finds(demi_iles):
    solution = solve(demi_iles.model.game)
    model = many_model(demi_iles.model.game)
    trembling = model.trembling(solution.facts["epsilon"])
    found, together = find_equilibrium(trembling), coalition(trembling)
    assert np.array_equal(found.rows % 3, solution.actions_of(model.fields))
    assert found.values == pytest.approx(solution.values_of(model.fields), abs=1e-12)
    assert together.values[0] == pytest.approx(found.values, abs=1e-12)
    assert together.values[1] == pytest.approx(-found.values, abs=1e-12)
    for bounds in coalition_bounds(model, together.rows):
        assert [bounds[0][0], bounds[1][0]] == pytest.approx([0, 0], abs=1e-12)


def test_from_an_equilibrium_no_pure_play_gains_anything():
    rng = np.random.default_rng(4)
    for _ in range(3):
        model = random_many(rng, 3, 3, ends=0.6).trembling(0.25)
        everybody = model.pure(find_equilibrium(model).rows)
        alone = slow_values(model, [everybody] * 3, 1)
        others = [slow_values(model, [everybody, own, everybody], 1) for own in all_pure(model)]
        assert np.max(others, axis=0) == pytest.approx(alone, abs=1e-12)


def test_an_equilibrium_is_a_policy_of_three_players_and_of_no_two():
    assert "equilibrium" not in policy_names("demi-iles")
    assert "equilibrium" not in policy_names(make_game("demi-iles"))
    assert "equilibrium" in policy_names(make_game("demi-iles", players=3))
    for ask in (lambda: make_policy("equilibrium", "demi-iles"), lambda: load_opponent("demi-iles/equilibrium")):
        with pytest.raises(ValueError, match=r"^'equilibrium' plays demi-iles with 3 players, not 2$"):
            ask()
    for players in (4, 5):
        with pytest.raises(ValueError, match=f"^'equilibrium' plays demi-iles with 3 players, not {players}$"):
            make_policy("equilibrium", make_game("demi-iles", players=players))
        with pytest.raises(Unsolvable, match=f"^nobody knows how to play demi-iles best with {players} players: "):
            make_policy("optimal", make_game("demi-iles", players=players))


@pytest.mark.slow
def test_three_players_have_an_equilibrium_and_nothing_alone_against_two(own_cache):
    game = make_game("demi-iles", players=3)
    report = solve(game).report()
    assert report["states"] == 9261
    assert report["coalition"] == pytest.approx([-0.5] * 3, abs=1e-12)  # two who act as one always win
    assert report["nash_conv"] < 1e-12
    assert report["margin"] > 1e-9
    assert sum(report["equilibrium"]) == pytest.approx(0, abs=1e-12)
    assert report["steady_values"] == [0, 0, 0]  # selfish players with steady hands never finish
    assert report["steady_nash_conv"] == 0
    policy = load_opponent("equilibrium", game)
    assert policy.name == "equilibrium"
    key = ManyKey(many_model(game).trembling(report["epsilon"]))
    everybody = [key.tabulate(policy.action_probabilities)] * 3
    assert key.standing(everybody).values == pytest.approx(report["equilibrium"], abs=1e-12)
    again = solve_many(DemiIles(DemiIlesRules(3)))
    assert again.cached
    assert again.report() | {"seconds": 0, "cached": False} == report | {"seconds": 0}
    assert many_key(game).gains(everybody) == pytest.approx([0, 0, 0], abs=1e-12)
