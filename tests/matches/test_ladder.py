"""The figures of a ladder's cards, how they are compared, and who stands above whom."""

import pytest

from nenette.games import make_game
from nenette.matches import cross_table, score
from nenette.matches.ladder import TOLERANCE, differences, elo_of_all, figures, strength, with_elo, without_elo
from nenette.policies import load_opponent, make_policy

GAME = make_game("demi-iles")
NAMES = ("random", "greedy", "optimal")


def test_figures_are_the_exact_score_against_the_optimum():
    found = figures(make_policy("greedy", GAME), GAME)
    report = score(make_policy("greedy", GAME), GAME, make_policy("optimal", GAME)).report()
    endless = found.pop("endless")
    assert found == {figure: report[figure] for figure in found}
    assert list(found) == ["plays", "max_turns", "value", "win", "draw", "loss", "exploitability", "regret"]
    assert endless == {figure: report["endless"][figure] for figure in endless}
    assert list(endless) == ["value", "win", "draw", "loss", "exploitability", "rare"]
    assert (found["plays"], found["max_turns"]) == ("greedy", 200)


def test_figures_of_a_network_that_ppo_made_tell_of_both_players():
    network = load_opponent("demi-iles/ppo-strong")
    found = figures(network, GAME)
    other = found.pop("other_player")
    assert (found["plays"], other["plays"]) == ("greedy", "sampled")
    # The likeliest action is played without a mistake; an action that is drawn is one now and then.
    assert (found["exploitability"], found["endless"]["exploitability"]) == (0, 0)
    assert other["exploitability"] == pytest.approx(0.0059, abs=1e-4)
    assert other["endless"]["exploitability"] == pytest.approx(1)
    drawn = figures(network.with_head("softmax"), GAME)
    assert drawn.pop("other_player") == found
    assert drawn == other
    assert "other_player" not in figures(load_opponent("demi-iles/dqn-strong"), GAME)  # values have no probabilities


def test_elo_is_that_of_the_whole_table_and_of_the_solo_game_none():
    policies = [make_policy(name, GAME) for name in NAMES]
    table, found = cross_table(policies, GAME), elo_of_all(policies, GAME)
    assert found == {
        name: {"elo": elo, "endless": {"elo": endless}}
        for name, elo, endless in zip(NAMES, table.elo, table.endless.elo, strict=True)
    }
    card = {"value": 0.5, "endless": {"value": 1.0}}
    rated = with_elo(with_elo(card, {"elo": 3.0, "endless": {"elo": 4.0}}), found["greedy"])
    assert rated == {**card, "elo": table.elo[1], "endless": {"value": 1.0, "elo": table.endless.elo[1]}}
    assert without_elo(rated) == card
    solo = make_game("demi-iles-solo")
    assert elo_of_all([make_policy("random", solo), make_policy("climber", solo)], solo) == {}


def test_what_rounding_may_do_is_no_difference():
    card = {"value": 0.25, "turns": None, "greedy": {"turns": 81.0}}
    found = {"value": 0.25 + TOLERANCE / 2, "turns": None, "greedy": {"turns": 81.0 * (1 + TOLERANCE / 2)}}
    assert differences(card, found) == []
    assert differences({"elo": -0.0}, {"elo": TOLERANCE / 2}) == []


@pytest.mark.parametrize(
    ("card", "found", "line"),
    [
        ({"value": 0.25}, {"value": 0.25 + 3 * TOLERANCE}, "value is 0.25 on the card, and is 0.250000003"),
        ({"a": {"turns": 81.0}}, {"a": {"turns": None}}, "a.turns is 81.0 on the card, and is None"),
        ({"a": {"turns": 81}}, {"a": {"turns": 81.0}}, "a.turns is 81 on the card, and is 81.0"),
        ({"a": 1.0}, {"a": {"turns": 81.0}}, "a is 1.0 on the card, and is {'turns': 81.0}"),
        ({}, {"elo": 1.5}, "elo is missing on the card, and is 1.5"),
        ({"luck": 1.0}, {}, "luck is on the card, and there is no such figure"),
        ({"seed": 1}, {"seed": 2}, "seed is 1 on the card, and is 2"),
        ({"value": True}, {"value": 1.0}, "value is True on the card, and is 1.0"),
        ({"value": float("nan")}, {"value": 0.0}, "value is nan on the card, and is 0.0"),
    ],
)
def test_any_other_difference_is_a_line(card, found, line):
    assert differences(card, found) == [line]


def test_strength_is_elo_or_the_turns_of_the_better_way_of_playing():
    def elo(rating, exploitability=0.5):
        return {"figures": {"elo": rating, "exploitability": exploitability}}

    def cut(endless, elo):  # perfect play is on top where games are not cut
        return {"figures": {"elo": elo, "exploitability": 0.0, "endless": {"elo": endless}}}

    def solo(sampled, greedy, capped=500.0):
        ways = {"sampled": sampled, "greedy": greedy}
        return {"figures": {way: {"turns": turns, "capped_turns": capped} for way, turns in ways.items()}}

    for ladder in (
        [None, elo(-3.0), elo(0.0, 0.9), elo(0.0, 0.1), elo(7.0)],
        [None, cut(-3.0, 9.0), cut(0.0, 8.0), cut(7.0, 7.0)],
        [None, solo(None, None, 900.0), solo(None, None), solo(2000.0, None), solo(200.0, 300.0), solo(300.0, 81.0)],
    ):
        upside_down = ladder[::-1]
        assert sorted(upside_down, key=strength) == ladder
