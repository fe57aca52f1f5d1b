from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from restatement import (
    demi_iles_next,
    demi_iles_scores,
    demi_iles_solo_next,
    demi_iles_solo_over,
    demi_iles_winner,
)

from nenette.games import make_game
from nenette.games.demi_iles import ALL_SEEN, DemiIles, DemiIlesRules, DemiIlesSolo, SoloState, State, faces, throw

SIXTH = Fraction(1, 6)
unfinished_scores = st.integers(0, 20)
dice_counts = st.integers(0, 2)


@st.composite
def tables(draw: st.DrawFn) -> State:
    scores = draw(st.lists(unfinished_scores, min_size=3, max_size=6))
    return State(tuple(scores), draw(st.integers(0, len(scores) - 1)))


def bits(seen: frozenset[int]) -> int:
    return sum(1 << (score - 1) for score in seen)


# Against the restatement


@pytest.mark.parametrize("dice", [0, 1, 2])
@pytest.mark.parametrize("score", range(22))
def test_the_faces_that_are_shown_fall_as_dice_do(score: int, dice: int) -> None:
    seen: dict[tuple[int, ...], Fraction] = {}
    for fallen, probability in throw(score, dice):
        for shown, share in faces(score, dice, fallen):
            seen[shown] = seen.get(shown, Fraction(0)) + probability * share
    assert len(seen) == 6**dice
    assert set(seen.values()) == {SIXTH**dice}


@pytest.mark.parametrize("dice", [0, 1, 2])
@pytest.mark.parametrize("score", range(22))
def test_a_throw_has_the_probabilities_of_the_reference_table(score: int, dice: int) -> None:
    assert dict(throw(score, dice)) == demi_iles_scores(score, dice)


def test_two_players_have_the_probabilities_of_the_restatement_in_every_state() -> None:
    game = DemiIles()
    for own in range(21):
        for other in range(21):
            for mover in (0, 1):
                for dice in (0, 1, 2):
                    outcomes = dict(game.outcomes(State((own, other), mover), dice))
                    assert outcomes == demi_iles_next((own, other), mover, dice)


@given(table=tables(), dice=dice_counts)
def test_several_players_have_the_probabilities_of_the_restatement(table: State, dice: int) -> None:
    game = DemiIles(DemiIlesRules(players=len(table.scores)))
    outcomes = dict(game.outcomes(table, dice))
    assert outcomes == demi_iles_next(table.scores, table.seat, dice)
    for after in outcomes:
        winner = demi_iles_winner(after.scores)
        returns = game.returns(after)
        assert (returns is None) == (winner is None)
        assert returns is None or returns.index(1.0) == winner


@given(score=st.integers(0, 21), seen=st.frozensets(st.integers(1, 20)), dice=dice_counts)
def test_alone_the_probabilities_are_those_of_the_restatement(score: int, seen: frozenset[int], dice: int) -> None:
    game = DemiIlesSolo()
    outcomes = dict(game.outcomes(SoloState(score, bits(seen)), dice))
    expected = demi_iles_solo_next(score, seen, dice)
    assert outcomes == {SoloState(s, bits(stood)): p for (s, stood), p in expected.items()}
    for after, stood in expected:
        over = game.returns(SoloState(after, bits(stood))) is not None
        assert over == demi_iles_solo_over(after, stood)


@pytest.mark.parametrize("missing", range(1, 21))
def test_alone_every_single_score_is_needed(missing: int) -> None:
    game = DemiIlesSolo()
    assert game.returns(SoloState(21, ALL_SEEN)) == (0.0,)
    assert game.returns(SoloState(21, ALL_SEEN & ~(1 << (missing - 1)))) is None


# Worked by hand


def test_at_10_one_die_is_subtracted() -> None:
    assert dict(throw(10, 1)) == dict.fromkeys((9, 8, 7, 6, 5, 4), SIXTH)


def test_at_7_one_die_is_subtracted_and_at_14_added() -> None:
    assert dict(throw(7, 1)) == dict.fromkeys((6, 5, 4, 3, 2, 1), SIXTH)
    assert dict(throw(14, 1)) == dict.fromkeys((15, 16, 17, 18, 19, 20), SIXTH)


