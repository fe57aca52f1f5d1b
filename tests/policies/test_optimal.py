"""The solver's play as a policy."""

import pickle

import numpy as np
import pytest
from rule_variants import answer, decisions

from nenette.exact import Unsolvable, answer_key, solve
from nenette.games import make_game
from nenette.games.demi_iles import State
from nenette.policies import make_policy

GAMES = [
    ("demi-iles", {}),
    ("demi-iles", {"max_turns": 7}),
    ("421", {}),
    ("421", {"manches_to_lose": 1}),
    ("421", {"fiches": 3, "manches_to_lose": 4, "next_manche_leader": "opening"}),
    ("421", {"fiches": 2, "kept_dice": "frozen"}),
    ("421", {"fiches": 2, "followers": "exactly"}),
    ("421", {"fiches": 2, "followers": "exactly", "kept_dice": "frozen", "nenette": 0}),
    ("421", {"fiches": 3, "nenette_in_decharge": False, "nenette": 3}),
]


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_one_legal_action_for_certain_at_every_decision(name, rules):
    game = make_game(name, **rules)
    observations, masks = decisions(game, steps=2000)
    assert len(observations) > 20
    probabilities = make_policy("optimal", game).action_probabilities(observations, masks)
    assert probabilities.shape == masks.shape
    assert np.array_equal(np.sort(probabilities, axis=1)[:, -2:], np.tile([0.0, 1.0], (len(probabilities), 1)))
    assert (masks[probabilities == 1] == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        {"fiches": 21, "value_of_421": 10},
        {"kept_dice": "frozen"},
        {"followers": "exactly"},
        {"followers": "exactly", "kept_dice": "frozen"},
        {"nenette": 0},
        {"nenette_in_decharge": False},
    ],
)
def test_every_variant_is_solved_and_unexploitable(rules):
    key = answer_key(make_game("421", manches_to_lose=1, **rules))
    assert key.exploitability(key.optimum) == pytest.approx(0, abs=1e-9)
    assert solve(key.model.game).facts["residual"] < 1e-12


@pytest.mark.parametrize(("name", "rules"), [GAMES[0], GAMES[5]])
def test_a_pickled_copy_plays_alike(name, rules):
    game = make_game(name, **rules)
    policy = make_policy("optimal", game)
    content = pickle.dumps(policy)
    assert len(content) < 50_000  # the rules, not the solution
    observations, masks = decisions(game, steps=500)
    copy = pickle.loads(content)
    assert copy.name == "optimal"
    np.testing.assert_array_equal(
        copy.action_probabilities(observations, masks), policy.action_probabilities(observations, masks)
    )


def test_every_pair_of_scores_is_answered():
    game = make_game("demi-iles")
    policy = make_policy("optimal", game)
    fields = np.array([(own, other, 0) for own in range(21) for other in range(21)])
    probabilities = policy.action_probabilities(game.codec.encode(fields), np.ones((441, 3), dtype=np.int8))
    assert (probabilities.sum(axis=1) == 1).all()
    assert set(probabilities.argmax(axis=1)) == {0, 1, 2}


def test_states_in_which_nobody_moves_are_refused():
    game = make_game("demi-iles")
    over = game.codec.encode(np.array([[21, 0, 0]]))
    with pytest.raises(ValueError, match=r"^a state was given in which no move is to be made in demi-iles$"):
        make_policy("optimal", game).action_probabilities(over, np.ones((1, 3), dtype=np.int8))


def test_what_is_not_solved_is_refused():
    with pytest.raises(Unsolvable, match=r"^nobody knows how to play demi-iles best with 4 players: two have "):
        make_policy("optimal", make_game("demi-iles", players=4))


def test_it_wins_with_a_sure_throw_and_keeps_421():
    demi_iles = make_game("demi-iles")
    # From 20 nothing wins and from 19 only two dice do, 1 time in 36: with nothing to fear that is a free try.
    assert answer(make_policy("optimal", demi_iles), demi_iles, State((13, 0), 0)) == 2
    for rules in ({}, {"manches_to_lose": 1}, {"kept_dice": "frozen"}):
        game = make_game("421", fiches=2, **rules)
        policy = make_policy("optimal", game)
        start = game.decode([0, 0, 1, 1, 0, 0, 0, 0, 2, 0, 0, 0])
        assert answer(policy, game, start._replace(dice=(4, 2, 1), thrown=1)) == 0
        assert answer(policy, game, start._replace(dice=(2, 2, 1), thrown=1)) != 0


def test_what_is_best_does_not_depend_on_the_match():
    whole, manche = make_game("421", fiches=2), make_game("421", fiches=2, manches_to_lose=1)
    observations, masks = decisions(manche, steps=1500)
    fields = manche.codec.decode(observations)
    probabilities = make_policy("optimal", manche).action_probabilities(observations, masks)
    for manches in [(0, 0), (1, 0), (0, 1), (1, 1)]:
        fields[:, :2] = manches
        np.testing.assert_array_equal(
            make_policy("optimal", whole).action_probabilities(whole.codec.encode(fields), masks), probabilities
        )
