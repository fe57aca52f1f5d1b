"""What the answer key says of any play: results, best responses, exploitability, regret."""

from itertools import pairwise

import numpy as np
import pytest
from made_up_games import value_of_play

from nenette.exact import AnswerKey
from nenette.exact.chain import PolicyEvaluator, by_side
from nenette.exact.solution import EPSILON
from nenette.policies import make_policy

PLAYERS = {"demi-iles": ["random", "greedy", "blocker"], "421": ["random", "a-fond", "cautious", "beat-it"]}


def named(key: AnswerKey, name: str):
    return key.tabulate(make_policy(name, key.model.game).action_probabilities)


def somebody(key: AnswerKey, seed: int, concentration: float = 1.0):
    """Odds drawn at random in every state; the smaller the concentration, the nearer to 0 and 1."""
    rng = np.random.default_rng(seed)
    weights = rng.gamma(concentration, size=key.model.n_rows) + 1e-6
    return weights / np.add.reduceat(weights, key.model.row_start[:-1])[key.model.row_state]


def everybody(key: AnswerKey):
    return [named(key, name) for name in PLAYERS[key.model.game.name]] + [
        somebody(key, seed, concentration) for seed, concentration in [(0, 1.0), (1, 0.3), (2, 0.03)]
    ]


def test_optimal_against_itself_draws(key):
    result = key.result(key.optimum, key.optimum)
    assert result.value == pytest.approx(0, abs=1e-12)
    assert result.win == pytest.approx(result.loss, abs=1e-12)
    ends = key.model.always_ends
    assert result.draw == (0 if ends else 1)
    assert (result.first, result.second) == (pytest.approx(0, abs=1e-12), pytest.approx(0, abs=1e-12))


def test_nobody_gains_anything_against_the_optimum(key):
    assert key.exploitability(key.optimum) == pytest.approx(0, abs=1e-9)
    for player in everybody(key):
        assert key.result(player, key.optimum).value <= 1e-12


def test_the_whole_match_of_421_is_not_exploitable(whole_421):
    assert whole_421.exploitability(whole_421.optimum) == pytest.approx(0, abs=1e-9)
    assert whole_421.regret(whole_421.optimum, whole_421.optimum) == pytest.approx(0, abs=1e-12)


def test_the_best_response_gets_what_it_says_and_no_other_gets_more(key):
    players = everybody(key)
    for opponent in players:
        response = key.best_response(opponent)
        mine = key.model.pure(response.rows)
        start = response.values[key.model.start]
        got = key.result(mine, opponent)
        assert (got.first, got.second) == (pytest.approx(start[0], abs=1e-9), pytest.approx(start[1], abs=1e-9))
        entries = response.values[: key.model.n_entries]
        np.testing.assert_allclose(value_of_play(key.model, mine, opponent), entries, atol=1e-8)
        for other in [*players, key.optimum]:
            result = key.result(other, opponent)
            assert result.first <= start[0] + 1e-9
            assert result.second <= start[1] + 1e-9
        assert key.exploitability(opponent) == pytest.approx(start.mean(), abs=1e-12)
        assert key.exploitability(opponent) >= -1e-12


def test_results_add_up_and_mirror(key):
    players = [*everybody(key), key.optimum]
    for a, b in pairwise(players):
        ours, theirs = key.result(a, b), key.result(b, a)
        assert ours.win + ours.draw + ours.loss == pytest.approx(1, abs=1e-12)
        assert min(ours.win, ours.draw, ours.loss) >= 0
        assert ours.value == pytest.approx(ours.win - ours.loss, abs=1e-12)
        mirrored = (theirs.loss, theirs.draw, theirs.win, -theirs.second, -theirs.first)
        assert tuple(ours) == pytest.approx(mirrored, abs=1e-9)
        assert key.result(a, a).value == pytest.approx(0, abs=1e-12)


def test_named_players_never_play_demi_iles_for_ever(demi_iles):
    for a in PLAYERS["demi-iles"]:
        for b in PLAYERS["demi-iles"]:
            assert demi_iles.result(named(demi_iles, a), named(demi_iles, b)).draw == pytest.approx(0, abs=1e-9)


def test_whoever_never_throws_is_never_beaten_by_the_same(demi_iles):
    never = demi_iles.model.pure(demi_iles.model.row_start[:-1])
    result = demi_iles.result(never, never)
    assert result == (0, 1, 0, 0, 0)
    assert demi_iles.regret(never, never) > 0


