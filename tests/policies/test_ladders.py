"""Ladders of more than two players: their names, and who is on them."""

import re

import pytest

import nenette
from nenette.games import GAMES, make_game
from nenette.matches import score
from nenette.matches.ladder import figures, with_nash_conv
from nenette.policies import make_policy, policy_names
from nenette.policies.ladders import LADDERS, TABLES, ladder_game, ladder_of, table_named
from nenette.policies.load import find_opponent, game_named
from nenette.policies.shipped import ladder_names, shipped_names


def test_a_name_with_a_number_is_the_game_for_so_many():
    for name in LADDERS:
        assert ladder_of(ladder_game(name)) == name
    for players in (2, 3, 4, 6):
        game = table_named(f"demi-iles-{players}")
        assert (game.name, game.players, game.rules_id) == (
            *("demi-iles", players),
            make_game("demi-iles", players=players).rules_id,
        )
    assert [table_named(name) for name in ("demi-iles", "demi-iles-7", "demi-iles-solo-3", "nothing-3", "3", "")] == [
        None
    ] * 6
    with pytest.raises(ValueError, match=r"^a game is one of 'demi-iles-solo', 'demi-iles', '421', not 'demi-iles-9'"):
        ladder_game("demi-iles-9")


def test_policies_of_a_table_are_found_by_its_name():
    found = find_opponent("demi-iles-3/greedy")
    assert (found.game.name, found.game.players, found.policy.name) == ("demi-iles", 3, "greedy")
    with pytest.raises(ValueError, match=r"^there is no best-response:greedy among 3 players of demi-iles, only "):
        find_opponent("demi-iles-3/best-response:greedy")
    game = make_game("demi-iles", players=3, max_turns=30)
    assert find_opponent("demi-iles-3/greedy", game).game is game
    assert nenette.load_opponent("blocker", "demi-iles-3").name == "blocker"
    assert (game_named("demi-iles-3/greedy"), game_named("best-response:demi-iles-3/greedy")) == ("demi-iles-3",) * 2
    with pytest.raises(ValueError, match=r"^'demi-iles-3/greedy' is a policy of demi-iles-3, and one of demi-iles is "):
        nenette.load_opponent("demi-iles-3/greedy", make_game("demi-iles"))


def test_networks_know_one_number_of_players():
    two = shipped_names("demi-iles")
    assert not set(two) & set(policy_names(make_game("demi-iles", players=3)))
    for table in TABLES:
        players, name = ladder_game(table).players, ladder_game(table).name
        assert not set(shipped_names(table)) & set(policy_names(name))
        for one in shipped_names(table):
            assert make_policy(one, ladder_game(table)).name == one
            with pytest.raises(ValueError, match=f"^{one!r} plays {name} with {players} players, not 2$"):
                make_policy(one, name)
    with pytest.raises(ValueError, match=f"^{two[0]!r} plays demi-iles with 2 players, not 3$"):
        nenette.load_opponent(two[0], make_game("demi-iles", players=3))


def test_a_ladder_has_the_equilibrium_once():
    assert [name for name in ladder_names("demi-iles-3") if name not in shipped_names("demi-iles-3")] == [
        *("random", "equilibrium", "greedy", "blocker")
    ]
    assert [name for name in ladder_names("421-3") if name not in shipped_names("421-3")] == [
        *("random", "a-fond", "cautious", "beat-it")
    ]
    for game in GAMES:
        assert "optimal" in ladder_names(game)


def test_nash_conv_is_what_all_seats_could_gain():
    from nenette.exact.many.answers import many_key

    game = make_game("demi-iles", players=3, max_turns=20)
    key, policy = many_key(game), make_policy("greedy", game)
    table = [key.tabulate(policy.action_probabilities)] * 3
    found = with_nash_conv(score(policy, game, "random", both_players=False).report())
    assert found["endless"]["nash_conv"] == pytest.approx(sum(key.gains(table)), abs=1e-9)
    values = key.standing_within(table, 20).values
    gains = [best - own for best, own in zip(key.best_values_within(table, 20), values, strict=True)]
    assert found["nash_conv"] == pytest.approx(sum(gains), abs=1e-9)
    assert re.fullmatch(r"\d\.\d+", str(found["nash_conv"]))
    two = make_game("demi-iles")
    assert "nash_conv" not in with_nash_conv(score("greedy", two, "random").report())


def test_a_card_of_three_players_is_about_two_of_the_equilibrium():
    game = make_game("demi-iles", players=3)
    card = figures(make_policy("greedy", game), game)
    report = score("greedy", game, "equilibrium").report()
    assert (card["value"], card["exploitability"]) == (report["value"], report["exploitability"])
    assert card["nash_conv"] == pytest.approx(3 * card["exploitability"])
    assert card["endless"]["nash_conv"] == pytest.approx(3 * card["endless"]["exploitability"])


def test_a_card_of_three_at_421_is_about_two_of_the_best_rule_of_thumb():
    game = make_game("421", players=3)
    card = figures(make_policy("a-fond", game), game)
    report = score("a-fond", game, "cautious").report()
    assert card == {"plays": "greedy", "against": "cautious"} | {
        name: report[name] for name in ("value", "win", "draw", "loss")
    }
