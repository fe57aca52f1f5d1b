from typing import Any

import pytest

from nenette.games import GAMES, OURS, make_game


def test_the_games_are_three() -> None:
    assert tuple(GAMES)[:3] == OURS == ("demi-iles-solo", "demi-iles", "421")
    assert [make_game(name).name for name in GAMES] == list(GAMES)


GAME_NAMES = "'demi-iles-solo', 'demi-iles', '421'"
RULES_OF_421 = (
    "players, fiches, value_of_421, nenette, nenette_in_decharge, nenette_capped, nenettes_tie, manches_to_lose, "
    "next_manche_leader, followers, kept_dice, limit_after_tie, max_turns"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("demi_iles", f"a game is one of {GAME_NAMES}, not 'demi_iles'; did you mean 'demi-iles'?"),
        ("demi-iles-sol", f"a game is one of {GAME_NAMES}, not 'demi-iles-sol'; did you mean 'demi-iles-solo'?"),
        ("412", f"a game is one of {GAME_NAMES}, not '412'; did you mean '421'?"),
        (421, f"a game is one of {GAME_NAMES}, not 421; did you mean '421'?"),
        ("chess", f"a game is one of {GAME_NAMES}, not 'chess'"),
    ],
)
def test_an_unknown_game_is_reported_with_the_nearest(name: Any, text: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the text is asserted whole
        make_game(name)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("name", "rule", "text"),
    [
        ("421", "nennete", f"421 has no rule 'nennete' (it has {RULES_OF_421}); did you mean 'nenette'?"),
        ("421", "follower", f"421 has no rule 'follower' (it has {RULES_OF_421}); did you mean 'followers'?"),
        ("421", "zzz", f"421 has no rule 'zzz' (it has {RULES_OF_421})"),
        (
            "demi-iles",
            "player",
            "demi-iles has no rule 'player' (it has players, max_turns, starter); did you mean 'players'?",
        ),
        ("demi-iles-solo", "players", "demi-iles-solo has no rule 'players' (it has max_turns)"),
    ],
)
def test_an_unknown_rule_is_reported_with_the_nearest(name: str, rule: str, text: str) -> None:
    with pytest.raises(TypeError) as error:
        make_game(name, **{rule: 2})
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("name", "rules", "text"),
    [
        ("demi-iles", {"players": 1}, "players is an integer from 2 to 6, not 1"),
        ("demi-iles", {"players": 7}, "players is an integer from 2 to 6, not 7"),
        ("demi-iles", {"players": 2.0}, "players is an integer from 2 to 6, not 2.0"),
        ("demi-iles", {"max_turns": 0}, "max_turns is an integer of at least 1, not 0"),
        ("demi-iles-solo", {"max_turns": -1}, "max_turns is an integer of at least 1, not -1"),
        ("421", {"players": 7}, "players is an integer from 2 to 6, not 7"),
        ("421", {"max_turns": "200"}, "max_turns is an integer of at least 1, not '200'"),
        ("421", {"value_of_421": 0}, "value_of_421 is an integer from 1 to 100, not 0"),
        ("421", {"nenette": -1}, "nenette is an integer from 0 to 100, not -1"),
        ("421", {"nenette": True}, "nenette is an integer from 0 to 100, not True"),
        ("421", {"nenette_in_decharge": 1}, "nenette_in_decharge is one of True, False, not 1"),
        ("421", {"nenette_in_decharge": 0.0}, "nenette_in_decharge is one of True, False, not 0.0"),
        (
            "421",
            {"nenette_in_decharge": "true"},
            "nenette_in_decharge is one of True, False, not 'true'; did you mean True?",
        ),
        (
            "421",
            {"next_manche_leader": "looser"},
            "next_manche_leader is one of 'loser', 'opening', not 'looser'; did you mean 'loser'?",
        ),
        (
            "421",
            {"followers": "exact"},
            "followers is one of 'at_most', 'exactly', not 'exact'; did you mean 'exactly'?",
        ),
        ("421", {"kept_dice": None}, "kept_dice is one of 'free', 'frozen', not None"),
        ("421", {"nenette_capped": 1}, "nenette_capped is one of True, False, not 1"),
        ("421", {"nenettes_tie": None}, "nenettes_tie is one of True, False, not None"),
        (
            "421",
            {"limit_after_tie": "keep"},
            "limit_after_tie is one of 'fresh', 'kept', not 'keep'; did you mean 'kept'?",
        ),
        ("demi-iles", {"starter": "draw"}, "starter is one of 'seat_0', 'drawn', not 'draw'; did you mean 'drawn'?"),
    ],
)
def test_a_value_out_of_range_is_reported_with_the_range(name: str, rules: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the text is asserted whole
        make_game(name, **rules)
    assert str(error.value) == text


@pytest.mark.parametrize("rule", ["fiches", "manches_to_lose"])
def test_what_is_counted_starts_at_one(rule: str) -> None:
    with pytest.raises(ValueError, match=rf"^{rule} is an integer .* not 0$"):
        make_game("421", **{rule: 0})


def test_the_hash_tells_every_game_and_every_rule_apart() -> None:
    games = [make_game(name) for name in GAMES]
    games += [make_game("demi-iles", players=players) for players in (3, 4, 5, 6)]
    other: dict[str, Any] = {
        "fiches": 21,
        "value_of_421": 10,
        "nenette": 0,
        "nenette_in_decharge": False,
        "manches_to_lose": 1,
        "next_manche_leader": "opening",
        "followers": "exactly",
        "kept_dice": "frozen",
        "nenette_capped": False,
        "nenettes_tie": False,
        "limit_after_tie": "kept",
    }
    games.append(make_game("demi-iles", starter="drawn"))
    games += [make_game("421", **{rule: value}) for rule, value in other.items()]
    assert {*other, "players", "max_turns"} == set(RULES_OF_421.split(", "))
    ids = [game.rules_id for game in games]
    assert len(set(ids)) == len(ids)
    assert all(len(i) == 16 and int(i, 16) >= 0 for i in ids)


@pytest.mark.parametrize("name", GAMES)
def test_the_hash_does_not_know_where_play_is_cut(name: str) -> None:
    assert {make_game(name, max_turns=cut).rules_id for cut in (7, 200, None)} == {make_game(name).rules_id}


def test_the_hash_is_the_same_tomorrow() -> None:
    """A change of rules or observations must raise `version`, so that older files are recognised."""
    assert {name: make_game(name).rules_id for name in GAMES} == {
        "demi-iles-solo": "11b80be4352e34b0",
        "demi-iles": "bef6365935378c8d",
        "421": "b70083fd43e47cdb",
    }


def test_fields_that_are_given_take_their_value_and_all_others_the_default() -> None:
    rules = make_game("421", fiches=21).rules
    assert (rules.fiches, rules.value_of_421, rules.nenette, rules.manches_to_lose) == (21, 8, 2, 2)
    assert (rules.nenette_in_decharge, rules.next_manche_leader) == (True, "loser")
    assert (rules.followers, rules.kept_dice, rules.max_turns) == ("at_most", "free", None)
    assert make_game("demi-iles").max_turns == 200
    assert make_game("demi-iles", max_turns=None).max_turns is None
    assert make_game("demi-iles-solo").max_turns == 1000


def test_a_game_shows_its_rules() -> None:
    assert (
        repr(make_game("demi-iles", players=3)) == "DemiIles(DemiIlesRules(players=3, max_turns=200, starter='seat_0'))"
    )
