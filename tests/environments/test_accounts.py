"""Sentences for things that do not happen in every game."""

import pytest

from nenette.environments.accounts.demi_iles import DemiIlesAccount, SoloAccount
from nenette.environments.accounts.french_quatre21 import FrenchQuatre21Account
from nenette.environments.accounts.quatre21 import Quatre21Account
from nenette.environments.accounts.words import Cast
from nenette.games.demi_iles import ALL_SEEN, DemiIles, DemiIlesSolo, SoloState
from nenette.games.demi_iles import State as DemiIlesState
from nenette.games.quatre21 import THROW, Quatre21, Quatre21Rules, State
from nenette.games.quatre21_rules import Best, Dice

WE = Cast(0, ["greedy"])


def _last_throw_of_a_round(dice: Dice, leaders: Dice, fiches: tuple[int, int], bank: int, rules: Quatre21Rules) -> str:
    """What is said when the learner, who follows, throws `dice` against the leader's throw."""
    game = Quatre21(rules)
    state = State((0, 0), fiches, bank, (1, 0), (leaders,), limit=1)
    [after] = game.follow(state, THROW, dice).outcomes
    first, *then = Quatre21Account(game, WE).event(state, THROW, dice, after)
    assert first.startswith("You throw: ")
    return " / ".join([first.removeprefix("You throw: "), *(line.strip() for line in then)])


@pytest.mark.parametrize(
    ("dice", "leaders", "fiches", "bank", "line"),
    [
        ((2, 2, 1), (6, 5, 1), (0, 0), 11, "nénette! / You take two fiches from the bank for the nénette."),
        ((2, 2, 1), (4, 2, 1), (3, 4), 4, "nénette! / You take two fiches from the bank for the nénette."),
        ((2, 2, 1), (6, 5, 4), (3, 4), 4, "nénette! / You take two fiches from the bank."),  # as many as for 654
        (
            (2, 2, 1),
            (6, 5, 1),
            (3, 7),
            1,
            "nénette! / You take one fiche from the bank, the last. / The bank is empty: décharge, you lead.",
        ),
        ((1, 1, 1), (4, 3, 1), (3, 8), 0, "trois as! / Greedy takes three fiches from you, all there are."),
        ((4, 2, 1), (6, 6, 6), (9, 2), 0, "421! / Greedy takes eight fiches from you."),
        ((6, 6, 5), (6, 6, 5), (0, 0), 11, "6-6-5. / A tie: once more, you lead."),
    ],
)
def test_a_round_of_421_is_described(dice: Dice, leaders: Dice, fiches: tuple[int, int], bank: int, line: str) -> None:
    heard = _last_throw_of_a_round(dice, leaders, fiches, bank, Quatre21Rules())
    assert heard.split(" / Greedy holds")[0] == line


def test_without_the_rule_a_nenette_is_only_the_lowest_throw() -> None:
    rules = Quatre21Rules(nenette=0)
    heard = _last_throw_of_a_round((2, 2, 1), (6, 5, 4), (0, 0), 11, rules)
    assert heard == "nénette! / You take two fiches from the bank."


def test_the_end_of_a_match_is_described() -> None:
    rules = Quatre21Rules(manches_to_lose=1)
    heard = _last_throw_of_a_round((2, 2, 1), (4, 2, 1), (9, 2), 0, rules)
    assert heard == (
        "nénette! / You take two fiches from Greedy for the nénette. / You hold all 11 and lose the manche."
    )
    over = State((1, 0), (0, 0), 11, (0, 1))
    assert Quatre21Account(Quatre21(rules), WE).table(over, cut=False) == [
        "  [ manches lost: You 1 · Greedy 0 ]  Greedy wins the manche."
    ]


THREE = Cast(0, ["greedy", "random"])


def _last_throw_of_three(
    account: type[Quatre21Account], dice: Dice, *throws: Dice, best: Best | None = None
) -> list[str]:
    """What is said when the last of three players, or of those who throw again, throws `dice` in the décharge."""
    game = Quatre21(Quatre21Rules(players=3))
    order = (1, 2, 0) if best is None else (1, 0)
    state = State((0, 1, 0), (5, 3, 3), 0, order, throws, limit=1, best=best)
    [after] = game.follow(state, THROW, dice).outcomes
    return [line.strip() for line in account(game, THREE).event(state, THROW, dice, after)[1:]]


def test_a_round_of_three_is_described_in_both_languages() -> None:
    tied = ((6, 6, 5), (6, 6, 5), (3, 3, 3))
    assert _last_throw_of_three(Quatre21Account, *tied) == [
        "A tie for the worst throw, once more between you and Greedy: you lead."
    ]
    assert _last_throw_of_three(FrenchQuatre21Account, *tied) == [
        "Égalité au plus bas, on relance entre toi et Greedy : tu commences."
    ]
    again = ((6, 6, 4), (4, 2, 1))
    best = Best(2, (2, 1, 1))
    assert _last_throw_of_three(Quatre21Account, *again, best=best) == ["You take two fiches from Random."]
    assert _last_throw_of_three(FrenchQuatre21Account, *again, best=best) == ["Tu reçois deux fiches de Random."]
    same = ((6, 6, 5), (6, 6, 5), (6, 6, 5))
    assert _last_throw_of_three(Quatre21Account, *same) == ["A tie: once more, you lead."]


def test_the_loser_of_a_match_of_three_is_named() -> None:
    over, game = State((0, 2, 1), (0, 0, 0), 11, (1, 2, 0)), Quatre21(Quatre21Rules(players=3))
    assert Quatre21Account(game, THREE).ending(over, cut=False) == "Greedy loses the match."
    assert FrenchQuatre21Account(game, THREE).ending(over, cut=False) == "Greedy perd la partie."


def test_all_pulled_down_by_a_throw_are_named() -> None:
    game = DemiIles()
    state = DemiIlesState((5, 1), 0)
    [after] = game.follow(state, 2, 14).outcomes
    assert DemiIlesAccount(game, WE).event(state, 2, 14, after) == ["You throw two dice: 5 → 14, pulling Greedy to 0."]


@pytest.mark.parametrize(
    ("seen", "line"),
    [
        (ALL_SEEN, "You throw two dice: 17 → 21 — and all of 1 to 20 seen: done!"),
        (ALL_SEEN - 1, "You throw two dice: 17 → 21, too early."),
    ],
)
def test_the_end_of_the_solo_game_is_described(seen: int, line: str) -> None:
    account = SoloAccount(DemiIlesSolo(), Cast(0, []))
    assert account.event(SoloState(17, seen), 2, 21, SoloState(21, seen)) == [line]
