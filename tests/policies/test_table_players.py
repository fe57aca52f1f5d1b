"""The hand-written policies, in situations worked out by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rule_variants import answer

from nenette.games import demi_iles, make_game, quatre21
from nenette.games.demi_iles import ALL_SEEN
from nenette.policies import make_policy
from nenette.policies.demi_iles import chance_of_21, threat
from nenette.policies.demi_iles_solo import best_throws


def seen(*missing: int) -> int:
    """All scores stood on but these."""
    return ALL_SEEN & ~sum(1 << (score - 1) for score in missing)


@pytest.mark.parametrize(
    ("score", "dice"),
    [
        # Prime: two dice are added, and land on 21 with a total of 8, 5 times in 36; nothing else can.
        (13, 2),
        # Likewise with a total of 2, though it is 1 in 36 and a bust to 0 is likely: none at all would be 18.
        (19, 2),
        # Two dice add their difference: 5 is 1 and 6, twice in 36.
        (16, 2),
        # Nothing reaches 21. No die: 14; one is taken away: 11.5 on average; two are taken away (5): 8.
        (15, 0),
        # Nothing reaches 21. A multiple of 7 adds from 10 on: 17.5; no die is 7; the difference is added: 15.94.
        (14, 1),
        # Nothing reaches 21. One die adds 3.5 to 0, the difference of two only 1.94, no die stays.
        (0, 1),
    ],
)
def test_greedy(score, dice):
    game = make_game("demi-iles")
    for other in (0, 13, 16):
        assert answer(make_policy("greedy", game), game, demi_iles.State((score, other), 0)) == dice


def test_the_chance_of_21_is_that_of_the_rules():
    assert [chance_of_21(13, dice) for dice in (0, 1, 2)] == [0, 0, Fraction(5, 36)]
    assert [chance_of_21(16, dice) for dice in (0, 1, 2)] == [0, 0, Fraction(2, 36)]


@pytest.mark.parametrize(
    ("own", "others", "dice"),
    [
        # The other wins from 16 twice in 36, from 15 and 14 never. Of one and two dice I run with: 11.5 beats 8.
        (15, (16,), 1),
        # As before, and from 19 only two dice reach 21.
        (19, (16,), 2),
        # From 13 the other wins 5 times in 36, from 12 never, from 11 with a total of 10, 3 in 36: one die, not two.
        (19, (13,), 1),
        # The other cannot win from 12, though it could from 11: nobody threatens, so I run.
        (15, (12,), 0),
        # 13 and 12 become 12 and 11 or 11 and 10: 3 in 36 either way, and better than 5 in 36. One die runs better.
        (15, (13, 12), 1),
    ],
)
def test_blocker(own, others, dice):
    game = make_game("demi-iles", players=1 + len(others))
    assert answer(make_policy("blocker", game), game, demi_iles.State((own, *others), 0)) == dice


def test_a_threat_is_that_any_of_the_others_wins():
    assert threat((13, 13), 0) == 1 - Fraction(31, 36) ** 2
    assert threat((13, 0), 1) == 0
    assert threat((13, 0), 2) == Fraction(3, 36)


def test_the_seat_does_not_matter():
    game = make_game("demi-iles", players=3)
    blocker = make_policy("blocker", game)
    assert answer(blocker, game, demi_iles.State((12, 15, 13), 1)) == 1


@pytest.mark.parametrize(
    ("policy", "score", "missing", "dice"),
    [
        # From 0 one die always lands on something new; two give a difference of 0 one time in six.
        ("collector", 0, range(1, 21), 1),
        # Half of 10 is 5 for certain; 5 or 4 by a die 2 in 6; by two dice 5 less (4 in 36) or 6 less (5 in 36).
        ("collector", 10, (4, 5), 0),
        # 4 and nothing else: one die 1 in 6, two dice 5 in 36, no die never.
        ("climber", 10, (4, 5), 1),
        # All there: 21 from 16 is a difference of 5.
        ("collector", 16, (), 2),
        ("climber", 16, (), 2),
        # All there, 21 out of reach from 8 but not from 11 or 13: one die does that 2 times in 6, two 8 in 36.
        ("collector", 8, (), 1),
        ("climber", 8, (), 1),
        # 21 itself was reached too soon: 20 is missing, and one less than 21.
        ("collector", 21, (20,), 0),
    ],
)
def test_solo_players(policy, score, missing, dice):
    game = make_game("demi-iles-solo")
    assert answer(make_policy(policy, game), game, demi_iles.SoloState(score, seen(*missing))) == dice


def throws_away(goals: set[int]) -> list[int]:
    """How many throws, with luck, each score is from standing on one of `goals`."""
    away = [0 if score in goals else 99 for score in range(22)]
    for _ in range(22):
        for score in set(range(22)) - goals:
            away[score] = 1 + min(away[r] for dice in range(3) for r in demi_iles.throw(score, dice).outcomes)
    return away


def bits(scores: set[int]) -> int:
    return sum(1 << score for score in scores)


@pytest.mark.parametrize("goal", range(1, 22))
def test_any_score_is_a_few_throws_from_any_other_and_each_throw_may_come_nearer(goal):
    away = throws_away({goal})
    assert max(away) <= 3
    scores = np.array([score for score in range(22) if score != goal])
    for score, dice in zip(scores.tolist(), best_throws(scores, np.full(21, 1 << goal)).tolist(), strict=True):
        assert min(away[reached] for reached in demi_iles.throw(score, dice).outcomes) == away[score] - 1


@given(goals=st.sets(st.integers(1, 21), min_size=1), score=st.integers(0, 21))
def test_the_dice_thrown_are_the_likeliest_to_come_as_near_as_one_throw_can(goals, score):
    assume(score not in goals)
    away = throws_away(goals)
    chances = [
        sum(probability for reached, probability in demi_iles.throw(score, dice) if away[reached] < away[score])
        for dice in range(3)
    ]
    assert best_throws(np.array([score]), np.array([bits(goals)])).tolist() == [chances.index(max(chances))]


def table(dice, leader=None, frozen=0, limit=3) -> quatre21.State:
    """Seat 0 after its first throw; `leader` is what the other, who led, has thrown."""
    order, throws = ((1, 0), (leader,)) if leader else ((0, 1), ())
    return quatre21.State((0, 0), (5, 6), 0, order, throws, limit, 1, dice, frozen)


@pytest.mark.parametrize(
    ("policy", "state", "again"),
    [
        ("a-fond", table((4, 2, 1)), 0b000),
        ("a-fond", table((6, 4, 1)), 0b001),
        ("a-fond", table((6, 6, 6)), 0b111),
        # One of each is kept, of equal dice the first.
        ("a-fond", table((4, 4, 1)), 0b010),
        ("a-fond", table((1, 1, 1)), 0b110),
        ("a-fond", table((1, 1, 1), leader=(2, 2, 1)), 0b110),
        # Worth two or more stops, and 421 does so as well.
        ("cautious", table((6, 5, 4)), 0b000),
        ("cautious", table((1, 1, 1)), 0b000),
        ("cautious", table((4, 2, 1)), 0b000),
        ("cautious", table((6, 5, 3)), 0b111),
        ("cautious", table((6, 5, 2)), 0b011),
        # The leader has nothing to beat; a follower stops on better, and not on equal.
        ("beat-it", table((6, 6, 6)), 0b111),
        ("beat-it", table((6, 6, 6), leader=(5, 5, 5)), 0b000),
        ("beat-it", table((6, 6, 6), leader=(6, 6, 6)), 0b111),
        ("beat-it", table((6, 5, 3), leader=(6, 5, 2)), 0b000),
        ("beat-it", table((6, 5, 2), leader=(6, 5, 3)), 0b011),
        ("beat-it", table((6, 5, 3), leader=(2, 2, 1)), 0b000),
    ],
)
def test_421_players(policy, state, again):
    game = make_game("421")
    assert answer(make_policy(policy, game), game, state) == again


@pytest.mark.parametrize(
    ("dice", "frozen", "again"),
    [
        # The second 4 is frozen and stands for the 4, so the first is thrown.
        ((4, 4, 1), 0b010, 0b001),
        # The frozen 6 stays, though nobody wants it.
        ((6, 5, 4), 0b001, 0b010),
        # All that may move is wanted: stop.
        ((6, 4, 1), 0b001, 0b000),
    ],
)
def test_frozen_dice_stay(dice, frozen, again):
    game = make_game("421", kept_dice="frozen")
    assert answer(make_policy("a-fond", game), game, table(dice, frozen=frozen)) == again


@pytest.mark.parametrize("policy", ["a-fond", "cautious", "beat-it"])
@pytest.mark.parametrize(
    ("dice", "frozen", "again"), [((4, 2, 1), 0, 0b010), ((4, 2, 1), 0b010, 0b001), ((6, 4, 1), 0b011, 0b100)]
)
def test_a_follower_who_must_throw_gives_up_the_2_then_the_4_then_the_1(policy, dice, frozen, again):
    game = make_game("421", followers="exactly", kept_dice="frozen")
    assert answer(make_policy(policy, game), game, table(dice, leader=(2, 2, 1), frozen=frozen)) == again


def test_a_rule_asked_twice_is_worked_out_once(monkeypatch):
    game = make_game("demi-iles")
    greedy = make_policy("greedy", game)
    asked = []
    monkeypatch.setattr(type(greedy), "act", lambda self, seen, legal: asked.append(seen) or 0)
    observations = np.repeat(game.codec.encode(np.array([[3, 4, 0], [3, 9, 0], [5, 4, 0]])), 1000, axis=0)
    masks = np.ones((3000, 3), dtype=np.int8)
    greedy.action_probabilities(observations, masks)
    greedy.action_probabilities(observations[:1], masks[:1])
    assert asked == [[3], [5]]
