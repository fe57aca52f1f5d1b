"""Luck is measured exactly: what is left of a game is what it was, and says the same on average."""

import numpy as np
import pytest

from nenette.exact import answer_key
from nenette.games import make_game
from nenette.matches import play
from nenette.matches.luck import LuckMeter
from nenette.matches.observed import Observer
from nenette.matches.sample import OPTIMAL, take_sample
from nenette.policies import make_policy
from nenette.policies.policy import choose

DEMI_ILES = make_game("demi-iles", max_turns=50)
SHORT_421 = make_game("421", fiches=2, manches_to_lose=1)
PAIRS = [
    (DEMI_ILES, "random", "optimal"),
    (DEMI_ILES, "greedy", "blocker"),
    (make_game("demi-iles", max_turns=9), "greedy", "random"),
    (SHORT_421, "random", "optimal"),
    (SHORT_421, "cautious", "beat-it"),
    (make_game("421", fiches=2, manches_to_lose=2, next_manche_leader="opening"), "a-fond", "cautious"),
]
SEATS = (0, 1)


class Opaque:
    """Decides by itself and says only what it does: it has a memory, and asked twice it may answer otherwise."""

    def __init__(self, policy):
        self.name, self._policy, self._rng = "opaque", policy, np.random.default_rng(5)

    def action_probabilities(self, observations, masks):
        actions = choose(self._policy.action_probabilities(observations, masks), self._rng)
        return np.eye(masks.shape[1])[actions]


def metered(game, policy, against, seat, *, games=200, forecast=None, seed=0, max_turns="rules"):
    """The meter and the returns of games played from `seat`; luck by optimal play unless a forecast is given."""
    key = answer_key(game)
    forecast = forecast or key.forecast(key.optimum, key.optimum, max_turns=game.max_turns)
    meter = LuckMeter(key, seat, games, [forecast])
    table = [policy, against] if seat == 0 else [against, policy]
    played = play(game, table, games, np.random.default_rng(seed), witness=meter, max_turns=max_turns)
    return meter, played.returns[:, seat], played.cut


def named(game, *names):
    return [make_policy(name, game) for name in names]


def behaviours(game, *names):
    return [answer_key(game).tabulate(policy.action_probabilities) for policy in named(game, *names)]


def exact_value(game, name, against):
    """Over both seats, in the game as it is played: cut after its `max_turns`."""
    key = answer_key(game)
    forecast = key.forecast(*behaviours(game, name, against), max_turns=game.max_turns)
    values, _ = forecast.at(0)
    return values[key.model.start].mean()


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(("game", "name", "against"), PAIRS)
def test_every_result_is_start_luck_draws_and_decisions(game, name, against, seat):
    meter, returns, cut = metered(game, *named(game, name, against), seat)
    explained = meter.start[0] + meter.luck[0] + meter.draws[0] + meter.decisions[0]
    np.testing.assert_allclose(explained + (returns - meter.last[0]), returns, atol=1e-9)
    np.testing.assert_allclose(explained[~cut], returns[~cut], atol=1e-9)
    assert np.abs(meter.luck[0]).max() > 0.1
    assert (np.abs(meter.draws[0]).max() > 1e-3) == ("random" in (name, against))


@pytest.mark.parametrize(("game", "name"), [(DEMI_ILES, "greedy"), (SHORT_421, "cautious")])
def test_against_a_perfect_player_decisions_only_lose(game, name):
    meter, _, _ = metered(game, *named(game, name, "optimal"), 0)
    assert meter.decisions[0].max() < 1e-9
    assert meter.decisions[0].min() < -0.05


@pytest.mark.parametrize("game", [DEMI_ILES, SHORT_421, make_game("421", fiches=2, next_manche_leader="opening")])
def test_two_perfect_players_leave_no_variance(game):
    for seat in SEATS:
        meter, returns, _ = metered(game, *named(game, "optimal", "optimal"), seat)
        np.testing.assert_allclose(returns - meter.luck[0], meter.start[0], atol=1e-9)
    sample = take_sample(*_seated(game, "optimal", "optimal"), 400, np.random.default_rng(0))
    adjusted = sample.adjustments[OPTIMAL]
    assert (adjusted.value, adjusted.half_width) == (pytest.approx(0, abs=1e-9), 0)
    assert adjusted.variance_ratio is None
    assert sample.chosen == OPTIMAL


def _seated(game, name, against):
    policy, opponent = named(game, name, against)
    return policy, game, opponent


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])  # other games of the same pairs
@pytest.mark.parametrize(("game", "name", "against"), PAIRS)
def test_both_adjusted_means_are_right_and_closer_than_the_plain_one(game, name, against, seed):
    sample = take_sample(*_seated(game, name, against), 1000, np.random.default_rng(seed))
    exact = exact_value(game, name, against)
    assert set(sample.adjustments) == {OPTIMAL, sample.chosen}
    for adjusted in sample.adjustments.values():
        assert abs(adjusted.value - exact) < 4 * adjusted.half_width / 1.96 + 1e-9
    assert sample.adjustments[sample.chosen].half_width < sample.half_width / 3


@pytest.mark.parametrize(
    ("game", "name", "against", "floor"),
    [
        (DEMI_ILES, "random", "optimal", 100),
        (DEMI_ILES, "greedy", "optimal", 50),
        (SHORT_421, "random", "optimal", 20),
        (SHORT_421, "cautious", "optimal", 20),
    ],
)
def test_variance_ratios(game, name, against, floor):
    sample = take_sample(*_seated(game, name, against), 1000, np.random.default_rng(1))
    adjusted = sample.adjustments[sample.chosen]
    assert adjusted.half_width * floor**0.5 < sample.half_width
    assert adjusted.variance_ratio is None or adjusted.variance_ratio > floor


