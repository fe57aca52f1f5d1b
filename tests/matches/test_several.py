"""Scores at a table of three: every seat and every order of the others counts equally."""

from itertools import permutations

import numpy as np
import pytest

from nenette.exact import Unsolvable
from nenette.exact.many.answers import many_key
from nenette.games import make_game
from nenette.games.quatre21 import State
from nenette.matches import score
from nenette.matches.charge_luck import charge_luck
from nenette.policies import make_policy

GAME = make_game("demi-iles", players=3, max_turns=30)
NAMES = ("greedy", "blocker", "random")


def test_all_seatings_count_equally_in_the_cut_game_and_in_the_endless_one():
    key = many_key(GAME)
    known = {name: key.tabulate(make_policy(name, GAME).action_probabilities) for name in NAMES}
    result = score("greedy", GAME, ["blocker", "random"])
    assert (result.exact, result.against, result.max_turns, result.plays) == (True, "blocker, random", 30, "greedy")
    for figures, standing in (
        (result, lambda seating: key.standing_within(seating, 30)),
        (result.endless, lambda seating: key.standing(seating)),
    ):
        wins, never, values = [], [], np.zeros(3)
        for seating in permutations(NAMES):
            one, seat = standing([known[name] for name in seating]), seating.index("greedy")
            wins.append(one.wins[seat])
            never.append(one.never)
            values[seat] += one.values[seat] / 2
        assert figures.win == pytest.approx(np.mean(wins), abs=1e-12)
        assert figures.draw == pytest.approx(np.mean(never), abs=1e-12)
        assert figures.win + figures.draw + figures.loss == pytest.approx(1)
        assert figures.value_by_seat == pytest.approx(values, abs=1e-12)
        assert figures.value == pytest.approx(np.mean(values), abs=1e-12)
    alone = [known["greedy"]] * 3
    assert result.endless.exploitability == pytest.approx(sum(key.gains(alone)) / 3, abs=1e-12)
    assert result.best_response_by_seat == pytest.approx(key.best_values_within(alone, 30), abs=1e-12)


def test_played_games_agree_with_the_exact_score():
    result = score("blocker", GAME, ["greedy", "random"], games=1200, exact=False, seed=2)
    exact = score("blocker", GAME, ["random", "greedy"])
    assert (result.exact, result.games) == (False, 1200)
    assert abs(result.value - exact.value) < 4 * result.half_width / 1.96
    assert abs(result.draw - exact.draw) < 4 * np.sqrt(exact.draw * (1 - exact.draw) / 1200)
    assert result.win + result.draw + result.loss == pytest.approx(1)


def test_one_opponent_sits_at_all_other_seats():
    assert score("greedy", GAME, "random") == score("greedy", GAME, ["random", "random"])


@pytest.mark.parametrize("players", [2, 3])
def test_as_many_opponents_as_there_are_other_seats(players):
    seats = (
        "1 other seat: one opponent was" if players == 2 else "2 other seats: one opponent for all of them, or 2, was"
    )
    with pytest.raises(ValueError, match=f"^demi-iles with {players} players has {seats}"):
        score("greedy", make_game("demi-iles", players=players), ["random"] * 3)


def test_a_list_of_one_is_that_one():
    game = make_game("demi-iles", max_turns=20)
    assert score("greedy", game, ["random"]) == score("greedy", game, "random")


def test_one_loses_in_421_and_the_others_share_the_win():
    game = make_game("421", players=3, fiches=3, nenette_capped=False, nenettes_tie=False, manches_to_lose=1)
    result = score("beat-it", game, ["random", "a-fond"])
    assert (result.exact, result.draw, result.against) == (True, 0.0, "random, a-fond")
    assert result.win + result.loss == pytest.approx(1, abs=1e-12)
    assert result.value == pytest.approx(result.win / 2 - result.loss, abs=1e-12)
    assert len(set(result.value_by_seat)) == 3  # a nénette that takes from others is worth more to who throws first
    others = [score("random", game, ["a-fond", "beat-it"]), score("a-fond", game, ["beat-it", "random"])]
    assert result.loss + sum(other.loss for other in others) == pytest.approx(1, abs=1e-12)


def test_the_luck_of_the_charge_leaves_the_mean_as_it_is_and_makes_it_vary_less():
    game = make_game("421", players=3, fiches=4, value_of_421=2)
    exact = score("beat-it", game, ["random", "a-fond"])
    result = score("beat-it", game, ["random", "a-fond"], games=900, exact=False, seed=1)
    assert result.adjusted_by == "the charge"
    assert abs(result.adjusted_value - exact.value) < 4 * result.adjusted_half_width / 1.96
    assert result.variance_ratio > 1.1
    assert result.variance_ratio == pytest.approx((result.half_width / result.adjusted_half_width) ** 2)


def test_the_charge_is_worth_what_it_leads_to_less_what_the_manche_was_worth():
    game = make_game("421", players=3, fiches=4)
    witness = charge_luck(game)(0)
    losing = witness.match.losing_from
    start = game.initial().outcomes[0]._replace(manches=(1, 0, 0))
    assert losing(start)[0] == pytest.approx(17 / 27, abs=1e-9)  # alike, they lose each manche equally often
    charge, rich, poor = (
        State((1, 0, 0), fiches, bank, (0, 1, 2), limit=3 - 2 * (bank > 0))
        for fiches, bank in (((1, 0, 0), 3), ((2, 1, 1), 0), ((1, 1, 2), 0))
    )
    assert losing(charge)[0] > losing(start)[0]
    assert losing(poor)[0] < losing(rich)[0]
    witness.began([start, start])
    nothing = np.zeros((2, 8)), np.zeros(2, dtype=np.int64)
    witness.moved(np.array([0, 1]), *nothing, [charge, charge])
    assert witness.luck.tolist() == [0.0, 0.0]
    witness.moved(np.array([0, 1]), *nothing, [rich, poor])
    gained = [-1.5 * (losing(state)[0] - losing(start)[0]) for state in (rich, poor)]
    assert witness.luck == pytest.approx(gained, abs=1e-12)
    with pytest.raises(Unsolvable, match=r"^421 is cut here"):
        charge_luck(make_game("421", players=3, max_turns=9))


def test_who_may_look_at_everything_is_scored_from_games_unless_told_otherwise():
    class Anybody:
        name, fixed = "anybody", True

        def action_probabilities(self, observations, masks):
            return masks / masks.sum(axis=1, keepdims=True)

    game = make_game("421", players=3, fiches=2, manches_to_lose=1)
    assert not score(Anybody(), game, "random", games=20).exact
    exact = score(Anybody(), game, "random", exact=True)
    assert exact.value_by_seat == pytest.approx([0.0] * 3, abs=1e-12)
    with pytest.raises(Unsolvable, match=r"^421 with 3 players is scored exactly where it is not cut$"):
        score("random", make_game("421", players=3, max_turns=50), "a-fond", exact=True)