@pytest.mark.parametrize("opponent", ["optimum", "random"])
def test_regret_is_the_value_lost_shared_out_among_decisions(key, opponent):
    """The performance difference: against optimal play, value lost is the sum of the regrets of all decisions met."""
    judged = key.model.trembling(EPSILON) if not key.model.always_ends else key.model
    evaluator = PolicyEvaluator(judged)
    start = key.model.start
    payoff = by_side(judged, judged.payoff)
    decision = key.model.decides[key.model.row_state].astype(float)
    nothing = np.zeros(judged.n_rows)
    own = np.stack([decision, nothing], axis=1)
    against = key.optimum if opponent == "optimum" else named(key, "random")
    for player in everybody(key):
        (decisions,) = evaluator.totals((player, against), [own])
        regret = key.regret(player, against)
        assert regret > 0
        if opponent == "optimum":
            (best,) = evaluator.totals((key.optimum, key.optimum), [payoff])
            (reached,) = evaluator.totals((player, key.optimum), [payoff])
            lost = (best - reached)[start].sum()
            assert regret * decisions[start].sum() == pytest.approx(lost, rel=1e-6, abs=1e-9)
    assert key.regret(key.optimum, against) == pytest.approx(0, abs=1e-10)


def test_what_is_given_away_in_parts_is_what_is_given_away(key):
    column = key.model.fields[:, 0]
    parts = [column == value for column in key.model.fields.T[:2] for value in np.unique(column)]
    everywhere = np.ones(key.model.n_states, dtype=np.bool_)
    for player in everybody(key):
        ((lost, decisions),) = key.given_away(player, key.optimum, [everywhere])
        assert lost / decisions == key.regret(player, key.optimum)
        of_parts = np.array(key.given_away(player, key.optimum, parts))
        n = len(np.unique(column))
        for whole in (of_parts[:n], of_parts[n:]):
            np.testing.assert_allclose(whole.sum(axis=0), [lost, decisions], rtol=1e-9)
        assert (of_parts[:n, 0] < lost * 0.999999).all()  # no part is all of it


def test_in_demi_iles_a_cut_game_is_less_exploitable(demi_iles):
    for player in everybody(demi_iles)[::2]:
        within = [demi_iles.best_response_within(player, turns).mean() for turns in (1, 2, 10, 200, 2000)]
        assert within[0] == 0  # nobody wins with the first throw of the game
        assert all(a <= b + 1e-12 for a, b in pairwise(within))
        assert within[-1] <= demi_iles.exploitability(player) + 1e-9
        assert within[-1] == pytest.approx(demi_iles.exploitability(player), abs=1e-3)
        assert within[3] < within[4]
    assert demi_iles.best_response_within(demi_iles.optimum, 200).mean() == pytest.approx(0, abs=1e-12)
    assert demi_iles.can_be_cut


def test_a_cut_after_a_few_turns_by_hand(demi_iles):
    # Of two turns the responder has one. From 0-0 the first cannot win, and one who throws nothing stays: no win yet.
    # Within three turns the first moves twice: once to where the chance of 21 is best, 5 or 6 with one die, where two
    # dice come to 15 to 18 at most.
    never = demi_iles.model.pure(demi_iles.model.row_start[:-1])
    assert [demi_iles.best_response_within(never, turns).mean() for turns in (1, 2, 3, 4)] == [0, 0, 0, 0]
    assert demi_iles.best_response_within(never, 7).mean() > 0
    # Whoever never throws is beaten for certain in the end.
    assert demi_iles.exploitability(never) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("least", [1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-16, 1e-20, 1e-30])
def test_the_rarest_mistakes_do_no_harm_to_the_figures(demi_iles, least):
    model = demi_iles.model
    probabilities = np.zeros((model.n_states, 3))
    probabilities[model.row_state, model.row_action] = (1 - least) * demi_iles.optimum + least * model.uniform()
    player = demi_iles.tabulate(lambda observations, masks: probabilities)
    result = demi_iles.result(player, demi_iles.optimum)
    assert result.win + result.draw + result.loss == pytest.approx(1, abs=1e-12)
    assert result.draw == pytest.approx(0 if least > 3e-9 else 1, abs=1e-11)
    assert result.value <= 1e-12
    # Whoever waits long enough is sure to win, as long as the mistakes are there to be seen (1e-9 or more).
    assert demi_iles.exploitability(player) == pytest.approx(1 if least > 3e-9 else 0, abs=1e-11)
