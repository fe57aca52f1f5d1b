"""Profiles of several players: scored in two ways each, and for two players as the two-player answer key has it."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from made_up_many import all_pure, mixture, random_many, slow_chances, slow_values
from restatement import demi_iles_next
from scipy import sparse

from nenette.exact import Unsolvable
from nenette.exact.many.answers import ManyKey, many_key
from nenette.exact.many.chain import Round
from nenette.exact.many.model import enumerate_many, many_model
from nenette.exact.many.responses import respond, respond_within
from nenette.games import make_game
from nenette.games.demi_iles import DemiIles, DemiIlesRules
from nenette.matches import play
from nenette.policies import make_policy


class Another(DemiIles):
    """Of another class, so that it is walked through with its own rules."""


class Reversed(DemiIles):
    """Whoever stands on 21 first has lost."""

    def returns(self, state):
        returns = super().returns(state)
        return None if returns is None else tuple(-share for share in returns)


@pytest.fixture(scope="module")
def three():
    return many_key(make_game("demi-iles", players=3))


def behaviour(key, name):
    return key.tabulate(make_policy(name, key.model.game).action_probabilities)


@pytest.mark.parametrize("rarely", [None, 1e-9, 1e-13])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_chances_are_those_of_elimination_in_fractions(players, rarely):
    rng = np.random.default_rng(players)
    for _ in range(6):
        model = random_many(rng, players, 3, rarely=rarely)
        behaviours = [mixture(rng, model) for _ in range(players)]
        slow = np.array([[[float(x) for x in at] for at in row] for row in slow_chances(model, behaviours)])
        for seat in range(players):
            found = np.array(Round.of(model, behaviours).chances(seat))
            assert found == pytest.approx(slow[:, :, seat], abs=1e-8 if rarely == 1e-13 else 1e-11)


@pytest.mark.parametrize("players", [2, 3])
def test_no_pure_play_is_worth_more_than_the_best_response_and_one_is_worth_as_much(players):
    rng = np.random.default_rng(players)
    endless = 0
    for k in range(12):
        model = random_many(rng, players, 3, ends=0.3)
        waiting = model.pure(2 * np.arange(3) + model.ends.reshape(3, 2).argmin(axis=1))
        behaviours = [waiting if k % 2 else mixture(rng, model) for _ in range(players)]
        for seat in range(players):
            found = np.array(respond(model, behaviours, [seat], seat).values)
            worth = [
                slow_values(model, [*behaviours[:seat], own, *behaviours[seat + 1 :]], seat) for own in all_pure(model)
            ]
            assert found == pytest.approx(np.max(worth, axis=0), abs=1e-11)
            endless += int((np.abs(found) < 1e-12).any() and (np.min(worth, axis=0) < -1e-6).any())
    assert endless  # somewhere the best response waits for ever rather than lose


@pytest.mark.parametrize("names", [("greedy", "blocker"), ("blocker", "random"), ("optimal", "greedy")])
def test_two_players_are_scored_as_by_the_two_player_answer_key(demi_iles, names):
    key = many_key(demi_iles.model.game)
    ours = [behaviour(key, name) for name in names]
    theirs = [demi_iles.tabulate(make_policy(name, key.model.game).action_probabilities) for name in names]
    first, second = key.standing(ours), key.standing(ours[::-1])
    result = demi_iles.result(*theirs)
    assert (first.wins[0] + second.wins[1]) / 2 == pytest.approx(result.win, abs=1e-12)
    assert (first.never + second.never) / 2 == pytest.approx(result.draw, abs=1e-12)
    assert [first.values[0], second.values[1]] == pytest.approx([result.first, result.second], abs=1e-12)
    against = demi_iles.best_response(theirs[1]).values[demi_iles.model.start]
    assert key.best_values([ours[1], ours[1]]) == pytest.approx(against.tolist(), abs=1e-12)
    within = np.mean(key.best_values_within([ours[1], ours[1]], 50))
    assert within == pytest.approx(demi_iles.best_response_within(theirs[1], 50).mean(), abs=1e-12)


def test_a_game_of_another_class_is_walked_through_state_by_state_and_comes_out_alike():
    quick, walked = many_model(DemiIles(DemiIlesRules(2))), many_model(Another(DemiIlesRules(2)))
    assert walked.n_states == quick.n_states == 441
    for other in (walked, enumerate_many(DemiIles(DemiIlesRules(2)))):
        place = {tuple(fields): i for i, fields in enumerate(quick.fields.tolist())}
        order = np.array([place[tuple(fields)] for fields in other.fields.tolist()])
        rows = (3 * order[:, None] + np.arange(3)).ravel()
        assert np.abs(quick.step[rows][:, order] - other.step).max() < 1e-15
        assert quick.wins[rows] == pytest.approx(other.wins)


def test_a_game_that_pays_otherwise_is_refused_in_a_sentence():
    with pytest.raises(Unsolvable, match=r"where one wins 1 and the others share the loss"):
        many_model(Reversed(DemiIlesRules(3)))
    with pytest.raises(Unsolvable, match=r"^demi-iles is scored exactly for up to four players, not for 5$"):
        many_model(DemiIles(DemiIlesRules(5)))


@pytest.mark.parametrize("players", [3, 4])
def test_rows_are_what_the_restated_rules_say(players):
    model = many_model(make_game("demi-iles", players=players))
    rng = np.random.default_rng(0)
    place = 21 ** np.arange(players - 1, -1, -1)
    for state in [*rng.integers(model.n_states, size=150).tolist(), 0]:
        scores = tuple(model.fields[state, :players].tolist())
        for dice in range(3):
            row = model.step[[3 * state + dice]].toarray()[0]
            for (after, _), probability in demi_iles_next(scores, 0, dice).items():
                if after[0] == 21:
                    assert model.wins[3 * state + dice] == pytest.approx([probability] + [0] * (players - 1))
                    continue
                successor = int(np.array(after[1:] + after[:1]) @ place)
                assert row[successor] == pytest.approx(float(probability))
                row[successor] = 0
            assert not row.any()


def test_every_seating_of_three_different_players_is_as_played(three):
    game, rng = three.model.game, np.random.default_rng(5)
    known = {name: behaviour(three, name) for name in ("greedy", "blocker", "random")}
    for seating in list(permutations(known))[::2]:
        behaviours = [known[name] for name in seating]
        exact, cut = three.standing(behaviours), three.standing_within(behaviours, 60)
        later = three.standing_within(behaviours, 1000)
        assert 0 < later.never < 1e-3
        assert all(0 <= whole - part <= later.never for whole, part in zip(exact.wins, later.wins, strict=True))
        games = 1500
        played = play(game, [make_policy(name, game) for name in seating], games, rng, max_turns=60)
        wins = (played.returns == 1).mean(axis=0)
        for seat in range(3):
            assert abs(wins[seat] - cut.wins[seat]) < 4 * np.sqrt(cut.wins[seat] * (1 - cut.wins[seat]) / games)
        assert abs(played.cut.mean() - cut.never) < 4 * np.sqrt(cut.never * (1 - cut.never) / games)
        assert sum(exact.values) == pytest.approx(0, abs=1e-12)


def test_what_all_play_alike_is_scored_as_if_they_did_not(three):
    alike = behaviour(three, "greedy")
    one, each = [alike] * 3, [alike, alike.copy(), alike.copy()]
    assert three.standing(one).wins == pytest.approx(three.standing(each).wins, abs=1e-12)
    assert three.best_values(one) == pytest.approx(three.best_values(each), abs=1e-12)
    assert three.best_values_within(one, 30) == pytest.approx(three.best_values_within(each, 30), abs=1e-12)


def test_a_best_response_is_worth_what_it_gets_when_it_is_played(three):
    greedy, blocker = behaviour(three, "greedy"), behaviour(three, "blocker")
    for seat, others in ((0, [greedy, greedy, blocker]), (2, [blocker, greedy, greedy])):
        response = three.best_response(others, seat)
        played = [three.model.pure(response.rows[seat]) if m == seat else others[m] for m in range(3)]
        worth = three.standing(played)
        assert three.at_start(response.values) == pytest.approx(worth.values[seat], abs=1e-12)
        assert worth.values[seat] > three.standing(others).values[seat]
        assert three.gains(others)[seat] == pytest.approx(worth.values[seat] - three.standing(others).values[seat])


def test_a_cut_best_response_comes_near_the_endless_one_where_the_others_end_the_game(three):
    greedy = [behaviour(three, "greedy")] * 3
    within = [three.at_start(respond_within(three.model, greedy, 1, turns)) for turns in (100, 200, 400)]
    assert within == sorted(within)
    assert 0 < three.best_values(greedy)[1] - within[-1] < 0.2


def test_starts_by_chance_count_by_their_probability(three):
    greedy = [behaviour(three, "greedy")] * 3
    usual = three.standing(greedy).wins
    key = ManyKey(replace(three.model, starts={(0, 0): 0.5, (0, 1): 0.5}))
    expected = [(usual[0] + usual[2]) / 2, (usual[1] + usual[0]) / 2, (usual[2] + usual[1]) / 2]
    assert key.standing(greedy).wins == pytest.approx(expected, abs=1e-12)
    halves = (three.standing_within(greedy, 40).wins[0] + three.standing_within(greedy, 40).wins[2]) / 2
    assert key.standing_within(greedy, 40).wins[0] == pytest.approx(halves, abs=1e-12)


def test_what_is_too_rare_counts_as_never_in_the_endless_game_alone():
    model = random_many(np.random.default_rng(0), 3, 2)
    model.wins[:], model.wins[1, 0], model.wins[3, 0] = 0.0, 1.0, 1.0
    step = np.array([[0.5, 0.5], [0.0, 0.0], [0.5, 0.5], [0.0, 0.0]])
    key = ManyKey(replace(model, step=sparse.csr_array(step)))
    for rare, never in ((5e-10, 1.0), (2e-9, 0.0)):
        everybody = [np.array([1 - rare, rare, 1 - rare, rare])] * 3
        assert key.standing(everybody).never == pytest.approx(never, abs=1e-6)
        assert key.seat_by_seat(everybody)[0][1] == pytest.approx(never, abs=1e-6)
        assert key.standing_within(everybody, 3).wins == pytest.approx([rare, rare, rare], rel=1e-6)
