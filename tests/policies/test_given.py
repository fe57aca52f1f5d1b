"""Games and policies may be handed over as names; a policy needs no name."""

import copy
import pickle

import numpy as np
import pytest

from nenette.games import make_game
from nenette.matches import cross_table, play, score
from nenette.policies import BestResponsePolicy, make_policy
from nenette.policies.given import as_game, as_policy


class Nameless:
    """All that a policy has to have."""

    def action_probabilities(self, observations, masks):
        return masks / masks.sum(axis=1, keepdims=True)


def test_names_stand_for_games_and_policies():
    game = make_game("demi-iles")
    objects = score(make_policy("greedy", game), game, make_policy("random", game))
    assert score("greedy", "demi-iles", "random") == objects
    assert score("demi-iles/greedy", game, "demi-iles/random") == objects
    assert cross_table(["greedy", "random"], "demi-iles").policies == ["greedy", "random"]
    assert make_policy("a-fond", "421").name == "a-fond"
    rng = np.random.default_rng
    by_name = play("demi-iles", ["greedy", "random"], 20, rng(0))
    by_object = play(game, [make_policy("greedy", game), make_policy("random", game)], 20, rng(0))
    assert np.array_equal(by_name.returns, by_object.returns)


def test_a_policy_without_a_name_is_called_after_its_class():
    nameless = Nameless()
    exact, named = score(nameless, "demi-iles", "greedy"), score("random", "demi-iles", "greedy")
    assert (exact.agent, exact.value) == ("Nameless", pytest.approx(named.value, abs=1e-12))
    assert score("greedy", "demi-iles", nameless).against == "Nameless"
    played = score(nameless, "demi-iles", nameless, games=20, exact=False)
    assert (played.agent, played.against) == ("Nameless", "Nameless")
    assert cross_table([nameless, "greedy"], "demi-iles").policies == ["Nameless", "greedy"]
    assert BestResponsePolicy(make_game("demi-iles"), nameless).name == "best-response:Nameless"
    given = as_policy(nameless, make_game("421"))
    for again in (copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
        assert again.name == "Nameless"


@pytest.mark.parametrize(
    ("policy", "what"),
    [(3, "an object of int"), (None, "an object of NoneType"), (Nameless, r"the class Nameless \(an object of it .*")],
)
def test_what_is_no_policy_gets_a_sentence_before_any_work(policy, what):
    expected = rf"^a policy is an object with action_probabilities\(observations, masks\), a name .*, not {what}$"
    for call in (
        lambda: score(policy, "421", "random"),
        lambda: cross_table([policy, "random"], "421"),
        lambda: play("421", [policy, "random"], 1, np.random.default_rng(0)),
    ):
        with pytest.raises(ValueError, match=expected):
            call()


def test_what_is_no_game_gets_a_sentence():
    with pytest.raises(ValueError, match=r"did you mean '421'\?$"):
        score("random", "422", "random")
    with pytest.raises(
        ValueError, match=r"^a game is a nenette.games.Game or a name such as '421', not an object of in"
    ):
        as_game(421)
