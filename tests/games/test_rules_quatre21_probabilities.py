"""Every state that comes up, under every variant of the rules, against the restatement."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_walks import random_walk
from restatement import Rules421, State421, quatre21_legal, quatre21_outcomes, quatre21_start

from nenette.games.quatre21 import Quatre21, Quatre21Rules, State
from nenette.games.quatre21_rules import COMBINATIONS, HANDS, Best

VARIANTS: list[dict[str, Any]] = [
    {},
    {"fiches": 1},
    {"fiches": 21, "value_of_421": 10},
    {"value_of_421": 1},
    {"nenette": 0},
    {"nenette": 5},
    {"nenette_in_decharge": False},
    {"manches_to_lose": 1},
    {"manches_to_lose": 3, "next_manche_leader": "opening"},
    {"followers": "exactly"},
    {"kept_dice": "frozen"},
    {"followers": "exactly", "kept_dice": "frozen"},
    {"limit_after_tie": "kept"},
    {"players": 3},
    {"players": 3, "fiches": 3, "nenettes_tie": False, "nenette_capped": False, "limit_after_tie": "kept"},
    {"players": 4, "fiches": 5, "value_of_421": 3, "followers": "exactly", "kept_dice": "frozen"},
    {"players": 5, "next_manche_leader": "opening", "manches_to_lose": 1},
    {"players": 6, "fiches": 21, "value_of_421": 10, "nenettes_tie": False},
    {
        "fiches": 4,
        "value_of_421": 2,
        "nenette": 3,
        "nenette_in_decharge": False,
        "manches_to_lose": 1,
        "next_manche_leader": "opening",
        "followers": "exactly",
        "kept_dice": "frozen",
    },
]


def check(game: Quatre21, rules: Rules421, state: State) -> None:
    legal = game.legal_actions(state)
    assert list(legal) == sorted(quatre21_legal(State421(*state), rules))
    for action in legal:
        assert dict(game.outcomes(state, action)) == quatre21_outcomes(State421(*state), action, rules)


@pytest.mark.parametrize("fields", VARIANTS, ids=str)
def test_states_of_random_play_have_the_probabilities_of_the_restatement(fields: dict[str, Any]) -> None:
    game, rules = Quatre21(Quatre21Rules(**fields)), Rules421(**fields)
    assert dict(game.initial()) == quatre21_start(rules)
    for state in random_walk(game, 400, seed=1):
        over = max(state.manches) == rules.manches_to_lose
        assert (game.returns(state) is not None) == over
        if not over:
            check(game, rules, state)


@st.composite
def settings_and_states(draw: st.DrawFn) -> tuple[dict[str, Any], State]:
    """Any rules and any consistent state, however rare in play: a nénette beside a 421, one fiche left, ..."""
    players = draw(st.sampled_from([2, 2, 3, 4, 5, 6]))
    fields = {
        "players": players,
        "fiches": draw(st.integers(2, 21)),
        "value_of_421": draw(st.integers(1, 12)),
        "nenette": draw(st.integers(0, 4)),
        "nenette_in_decharge": draw(st.booleans()),
        "nenette_capped": draw(st.booleans()),
        "nenettes_tie": draw(st.booleans()),
        "manches_to_lose": draw(st.integers(1, 3)),
        "next_manche_leader": draw(st.sampled_from(["loser", "opening"])),
        "followers": draw(st.sampled_from(["at_most", "exactly"])),
        "kept_dice": draw(st.sampled_from(["free", "frozen"])),
        "limit_after_tie": draw(st.sampled_from(["fresh", "kept"])),
    }
    total = fields["fiches"]
    still_in = st.integers(0, fields["manches_to_lose"] - 1)
    bank = draw(st.sampled_from([0, draw(st.integers(1, total))]))
    fiches = draw(_dealt(players, total, bank))
    playing = [seat for seat in range(players) if bank or fiches[seat]]
    best = None
    if len(playing) > 2 and draw(st.booleans()):  # the tied throw again
        tied = draw(st.lists(st.sampled_from(playing), min_size=2, max_size=len(playing) - 1, unique=True))
        giver = draw(st.sampled_from([seat for seat in playing if seat not in tied]))
        best, playing = Best(giver, draw(st.sampled_from(COMBINATIONS[:-1]))), tied
    leader = draw(st.sampled_from(playing))
    order = tuple(seat for k in range(players) if (seat := (leader + k) % players) in playing)
    throws = tuple(draw(st.lists(_THROWS, max_size=len(order) - 1)))
    limit = draw(st.integers(1, 3)) if bank == 0 else 1
    limit = limit if throws or bank or fields["limit_after_tie"] == "kept" else 3
    thrown = draw(st.integers(0, limit - 1))
    dice, frozen = (), 0
    if thrown:
        dice = draw(st.sampled_from(HANDS))
        if len(dice) == 3 and thrown == 2 and fields["kept_dice"] == "frozen":
            # Whatever stayed of equal dice lay leftmost.
            masks = [m for m in range(7) if _leftmost(dice, m)]
            frozen = draw(st.sampled_from(masks))
    manches = tuple(draw(still_in) for _ in range(players))
    return fields, State(manches, fiches, bank, order, throws, limit, thrown, dice, frozen, best)


_THROWS = st.sampled_from([*COMBINATIONS, *[COMBINATIONS[-1], COMBINATIONS[-2], COMBINATIONS[0]] * 8])
"""Any throw, and often one of three, so that many are equal."""


@st.composite
def _dealt(draw: st.DrawFn, players: int, total: int, bank: int) -> tuple[int, ...]:
    """Fiches that nobody holds all of."""
    cuts = sorted(draw(st.lists(st.integers(0, total - bank), min_size=players - 1, max_size=players - 1)))
    fiches = [high - low for low, high in zip([0, *cuts], [*cuts, total - bank], strict=True)]
    if total in fiches:
        rich = fiches.index(total)
        fiches[rich], fiches[rich - 1] = total - 1, 1
    return tuple(fiches)


@settings(max_examples=200)
@given(settings_and_states())
def test_any_state_under_any_rules_has_the_probabilities_of_the_restatement(
    drawn: tuple[dict[str, Any], State],
) -> None:
    fields, state = drawn
    check(Quatre21(Quatre21Rules(**fields)), Rules421(**fields), state)


@given(settings_and_states(), st.integers(0, 5))
def test_any_state_is_decoded_from_its_observation(drawn: tuple[dict[str, Any], State], seat: int) -> None:
    fields, state = drawn
    game = Quatre21(Quatre21Rules(**fields))
    seat %= game.players
    assert game.possible(state)
    assert game.decode(game.encode(state, 0)) == state
    seen = game.codec.encode_one(game.encode(state, seat))
    assert tuple(game.codec.decode(seen[None])[0]) == game.encode(state, seat)


def _leftmost(dice: tuple[int, ...], mask: int) -> bool:
    return not any(dice[i - 1] == dice[i] and mask >> i & 1 and not mask >> (i - 1) & 1 for i in (1, 2))
