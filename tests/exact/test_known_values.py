"""What the games are worth, found a second time by other ways; and figures that must not change unnoticed."""

import json
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import slow_demi_iles
from restatement import Rules421, quatre21_rank
from slow_421 import CAN_KEEP, COMBINATIONS, KEPT, SlowManche, quatre21_thrown

from nenette.exact import model_of, solve, solve_zero_sum
from nenette.exact.duel import leaders_chance
from nenette.exact.solution import EPSILON
from nenette.games import make_game

DUEL = Fraction(1692791176921, 2821109907456)
"""From nobody here: see the rules page."""


def test_the_duel_over_one_fiche_to_the_last_digit():
    assert leaders_chance() == DUEL


@pytest.fixture(scope="module")
def throws() -> list[list[tuple[int, Fraction]]]:
    """For everything that can be kept: what falls."""
    return [[(COMBINATIONS.index(dice), p) for dice, p in quatre21_thrown(kept).items()] for kept in KEPT]


def duel_turn(throws, stopping: Callable[[int, int], Fraction], limit: int) -> Fraction:
    """The best that a turn of up to `limit` throws is worth, by `stopping`(combination, throws made)."""
    worth = [stopping(c, limit) for c in range(56)]
    for thrown in range(limit - 1, 0, -1):
        again = [sum((p * worth[c] for c, p in fall), Fraction()) for fall in throws]
        worth = [
            max(stopping(c, thrown), max(value for value, can in zip(again, CAN_KEEP[c], strict=True) if can))
            for c in range(56)
        ]
    return sum((p * worth[c] for c, p in throws[KEPT.index(())]), Fraction())


def test_the_duel_by_the_re_stated_rules(throws):
    rank = [quatre21_rank(dice) for dice in COMBINATIONS]

    def against(leaders: int, limit: int) -> Fraction:
        return 1 - duel_turn(throws, lambda c, _: Fraction((rank[c] < rank[leaders]) * 2 + (c == leaders), 2), limit)

    known = {(c, limit): against(c, limit) for c in range(56) for limit in (1, 2, 3)}
    assert duel_turn(throws, lambda c, thrown: known[c, thrown], 3) == DUEL


@pytest.mark.parametrize(
    "rules",
    [
        {"fiches": 1},
        {"fiches": 2},
        {"fiches": 3},
        {"fiches": 3, "nenette": 0},
        {"fiches": 4, "nenette": 1, "value_of_421": 1},
        {"fiches": 4, "nenette_in_decharge": False},
        {"fiches": 3, "followers": "exactly"},
        {},
    ],
)
def test_a_manche_of_421_by_value_iteration_from_both_ends(rules):
    slow = SlowManche(Rules421(**rules))
    low, high = slow.bounds(1e-8)
    solution = solve(make_game("421", manches_to_lose=1, **rules))
    leader_wins = solution.facts["leader_wins"]
    fiches = slow.rules.fiches
    assert list(leader_wins) == [str(own) for own in range(1, fiches)]
    ours = np.array(list(leader_wins.values()))
    assert (low - 1e-12 <= ours).all()
    assert (ours <= high + 1e-12).all()
    game = solution.game
    charge = slow.charge((low + high) / 2)
    assert len(charge) == fiches * (fiches + 1) // 2
    for (own, other), chance in charge.items():
        fields = game.encode(game.decode([0, 0, own, other, fiches - own - other, 0, 0, 0, 0, 0, 0, 0]), 0)
        (value,) = solution.values_of(np.array([fields]))
        assert (1 + value) / 2 == pytest.approx(chance, abs=1e-8)


def test_421_as_it_is_reported():
    report = solve(make_game("421")).report()
    assert list(report)[:2] == ["game", "value"]
    assert {"game", "states", "value", "seconds", "leader_wins", "manche_value", "residual", "cached"} == set(report)
    assert (report["game"], report["states"]) == ("421", 148_252)
    assert report["residual"] < 1e-12
    golden = [
        0.845908821923027, 0.762982533784001, 0.673810286320761, 0.618438661849807, 0.555818770277138,
        0.502540000100128, 0.446025269144958, 0.395394896348491, 0.303355633954189, 0.243587415659064,
    ]  # fmt: skip
    assert list(report["leader_wins"]) == [str(own) for own in range(1, 11)]
    assert list(report["leader_wins"].values()) == pytest.approx(golden, abs=1e-12)
    assert all(np.diff(list(report["leader_wins"].values())) < 0)


@pytest.mark.parametrize("name", ["demi-iles", "421"])
def test_reports_are_plain_json(name):
    report = solve(make_game(name)).report()
    assert json.loads(json.dumps(report, allow_nan=False)) == report