def test_at_0_one_die_and_the_difference_of_two_are_added_and_halving_leaves_0() -> None:
    assert dict(throw(0, 1)) == dict.fromkeys((1, 2, 3, 4, 5, 6), SIXTH)
    assert dict(throw(0, 2)) == {k: Fraction(n, 36) for k, n in enumerate((6, 10, 8, 6, 4, 2))}
    assert dict(throw(0, 0)) == {0: 1}


def test_at_21_one_die_is_added_which_always_overshoots_to_0() -> None:
    assert dict(throw(21, 1)) == {0: 1}


def test_at_15_the_sum_is_subtracted_for_5_goes_before_3() -> None:
    assert max(throw(15, 2).outcomes) == 13
    assert min(throw(15, 2).outcomes) == 3


def test_at_3_and_5_the_sum_is_added_for_primes_go_before_multiples() -> None:
    assert sorted(throw(3, 2).outcomes) == list(range(5, 16))
    assert sorted(throw(5, 2).outcomes) == list(range(7, 18))


def test_from_19_two_dice_win_with_a_double_one_and_else_overshoot_to_0() -> None:
    assert dict(throw(19, 2)) == {21: Fraction(1, 36), 0: Fraction(35, 36)}


def test_at_10_a_sum_of_10_or_more_leads_to_0() -> None:
    # A sum of 10 leads there exactly; 11 and 12 would lead below.
    assert dict(throw(10, 2))[0] == Fraction(3 + 2 + 1, 36)


def test_odd_scores_lose_1_and_even_ones_are_halved_without_dice() -> None:
    assert [throw(score, 0).outcomes[0] for score in (1, 2, 9, 10, 20, 21)] == [0, 1, 8, 5, 10, 20]


def test_dice_are_taken_from_everybody_else_but_never_below_0() -> None:
    game = DemiIles(DemiIlesRules(players=4))
    after = game.outcomes(State((1, 0, 20, 2), 2), 2)
    assert {s.scores[:2] + s.scores[3:] for s in after.outcomes} == {(0, 0, 0)}
    assert {s.seat for s in after.outcomes} == {3}


def test_the_turn_goes_round() -> None:
    game = DemiIles(DemiIlesRules(players=3))
    assert [game.outcomes(State((5, 5, 5), seat), 0).outcomes[0].seat for seat in range(3)] == [1, 2, 0]


def test_21_wins_at_once_and_the_others_share_the_loss() -> None:
    game = DemiIles(DemiIlesRules(players=3))
    won = [s for s, _ in game.outcomes(State((4, 16, 7), 1), 2) if s.scores[1] == 21]
    assert won == [State((2, 21, 5), 1)]
    assert game.returns(won[0]) == (-0.5, 1.0, -0.5)


def test_a_game_starts_at_0_with_seat_0_and_has_no_other_start() -> None:
    assert dict(make_game("demi-iles", players=5).initial()) == {State((0, 0, 0, 0, 0), 0): 1}
    assert dict(make_game("demi-iles-solo").initial()) == {SoloState(0, 0): 1}


def test_alone_21_reached_too_soon_is_played_on_and_scored_by_row_21() -> None:
    game = DemiIlesSolo()
    early = SoloState(21, 0)
    assert game.returns(early) is None
    assert {s.score for s in game.outcomes(early, 2).outcomes} == {16, 17, 18, 19, 20, 21}
    assert dict(game.outcomes(early, 0)) == {SoloState(20, 1 << 19): 1}


def test_alone_a_turn_costs_1_and_the_end_pays_nothing() -> None:
    game = DemiIlesSolo()
    assert game.turn_reward == -1.0
    assert game.returns(SoloState(21, ALL_SEEN)) == (0.0,)


def test_alone_0_need_not_be_stood_on_again() -> None:
    after = dict(DemiIlesSolo().outcomes(SoloState(1, 0b11), 0))
    assert after == {SoloState(0, 0b11): 1}
