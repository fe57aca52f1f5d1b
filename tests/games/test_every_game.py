"""What solvers, environments and matches rely on, whatever the game."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from random_walks import random_walk
from scipy.stats import chisquare

from nenette.games import Game, make_game
from nenette.testing import check_game

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("demi-iles-solo", {}),
    ("demi-iles", {}),
    ("demi-iles", {"players": 3}),
    ("demi-iles", {"players": 6}),
    ("421", {}),
    ("421", {"manches_to_lose": 1, "fiches": 3}),
    ("421", {"next_manche_leader": "opening", "nenette": 0, "fiches": 2}),
    ("421", {"followers": "exactly", "kept_dice": "frozen", "limit_after_tie": "kept"}),
    ("421", {"fiches": 3, "nenette_capped": False, "nenettes_tie": False}),
    ("demi-iles", {"players": 3, "starter": "drawn"}),
    ("421", {"players": 3, "manches_to_lose": 1}),
    ("421", {"players": 6, "fiches": 4, "limit_after_tie": "kept", "nenettes_tie": False}),
]


@pytest.fixture(params=GAMES, ids=str)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    name, rules = request.param
    return make_game(name, **rules)


def ongoing(game: Game[Any], steps: int, seed: int) -> list[Any]:
    return [state for state in random_walk(game, steps, seed) if game.returns(state) is None]


def test_outcomes_are_distributions_over_distinct_states(game: Game[Any]) -> None:
    for state in ongoing(game, 250, seed=1):
        for action in game.legal_actions(state):
            outcomes = game.outcomes(state, action)
            assert len(set(outcomes.outcomes)) == len(outcomes.outcomes)
            assert all(type(weight) is int and weight > 0 for weight in outcomes.weights)
            assert sum(probability for _, probability in outcomes) == 1


def test_there_is_always_a_legal_action_and_a_seat_to_take_it(game: Game[Any]) -> None:
    for state in ongoing(game, 500, seed=2):
        legal = game.legal_actions(state)
        assert legal
        assert list(legal) == sorted(set(legal))
        assert set(legal) <= set(range(game.n_actions))
        assert game.seat(state) in range(game.players)


def test_returns_come_at_the_end_only_and_sum_to_0(game: Game[Any]) -> None:
    assert all(game.returns(state) is None for state in game.initial().outcomes)
    for state in random_walk(game, 2000, seed=3):
        returns = game.returns(state)
        if returns is not None:
            assert len(returns) == game.players
            assert sum(returns) == pytest.approx(0, abs=1e-12)
            assert max(map(abs, returns)) == (1 if game.players > 1 else 0)


def test_what_is_sampled_has_the_probabilities_that_are_enumerated(game: Game[Any]) -> None:
    rng = np.random.default_rng(4)
    states = ongoing(game, 120, seed=4)
    cases = [(state, action) for state in states for action in game.legal_actions(state)]
    chosen = rng.choice(len(cases), size=12, replace=False)
    for state, action in [cases[i] for i in chosen]:
        outcomes, draws = game.outcomes(state, action), 1500
        counts = Counter(game.sample(state, action, rng) for _ in range(draws))
        assert set(counts) <= set(outcomes.outcomes)
        if len(outcomes) > 1:
            observed = [counts[outcome] for outcome in outcomes.outcomes]
            expected = [draws * float(probability) for _, probability in outcomes]
            assert chisquare(observed, expected).pvalue > 1e-3


def test_an_outcome_of_chance_that_is_followed_is_an_outcome(game: Game[Any]) -> None:
    for state in ongoing(game, 100, seed=5):
        for action in game.legal_actions(state):
            followed = {
                after
                for fallen in game.chance(state, action).outcomes
                for after in game.follow(state, action, fallen).outcomes
            }
            assert followed == set(game.outcomes(state, action).outcomes)


def test_equal_seeds_play_equal_games(game: Game[Any]) -> None:
    assert random_walk(game, 200, seed=6) == random_walk(game, 200, seed=6)
    assert random_walk(game, 200, seed=6) != random_walk(game, 200, seed=7)


def test_random_play_ends_421_and_demi_iles_between_two() -> None:
    """So that the tests of returns above have some to look at; more players seldom let anybody get to 21."""
    for name, rules in (GAMES[1], *GAMES[4:]):
        game = make_game(name, **rules)
        assert any(game.returns(state) is not None for state in random_walk(game, 2000, seed=3)), (name, rules)


def test_a_turn_starts_whenever_the_seat_or_the_round_changes() -> None:
    solo, several, game = make_game("demi-iles-solo"), make_game("demi-iles"), make_game("421")
    assert all(solo.starts_turn(state) for state in random_walk(solo, 50, seed=9))
    assert all(several.starts_turn(state) for state in random_walk(several, 50, seed=9))
    for state in ongoing(game, 500, seed=9):
        assert game.starts_turn(state) == (state.thrown == 0)
        for action in game.legal_actions(state):
            for after in game.outcomes(state, action).outcomes:
                if game.seat(after) != game.seat(state) or len(after.throws) != len(state.throws):
                    assert game.starts_turn(after)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("demi-iles-solo", {}),
        ("demi-iles", {}),
        ("demi-iles", {"players": 3, "starter": "drawn"}),
        ("421", {"fiches": 2, "manches_to_lose": 1, "limit_after_tie": "kept"}),
        ("421", {"fiches": 1, "next_manche_leader": "opening", "nenettes_tie": False}),
        ("421", {"players": 3, "fiches": 2, "kept_dice": "frozen"}),
    ],
    ids=str,
)
def test_it_passes_the_contract_that_anybodys_game_does(name: str, rules: dict[str, Any]) -> None:
    check_game(make_game(name, **rules), steps=150)