@pytest.mark.parametrize(
    "rules",
    [
        {"fiches": 1},
        {"fiches": 2},
        {"fiches": 3, "next_manche_leader": "opening"},
        {"fiches": 2, "manches_to_lose": 3},
        {},
    ],
)
def test_leading_the_first_charge_is_worth_nothing(rules):
    # In the charge both throw once and nothing depends on who throws first; who leads next depends on the throws alone.
    facts = solve(make_game("421", **rules)).facts
    assert facts["manche_value"] == pytest.approx(0.5, abs=1e-12)
    assert facts["value"] == pytest.approx(0.5, abs=1e-12)


def test_in_the_charge_only_the_fiches_count():
    solution = solve(make_game("421"))
    own = np.array([(a, b) for a in range(11) for b in range(11 - a)])
    fields = np.zeros((len(own), 12), dtype=np.int64)
    fields[:, 2:4] = own
    fields[:, 4] = 11 - own.sum(axis=1)
    values = solution.values_of(fields)
    fields[:, 2:4] = own[:, ::-1]
    np.testing.assert_allclose(values, -solution.values_of(fields), atol=1e-12)
    assert np.abs(values).max() > 0.3


@pytest.mark.parametrize(
    "rules",
    [
        {"fiches": 2, "manches_to_lose": 2},
        {"fiches": 2, "manches_to_lose": 2, "next_manche_leader": "opening"},
        {"fiches": 1, "manches_to_lose": 4},
    ],
)
def test_a_match_is_manche_after_manche(rules):
    # Solved whole, with the fiches de manche in the states, instead of from the value of a manche.
    game = make_game("421", **rules)
    model = model_of(game)
    whole = solve_zero_sum(model)
    solution = solve(game)
    assert (1 + whole.values[model.start]) / 2 == pytest.approx(solution.facts["value"], abs=1e-12)
    # What is best in a manche is best in the match, up to ties.
    rows = np.flatnonzero(model.row_action == solution.actions_of(model.fields)[model.row_state])
    q = model.transition @ np.concatenate([whole.values, -whole.values]) + model.payoff
    np.testing.assert_allclose(q[rows], whole.values, atol=1e-12)


def test_demi_iles_as_it_is_reported():
    report = solve(make_game("demi-iles")).report()
    needed = {"game", "states", "value", "seconds", "epsilon", "trembling_value"}
    assert needed <= set(report)
    assert (report["game"], report["states"], report["epsilon"]) == ("demi-iles", 441, 0.001)
    assert report["value"] == 0
    assert report["value_bounds"] == [0, 0]
    assert report["tied_states"] == 277  # as the rules page has it
    assert report["trembling_value"] == pytest.approx(5.24582327e-06, abs=1e-13)
    assert report["residual"] < 1e-12


def test_trembling_demi_iles_by_dense_strategy_iteration():
    play, values = slow_demi_iles.optimum(EPSILON)
    solution = solve(make_game("demi-iles"))
    fields = np.array([(*state, 0) for state in slow_demi_iles.STATES])
    np.testing.assert_allclose(solution.values_of(fields), values, atol=1e-10)
    assert values[0] == pytest.approx(solution.facts["trembling_value"], abs=1e-11)
    # The optimum is unique, and by a margin far above the solver's tolerance.
    after, wins = slow_demi_iles.shaken(EPSILON)
    worth = np.sort(wins - after @ values, axis=1)
    assert (worth[:, 2] - worth[:, 1]).min() > 1e-7
    np.testing.assert_array_equal(solution.actions_of(fields), play)


@pytest.mark.parametrize(
    ("epsilon", "value"),
    [(0.5, 0.0021), pytest.param(EPSILON, 5.246e-6, marks=pytest.mark.slow)],  # the second takes two million sweeps
)
def test_trembling_demi_iles_by_value_iteration_from_both_ends(demi_iles, epsilon, value):
    low, high = slow_demi_iles.value_bounds(epsilon, 1e-8)
    model = demi_iles.model
    equilibrium = solve_zero_sum(model.trembling(epsilon))
    ours = np.empty(441)
    ours[[slow_demi_iles.INDEX[own, other] for own, other, _ in model.fields.tolist()]] = equilibrium.values
    rounding = 1e-13 / epsilon  # it adds up over sweeps that undo little of it
    assert (low - rounding <= ours).all()
    assert (ours <= high + rounding).all()
    assert ours[0] == pytest.approx(value, rel=0.05)


@pytest.mark.parametrize("epsilon", [1e-2, 1e-4, 1e-5])
def test_demi_iles_is_played_alike_however_little_hands_tremble(epsilon):
    """The docs say so: the optimum does not hang on the ε that was chosen."""
    game = make_game("demi-iles")
    model, solution = model_of(game), solve(game)
    rows = solve_zero_sum(model.trembling(epsilon)).rows
    assert np.array_equal(model.row_action[rows], solution.actions[solution.index(model.fields)])
