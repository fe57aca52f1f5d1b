"""What every policy owes, whatever the game, its rules and the situation."""

import numpy as np
import pytest
from rule_variants import VARIANTS, decisions, game_id, made

from nenette.games import GAMES, make_game
from nenette.policies import NetworkPolicy, Policy, make_policy, policy_names, register
from nenette.policies.ask import ask

# The solver has its own tests for other rules: here it is asked where its solution is kept.
EVERY_POLICY = [
    (variant, name)
    for variant in VARIANTS
    for name in policy_names(made(variant))
    if name != "optimal" or not variant[1]
]


@pytest.fixture(scope="module")
def met():
    """The decisions of each variant, played for once and not for each policy."""
    known = {}

    def decisions_of(variant):
        if game_id(variant) not in known:
            known[game_id(variant)] = decisions(made(variant))
            for array in known[game_id(variant)]:
                array.flags.writeable = False
        return known[game_id(variant)]

    return decisions_of


@pytest.mark.parametrize(("variant", "name"), EVERY_POLICY, ids=game_id)
def test_a_policy_gives_probabilities_of_legal_actions_and_the_same_ones_each_time(variant, name, met):
    game = made(variant)
    policy = make_policy(name, game)
    observations, masks = met(variant)
    assert len(masks) > 50
    probabilities = policy.action_probabilities(observations, masks)
    assert probabilities.shape == masks.shape
    assert probabilities.dtype == np.float64
    assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-9
    assert (probabilities >= 0).all()
    assert not probabilities[masks == 0].any()
    assert policy.name == name
    np.testing.assert_array_equal(policy.action_probabilities(observations, masks), probabilities)
    # A network's sums may be added up in another order where it is asked otherwise: its scores then differ by some
    # roundings, and probabilities by no more than the scores do.
    rounding = 0.0
    if isinstance(policy, NetworkPolicy):
        rounding = 8 * np.finfo(np.float32).eps * float(np.abs(policy.scores(observations)).max())
    again = make_policy(name, game).action_probabilities(observations[::-1], masks[::-1])
    np.testing.assert_allclose(again, probabilities[::-1], rtol=0, atol=rounding)
    for row in range(0, len(probabilities), 37):
        alone = policy.action_probabilities(observations[row : row + 1], masks[row : row + 1])
        np.testing.assert_allclose(alone[0], probabilities[row], rtol=0, atol=rounding)


@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_a_random_policy_and_two_that_people_play(game):
    names = policy_names(game)
    assert names[0] == "random"
    assert len(set(names) - {"random", "optimal"}) >= 2


@pytest.mark.parametrize("game", GAMES)
def test_a_policy_asked_about_nothing_says_nothing(game):
    played = make_game(game)
    for name in set(policy_names(game)) - {"optimal"}:
        nothing = make_policy(name, played).action_probabilities(
            np.zeros((0, played.codec.size), np.float32), np.zeros((0, played.n_actions), np.int8)
        )
        assert nothing.shape == (0, played.n_actions)


def test_a_mistyped_policy_is_reported_with_the_nearest_and_all_of_them():
    with pytest.raises(
        ValueError, match=r"^a policy of 421 is one of 'random', .*'a-fond', .*; did you mean 'a-fond'\?$"
    ):
        make_policy("afond", make_game("421"))


def test_a_mistyped_game_is_reported_with_the_nearest():
    with pytest.raises(ValueError, match=r"^a game is one of .*, not 'demi-isles'; did you mean 'demi-iles'\?$"):
        policy_names("demi-isles")


def test_a_name_is_given_once():
    policy_names("421")
    with pytest.raises(ValueError, match=r"^421 has a policy called 'a-fond' already$"):
        register("421", "a-fond")(lambda game: make_policy("random", game))


class Gives:
    """A policy with the probabilities that it is given."""

    name = "mine"

    def __init__(self, *probabilities: list[float]) -> None:
        self.probabilities = np.array(probabilities)

    def action_probabilities(self, observations, masks):
        return self.probabilities


@pytest.mark.parametrize(
    "row", [[0.5, 0.5, 0.5], [1.5, 0.0, -0.5], [0.0, 1.0, 0.0], [float("nan"), 0.0, 1.0], [0.0, 0.0, 0.0]]
)
def test_invalid_probabilities_are_refused(row):
    policy: Policy = Gives([0.5, 0.0, 0.5], row)
    masks = np.array([[1, 0, 1], [1, 0, 1]], dtype=np.int8)
    with pytest.raises(
        ValueError,
        match=r"^policy 'mine' gave the probabilities \[.*\] where actions \[0, 2\] are legal: probabilities are",
    ) as error:
        ask(policy, np.zeros((2, 1), np.float32), masks)
    assert str(row) in str(error.value)


def test_probabilities_of_another_shape_are_refused():
    with pytest.raises(
        ValueError, match=r"^policy 'mine' gave probabilities of shape \(1, 2\), and \(1, 3\) is expected$"
    ):
        ask(Gives([0.5, 0.5]), np.zeros((1, 1), np.float32), np.ones((1, 3), np.int8))
