"""What a game's id depends on, and nothing else."""

from dataclasses import dataclass
from typing import Any

import pytest
from variations import Helped, Loser, Mine, OtherWayRound, RulesOfTomorrow, SlowSolo

from nenette.environments import ENVIRONMENTS
from nenette.games import OURS, make_game, spec_of
from nenette.games.demi_iles import DemiIles
from nenette.games.identity import SameGame, endless
from nenette.games.quatre21 import Quatre21
from nenette.games.registry import find

IDS_OF_FILES: list[tuple[str, dict[str, Any], str]] = [
    ("demi-iles-solo", {}, "11b80be4352e34b0"),
    ("demi-iles", {}, "bef6365935378c8d"),
    ("demi-iles", {"players": 3}, "676da5f7526fb8e2"),
    ("421", {}, "b70083fd43e47cdb"),
    ("421", {"fiches": 21}, "e10ce8d6ec03b5c6"),
]


@pytest.mark.parametrize(("name", "rules", "known"), IDS_OF_FILES)
def test_files_that_are_about_go_on_being_of_these_rules(name: str, rules: dict[str, Any], known: str) -> None:
    assert make_game(name, **rules).rules_id == known


def test_a_field_that_is_added_changes_no_id_until_it_is_used() -> None:
    assert Quatre21(RulesOfTomorrow()).rules_id == make_game("421").rules_id
    assert Quatre21(RulesOfTomorrow(fiches=21)).rules_id == make_game("421", fiches=21).rules_id
    used = Quatre21(RulesOfTomorrow(with_jokers=True))
    assert used.rules_id not in {make_game("421").rules_id, Quatre21(RulesOfTomorrow(fiches=21)).rules_id}


def test_the_same_holds_for_anybodys_game() -> None:
    @dataclass(frozen=True)
    class Rules:
        target: int = 10

    @dataclass(frozen=True)
    class LaterRules(Rules):
        bonus: int = 0

    class Theirs(Loser):
        name = "theirs"

        def __init__(self, rules: Any) -> None:
            super().__init__()
            self.rules = rules

    assert Theirs(Rules()).rules_id == Theirs(LaterRules()).rules_id
    assert len({Theirs(Rules(n)).rules_id for n in (9, 10)} | {Theirs(LaterRules(bonus=1)).rules_id}) == 3


def test_what_a_subclass_plays_otherwise_is_another_game() -> None:
    stock = make_game("demi-iles")
    patched = DemiIles()
    patched.returns = lambda state: None  # type: ignore[method-assign]
    ids = [game.rules_id for game in (stock, Loser(), Mine(), patched)]
    assert len(set(ids)) == 4
    assert OtherWayRound().rules_id != make_game("421").rules_id
    assert SlowSolo().rules_id != make_game("demi-iles-solo").rules_id


def test_a_stranger_of_the_same_name_is_another_game() -> None:
    stranger = type("Stranger", (Quatre21,), {"name": "demi-iles"})()
    assert spec_of(stranger) is spec_of(make_game("421"))
    assert stranger.rules_id not in {make_game(name).rules_id for name in ("demi-iles", "421")}


def test_a_subclass_that_plays_what_its_parent_plays_is_the_same_game() -> None:
    assert Helped().rules_id == make_game("demi-iles").rules_id
    assert spec_of(Helped()) is spec_of(make_game("demi-iles"))


@pytest.mark.parametrize("game", [Loser(), Mine(), SlowSolo(), OtherWayRound()])
def test_a_variation_is_found_to_be_none_of_ours(game: Any) -> None:
    assert spec_of(game) is None
    assert SameGame.of(game) == SameGame.of(game)
    assert SameGame.of(game) != SameGame.of(type(game)())


def test_a_game_that_is_not_cut_is_the_same_but_for_that() -> None:
    for game in (make_game("demi-iles"), Mine(), make_game("421", max_turns=7)):
        whole = endless(game)
        assert (whole.max_turns, whole.rules.max_turns, type(whole)) == (None, None, type(game))
        assert whole.rules_id == game.rules_id
        assert game.max_turns is not None
        assert endless(whole) is whole


def test_the_ids_that_are_known_without_the_games_are_those_of_their_specs() -> None:
    assert list(ENVIRONMENTS) == [find(name).env_id for name in OURS]