@pytest.mark.parametrize("game", [DEMI_ILES, SHORT_421])
def test_luck_has_mean_0_by_any_forecast(game):
    """Also by one that is about quite other players and wrong for these."""
    key = answer_key(game)
    wrong = key.forecast(key.model.uniform(), key.model.pure(key.model.row_start[1:] - 1))
    for seat in SEATS:
        meter, returns, _ = metered(game, *named(game, "random", "optimal"), seat, games=1500, forecast=wrong)
        for terms in (meter.luck[0], meter.draws[0]):
            assert abs(terms.mean()) < 4 * terms.std() / np.sqrt(len(terms))
            assert terms.std() > 0.01
        assert returns.std() > 0.05


@pytest.mark.parametrize(("game", "max_turns"), [(DEMI_ILES, 7), (make_game("421", fiches=4, max_turns=5), "rules")])
def test_luck_has_mean_0_where_games_are_cut_unforeseen(game, max_turns):
    key = answer_key(game)
    unforeseen = key.forecast(*behaviours(game, "random", "optimal"))
    for seat in SEATS:
        meter, returns, cut = metered(
            game, *named(game, "random", "optimal"), seat, games=1000, forecast=unforeseen, max_turns=max_turns
        )
        assert cut.mean() > 0.3
        assert np.abs(meter.last[0] - returns)[cut].max() > 0.01
        assert abs(meter.luck[0].mean()) < 4 * meter.luck[0].std() / np.sqrt(len(returns))


@pytest.mark.parametrize(("game", "name"), [(DEMI_ILES, "random"), (SHORT_421, "random"), (SHORT_421, "a-fond")])
def test_an_agent_that_only_tells_what_it_does_is_scored_without_bias(game, name):
    policy, opponent = Opaque(make_policy(name, game)), make_policy("optimal", game)
    meter, _, _ = metered(game, policy, opponent, 0)
    np.testing.assert_allclose(meter.draws[0], 0, atol=1e-12)
    sample = take_sample(policy, game, opponent, 1000, np.random.default_rng(2))
    exact = exact_value(game, name, "optimal")
    for adjusted in sample.adjustments.values():
        assert abs(adjusted.value - exact) < 4 * adjusted.half_width / 1.96


@pytest.mark.parametrize("game", [DEMI_ILES, SHORT_421])
def test_a_forecast_s_rows_are_the_means_over_what_the_rules_lead_to(game):
    key = answer_key(game)
    model = key.model
    forecast = key.forecast(*behaviours(game, "random", "optimal"), max_turns=game.max_turns)
    values, rows = forecast.at(0)
    later, _ = forecast.at(1)
    for row in np.random.default_rng(0).choice(model.n_rows, 150, replace=False):
        state = game.decode(model.fields[model.row_state[row]])  # seat 0 is to move
        for side in SEATS:
            mean = 0.0
            for after, probability in game.outcomes(state, int(model.row_action[row])):
                returns = game.returns(after)
                if returns is not None:
                    mean += float(probability) * returns[side]
                    continue
                mover = game.seat(after)
                (index,) = key.index(np.array([game.encode(after, mover)]))
                mean += float(probability) * later[index, side ^ mover]
            assert rows[row, side] == pytest.approx(mean, abs=1e-9)
    mover = np.add.reduceat(rows[:, 0] * behaviours(game, "random")[0], model.row_start[:-1])
    np.testing.assert_allclose(values[:, 0], mover, atol=1e-9)


def test_play_is_observed_as_it_is():
    key = answer_key(DEMI_ILES)
    observer = Observer(key)
    for seat in SEATS:
        table = named(DEMI_ILES, "random", "blocker")[:: 1 - 2 * seat]
        play(DEMI_ILES, table, 300, np.random.default_rng(seat), witness=observer.at_seat(seat))
    for side, (name, exact) in enumerate(
        zip(("random", "blocker"), behaviours(DEMI_ILES, "random", "blocker"), strict=True)
    ):
        seen = observer.behaviour(side)
        sums = np.add.reduceat(seen, key.model.row_start[:-1])
        np.testing.assert_allclose(sums, 1, atol=1e-9)
        # Most states are met, and there what is seen is what is played, but for the little that guesses count.
        assert (np.abs(seen - exact) < 0.02).mean() > 0.6, name


def test_nothing_observed_is_optimal_play():
    key = answer_key(SHORT_421)
    np.testing.assert_allclose(Observer(key).behaviour(1), key.optimum, atol=1e-12)


def test_few_games_are_adjusted_by_optimal_play_alone_and_all_count():
    sample = take_sample(*_seated(SHORT_421, "cautious", "optimal"), 30, np.random.default_rng(0))
    assert list(sample.adjustments) == [OPTIMAL]
    assert [len(returns) for returns in sample.returns] == [15, 15]


def test_games_of_three_are_not_adjusted():
    game = make_game("demi-iles", players=3)
    sample = take_sample(*_seated(game, "greedy", "random"), 30, np.random.default_rng(0))
    assert (sample.adjustments, sample.chosen) == ({}, None)
    assert [len(returns) for returns in sample.returns] == [10, 10, 10]


def test_progress_counts_all_games():
    counts: list[int] = []
    take_sample(*_seated(SHORT_421, "cautious", "random"), 300, np.random.default_rng(0), counts.append)
    assert counts == sorted(counts)
    assert counts[-1] == 300
