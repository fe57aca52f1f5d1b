"""Policies measured on the solo game, against dense linear systems of the re-stated rules and played games."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solo_chains import ALL, DenseGame, bits

from nenette.exact import solve
from nenette.exact.solo.scores import measure, solo_score
from nenette.games import make_game
from nenette.games.demi_iles import SoloState
from nenette.matches import score
from nenette.matches.sampled import play
from nenette.policies import make_policy

GAME = make_game("demi-iles-solo")
MISSING = (5, 13, 20)


class Given:
    """Does in each state what a function of the fields says: probabilities (n, 3)."""

    name = "given"

    def __init__(self, probabilities):
        self.probabilities = probabilities

    def action_probabilities(self, observations, masks):
        return self.probabilities(GAME.codec.decode(observations))


def by_score(table):
    """The same probabilities (22, 3) whatever has been seen."""
    return Given(lambda fields: np.asarray(table, dtype=float)[fields[:, 0]])


@pytest.fixture(scope="module")
def dense(own_cache):
    return DenseGame(MISSING)


def tables():
    rows = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3).filter(any)
    return st.lists(rows, min_size=22, max_size=22).map(np.array).map(lambda t: t / t.sum(axis=1, keepdims=True))


def spread(some, steps):
    """`some` (n,), and all states from which they can be reached by `steps` (n, n)."""
    while True:
        wider = some | (steps @ some.astype(float) > 0)
        if np.array_equal(wider, some):
            return some
        some = wider


def expected(dense, table, start):
    """Chance of finishing, whether it can get stuck, turns if not, capped turns, visits: by dense linear algebra."""
    probabilities = table[[score for score, _ in dense.states]]
    chain = dense.chain(probabilities)
    ends = np.clip(1 - chain.sum(axis=1), 0, None)
    ends[ends < 1e-9] = 0
    n = len(chain)
    can_end = spread(ends > 0, chain)
    met = spread(np.arange(n) == start, chain.T)
    good = np.flatnonzero(can_end)
    finishes = np.zeros(n)
    finishes[good] = np.linalg.solve(np.eye(len(good)) - chain[np.ix_(good, good)], ends[good])
    capped = np.linalg.solve(np.eye(n) - 0.999 * chain, np.ones(n))
    stuck = bool((met & ~can_end).any())
    within = np.flatnonzero(met) if not stuck else np.arange(n)
    chain = chain if not stuck else 0.999 * chain
    visits = np.zeros(n)
    visits[within] = np.linalg.solve((np.eye(len(within)) - chain[np.ix_(within, within)]).T, (within == start) * 1.0)
    return finishes[start], stuck, visits.sum(), capped[start], visits


@settings(max_examples=15)
@given(table=tables())
def test_every_figure_is_what_linear_algebra_says(dense, table):
    policy, start = by_score(table), SoloState(0, bits(ALL - set(MISSING)))
    first = dense.place[0, ALL - set(MISSING)]
    found = solo_score(GAME, policy.action_probabilities, start)
    values = -solve(GAME).values_of(dense.fields)
    q = 1 + dense.transition @ values
    greedy = np.eye(3)[table.argmax(axis=1)]
    for measured, probabilities in ((found.sampled, table), (found.greedy, greedy)):
        finishes, stuck, turns, capped, visits = expected(dense, probabilities, first)
        assert (measured.turns is None) == stuck
        assert measured.finishes == pytest.approx(finishes, abs=1e-9)
        assert measured.capped_turns == pytest.approx(capped, rel=1e-9)
        if not stuck:
            assert measured.finishes == 1
            assert measured.turns == pytest.approx(turns, rel=1e-9)
            assert measured.lost == pytest.approx(measured.turns - found.optimum, rel=1e-9, abs=1e-9)
        taken = probabilities[[score for score, _ in dense.states]]
        regrets = (taken * (q - q.min(axis=0)).T).sum(axis=1)
        agrees = (taken * (q <= q.min(axis=0) + 1e-9).T).sum(axis=1)
        assert measured.weights == ("capped visits" if stuck else "visits")
        assert measured.lost == pytest.approx(visits @ regrets, rel=1e-8, abs=1e-9)
        assert measured.regret == pytest.approx(visits @ regrets / visits.sum(), rel=1e-8, abs=1e-9)
        assert measured.agreement == pytest.approx(visits @ agrees / visits.sum(), rel=1e-8, abs=1e-9)
        by_missing = [
            sum(visits[i] * regrets[i] for i, (_, seen) in enumerate(dense.states) if 20 - len(seen) == phase.missing)
            for phase in measured.phases
        ]
        assert [phase.lost for phase in measured.phases] == pytest.approx(by_missing, rel=1e-8, abs=1e-9)
        worst = sorted(visits * regrets, reverse=True)[:10]
        assert [loss.lost for loss in measured.losses] == pytest.approx(
            [x for x in worst if x > 0][: len(measured.losses)], rel=1e-8, abs=1e-9
        )


def test_a_policy_that_may_get_stuck_finishes_with_a_chance_in_between():
    """From 0 it throws nothing for ever, and a throw of too many dice is what takes it there."""
    collector = make_policy("collector", GAME)

    def probabilities(fields):
        rows = collector.action_probabilities(GAME.codec.encode(fields), np.ones((len(fields), 3), dtype=np.int8))
        rows[(fields[:, 0] == 0) & (fields[:, 1:].sum(axis=1) > 0)] = [1, 0, 0]
        return rows

    found = solo_score(GAME, Given(probabilities).action_probabilities)
    assert 0 < found.sampled.finishes < 1
    assert found.sampled.turns is None
    assert found.optimum < found.sampled.capped_turns < 1000
    assert found.greedy == found.sampled
    games = play(GAME, [Given(probabilities)], 200, np.random.default_rng(1), max_turns=400)
    error = np.sqrt(found.sampled.finishes * (1 - found.sampled.finishes) / 200)
    assert abs((~games.cut).mean() - found.sampled.finishes) < 4.5 * error


def test_who_never_throws_never_finishes():
    found = solo_score(GAME, by_score([[1, 0, 0]] * 22).action_probabilities).sampled
    assert (found.finishes, found.turns, found.agreement) == (0, None, 0)
    assert found.capped_turns == pytest.approx(1000)
    assert found.losses[0].score == 0
    assert found.losses[0].missing == list(range(1, 21))
    assert found.losses[0].plays == [1, 0, 0]
    assert found.losses[0].best != 0


@pytest.mark.parametrize("rarely", [1e-12, 1e-60])
def test_what_happens_rarely_happens_in_the_end(rarely):
    start = SoloState(0, bits(ALL))
    found = solo_score(GAME, by_score([[1 - rarely, rarely / 2, rarely / 2]] * 22).action_probabilities, start)
    assert found.sampled.finishes == 1
    assert found.sampled.turns > 1 / rarely
    assert found.greedy.turns is None


@pytest.mark.parametrize("name", ["collector", "climber"])
def test_table_players_take_as_long_as_when_they_play(name):
    policy = make_policy(name, GAME)
    result = score(policy, GAME)
    assert result.exact
    assert (result.win, result.draw, result.loss) == (1, 0, 0)
    assert result.value == -result.turns
    figures = result.solo["sampled"]
    assert figures["turns"] - result.solo["optimum"] == pytest.approx(figures["lost"], abs=1e-9)
    assert sum(phase["lost"] for phase in figures["phases"]) == pytest.approx(figures["lost"], abs=1e-9)
    assert sum(phase["decisions"] for phase in figures["phases"]) == pytest.approx(result.turns, abs=1e-9)
    assert [phase["missing"] for phase in figures["phases"]] == list(range(20, -1, -1))
    assert result.solo["greedy"] == figures
    games = play(GAME, [policy], 250, np.random.default_rng(5), max_turns=None)
    assert abs(games.turns.mean() - result.turns) < 4.5 * games.turns.std() / np.sqrt(250)
    json.dumps(result.report(), allow_nan=False)


def test_a_score_without_bound_is_null_and_still_a_score():
    report = json.loads(json.dumps(score(by_score([[1, 0, 0]] * 22), GAME).report(), allow_nan=False))
    assert (report["exact"], report["win"], report["draw"], report["value"], report["turns"]) == (
        True,
        0,
        1,
        None,
        None,
    )
    assert report["value_by_seat"] == []
    assert report["solo"]["greedy"]["capped_turns"] == pytest.approx(1000)


def test_a_score_can_be_played_for_instead():
    result = score(make_policy("collector", GAME), GAME, games=20, exact=False)
    assert not result.exact
    assert result.games == 20
    assert result.solo is None


def test_perfect_play_loses_nothing():
    found = solo_score(GAME, make_policy("optimal", GAME).action_probabilities, SoloState(0, bits(range(3, 14))))
    assert found.sampled.turns == pytest.approx(found.optimum, abs=1e-10)
    assert found.sampled.lost == pytest.approx(0, abs=1e-10)
    assert found.sampled.agreement == pytest.approx(1)


@pytest.mark.parametrize("row", [[0.5, 0.5, 0.5], [1.5, -0.5, 0], [np.nan, 1, 0]])
def test_invalid_probabilities_are_refused(row):
    sentence = "^a policy's action probabilities are negative or do not sum to 1 in some state$"
    with pytest.raises(ValueError, match=sentence):
        solo_score(GAME, by_score([row] * 22).action_probabilities)


@pytest.mark.slow
def test_a_random_player():
    found = solo_score(GAME, make_policy("random", GAME).action_probabilities)
    assert found.sampled.turns == pytest.approx(542.1115415, abs=1e-6)
    assert found.sampled.lost == pytest.approx(found.sampled.turns - found.optimum, abs=1e-8)
    assert found.greedy.finishes == 0
    games = play(GAME, [make_policy("random", GAME)], 300, np.random.default_rng(5), max_turns=None)
    assert abs(games.turns.mean() - found.sampled.turns) < 4.5 * games.turns.std() / np.sqrt(300)


@pytest.mark.slow
def test_perfect_play_takes_the_optimum():
    found = solo_score(GAME, make_policy("optimal", GAME).action_probabilities)
    assert found.sampled.turns == pytest.approx(found.optimum, abs=1e-10)
    assert found.sampled.lost == 0


@settings(max_examples=8)
@given(table=tables(), gamma=st.sampled_from([0.5, 0.97, 1.0]))
def test_visits_and_discounted_turns_of_states_are_what_linear_algebra_says(dense, table, gamma):
    start = SoloState(0, bits(ALL - set(MISSING)))
    play, found = measure(GAME, by_score(table).action_probabilities, start)
    first = dense.place[0, ALL - set(MISSING)]
    places = solve(GAME).index(dense.fields)
    _, stuck, _, _, visits = expected(dense, table, first)
    assert found.visits[places] == pytest.approx(visits, rel=1e-8, abs=1e-9)
    assert found.visits.sum() == pytest.approx(visits.sum(), rel=1e-9)
    assert (play.turns is None) == stuck
    turns = found.turns(gamma)
    if gamma == 1 and stuck:
        assert turns is None
        return
    chain = dense.chain(table[[score for score, _ in dense.states]])
    met = np.flatnonzero(spread(np.arange(len(chain)) == first, chain.T))
    steps = chain[np.ix_(met, met)]
    assert turns[places][met] == pytest.approx(
        np.linalg.solve(np.eye(len(met)) - gamma * steps, np.ones(len(met))), rel=1e-8
    )
