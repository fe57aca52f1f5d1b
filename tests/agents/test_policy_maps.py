"""Maps of what policies do, held against what they were asked, and the drawing."""

import numpy as np
import pytest

from nenette.exact import solve
from nenette.games import make_game
from nenette_agents.diagnosis import draw_policy_map, policy_map


def test_a_map_of_demi_iles_has_the_optimums_dice(own_cache):
    game = make_game("demi-iles")
    found = policy_map("optimal", game)
    assert found.choices.shape == (21, 21)
    actions = solve(game).actions_of(np.array([[2, 13, 0], [20, 0, 0]]))
    assert [found.choices[2, 13], found.choices[20, 0]] == actions.tolist()
    assert (found.words[2, 13], found.probabilities[2, 13]) == ("one die", 1.0)


def test_a_map_of_421_says_which_dice_are_kept(own_cache):
    game = make_game("421", manches_to_lose=1)
    found = policy_map("a-fond", game)
    assert found.rows == tuple(map(str, range(1, 11)))
    assert (found.columns[0], found.columns[-1], len(found.columns)) == ("421", "221", 56)
    assert found.labels[found.choices[0, 0]] == "stops"
    assert found.words[4, 0] == "4-2-1"
    kept = np.array([[len(word.split("-")) if word != "none" else 0 for word in line] for line in found.words])
    assert (kept == found.choices).all()


def test_which_of_equal_dice_is_thrown_again_makes_no_difference(own_cache):
    class EitherOne:
        name = "either"

        def action_probabilities(self, observations, masks):
            return np.tile(np.array([0, 0.4, 0.4, 0, 0.2, 0, 0, 0]), (len(masks), 1))

    found = policy_map(EitherOne(), make_game("421", manches_to_lose=1))
    column = found.columns.index("661")
    assert (found.words[0, column], found.probabilities[0, column]) == ("6-1", pytest.approx(0.8))


def test_a_map_of_the_solo_game_leaves_out_what_cannot_be():
    found = policy_map("random", "demi-iles-solo")
    assert found.choices.shape == (22, 21)
    assert found.choices[21, 0] == -1  # the end of the game
    assert (found.choices[range(1, 21), range(1, 21)] == -1).all()  # stood on, and missing
    assert (found.choices < 0).sum() == 21
    assert found.probabilities[0, 0] == pytest.approx(1 / 3)


def test_two_maps_differ_where_the_policies_do(own_cache):
    optimum, greedy = (policy_map(name, "demi-iles") for name in ("optimal", "greedy"))
    assert not optimum.differs_from(optimum).any()
    assert (greedy.differs_from(optimum) == (greedy.choices != optimum.choices)).all()
    assert 0 < greedy.differs_from(optimum).sum() < 441


def test_a_game_without_a_map_gets_a_sentence():
    with pytest.raises(ValueError, match="there is no map of demi-iles with 3 players; one of demi-iles or 421"):
        policy_map("random", make_game("demi-iles", players=3))


def test_a_drawing_crosses_what_differs(own_cache):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots(1, 2)
    optimum, greedy = (policy_map(name, "demi-iles") for name in ("optimal", "greedy"))
    draw_policy_map(axes[0], greedy, optimum)
    draw_policy_map(axes[1], optimum, optimum)
    crosses = [sum(len(line.get_xdata()) for line in drawn.lines) for drawn in axes]
    assert crosses == [greedy.differs_from(optimum).sum(), 0]
    assert [text.get_text() for text in axes[0].get_legend().texts] == [*optimum.labels, "the optimum differs"]
    with pytest.raises(ValueError, match="maps of the same game are compared"):
        draw_policy_map(axes[0], policy_map("random", "demi-iles-solo"), optimum)
