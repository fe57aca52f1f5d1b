from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from random_walks import random_walk

from nenette.games import Game, make_game
from nenette.games.observation import Codec, Feature, bit, one_hot

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("demi-iles-solo", {}),
    ("demi-iles", {}),
    ("demi-iles", {"players": 6}),
    ("421", {}),
    ("421", {"fiches": 21, "value_of_421": 10, "manches_to_lose": 3}),
    ("421", {"fiches": 2, "manches_to_lose": 1, "followers": "exactly", "kept_dice": "frozen"}),
]
TEXT = "is not an observation of this game: its features match no state"


@pytest.fixture(params=GAMES, ids=str)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    name, rules = request.param
    return make_game(name, **rules)


def test_a_state_is_decoded_from_its_fields(game: Game[Any]) -> None:
    states = random_walk(game, 1000, seed=2)
    for state in states:
        fields = game.encode(state, 0)
        assert game.decode(fields) == state
        assert game.encode(game.decode(fields), 0) == fields
    assert len({game.encode(state, 0) for state in states}) == len(states)


def test_every_seat_sees_the_game_as_if_it_were_seat_0(game: Game[Any]) -> None:
    """Turn the table: what seat s sees is a state of the same game, in which everything is shifted by s."""
    for state in random_walk(game, 300, seed=3):
        for seat in range(game.players):
            turned = game.decode(game.encode(state, seat))
            assert game.seat(turned) == (game.seat(state) - seat) % game.players
            assert game.legal_actions(turned) == game.legal_actions(state)
            returns, as_seen = game.returns(state), game.returns(turned)
            assert as_seen == (None if returns is None else returns[seat:] + returns[:seat])


def test_observations_go_both_ways_for_every_seat_also_at_the_end(game: Game[Any]) -> None:
    states = random_walk(game, 1000, seed=4)
    fields = np.array([game.encode(state, seat) for state in states for seat in range(game.players)])
    observations = game.codec.encode(fields)
    assert observations.dtype == np.float32
    assert observations.shape == (len(fields), game.codec.size)
    assert observations.min() >= 0
    assert observations.max() <= 1
    np.testing.assert_array_equal(game.codec.decode(observations), fields)
    np.testing.assert_array_equal(game.codec.encode_one(fields[7]), observations[7])
    assert len(np.unique(observations, axis=0)) == len(np.unique(fields, axis=0))


def test_the_walks_reach_the_end_of_a_game() -> None:
    """Or the tests above say nothing about finished games."""
    for name, rules in (("demi-iles", {}), ("421", {"fiches": 2, "manches_to_lose": 1})):
        game = make_game(name, **rules)
        assert any(game.returns(state) is not None for state in random_walk(game, 1000, seed=4))


def test_keys_are_distinct_and_ordered_as_the_fields(game: Game[Any]) -> None:
    fields = sorted({game.encode(state, 0) for state in random_walk(game, 1000, seed=5)})
    keys = game.codec.keys(np.array(fields))
    assert keys.dtype == np.int64
    assert all(a < b for a, b in pairwise(keys.tolist()))


def test_keys_are_distinct_over_all_values_of_a_small_layout() -> None:
    codec = Codec([one_hot("a", 3), bit("b"), one_hot("c", 5)])
    fields = np.array([(a, b, c) for a in range(3) for b in range(2) for c in range(5)])
    assert codec.keys(fields).tolist() == list(range(30))


def test_every_feature_has_a_label_of_its_own(game: Game[Any]) -> None:
    assert len(game.codec.labels) == len(set(game.codec.labels)) == game.codec.size
    assert len(game.codec.names) == len(set(game.codec.names)) == len(game.encode(game.initial().outcomes[0], 0))


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0, 2.0, -1.0, 1e30, float("nan"), float("inf"), -float("inf")])
def test_a_vector_of_equal_numbers_is_no_observation(game: Game[Any], value: float) -> None:
    with pytest.raises(ValueError, match=f"^row 0 {TEXT}$"):
        game.codec.decode(np.full((2, game.codec.size), value, dtype=np.float32))


def test_a_single_altered_feature_is_noticed_wherever_it_is(game: Game[Any]) -> None:
    """Altered by so little or so much that no other state is decoded from it."""
    fields = game.encode(random_walk(game, 50, seed=6)[-1], 0)
    observation = game.codec.encode_one(fields)
    for place in range(game.codec.size):
        for change in (-0.25, 0.25, 3.0):
            altered = np.stack([observation, observation])
            altered[1, place] += change
            with pytest.raises(ValueError, match=f"^row 1 {TEXT}$"):
                game.codec.decode(altered)


def test_two_scores_at_once_are_no_observation() -> None:
    codec = make_game("demi-iles").codec
    observation = codec.encode_one((1, 4, 0))
    observation[2] = 1  # stands on 1 and on 2, which adds up to 3
    with pytest.raises(ValueError, match=f"^row 0 {TEXT}$"):
        codec.decode(observation[None])


def test_no_rows_decode_to_no_rows(game: Game[Any]) -> None:
    none = game.codec.decode(np.zeros((0, game.codec.size), dtype=np.float32))
    assert none.shape == (0, len(game.codec.features))


def test_a_wrong_shape_is_reported_with_the_right_one() -> None:
    codec = make_game("demi-iles").codec
    with pytest.raises(
        ValueError, match=r"^observations of shape \(3, 7\) were given; this game's have shape \(n, 46\)$"
    ):
        codec.decode(np.zeros((3, 7), dtype=np.float32))
    with pytest.raises(
        ValueError, match=r"^observations of shape \(46,\) were given; this game's have shape \(n, 46\)$"
    ):
        codec.decode(np.zeros(46, dtype=np.float32))


def test_fields_of_the_wrong_number_are_turned_down() -> None:
    with pytest.raises(ValueError, match="zip"):
        make_game("demi-iles").codec.encode_one((1, 2))


def test_a_feature_whose_code_confuses_two_values_is_turned_down() -> None:
    table = np.eye(3, dtype=np.float32)
    with pytest.raises(ValueError, match=r"^feature 'score': the code must be another number for each of its values$"):
        Feature("score", table, np.array([1.0, 1.0, 2.0]), ("a", "b", "c"))


def test_demi_iles_shows_own_score_first_then_the_others_in_turn_order() -> None:
    game = make_game("demi-iles", players=3)
    state = game.decode((4, 15, 9, 1))
    assert game.encode(state, 0) == (4, 15, 9, 1)
    assert game.encode(state, 1) == (15, 9, 4, 0)
    assert game.encode(state, 2) == (9, 4, 15, 2)
    observation = game.codec.encode_one(game.encode(state, 1))
    assert [game.codec.labels[i] for i in np.flatnonzero(observation)] == [
        "own score is 15",
        "score of the next player is 9",
        "score of player +2 is 4",
        "seats until the player to move is 0",
    ]
