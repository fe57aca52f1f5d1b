"""Every state that comes up, under every variant of the rules, against the restatement."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_walks import random_walk
from restatement import Rules421, State421, quatre21_legal, quatre21_outcomes, quatre21_start

from nenette.games.quatre21 import Quatre21, Quatre21Rules, State
from nenette.games.quatre21_rules import COMBINATIONS, HANDS

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
    for state in random_walk(game, 800, seed=1):
        over = max(state.manches) == rules.manches_to_lose
        assert (game.returns(state) is not None) == over
        if not over:
            check(game, rules, state)


@st.composite
def settings_and_states(draw: st.DrawFn) -> tuple[dict[str, Any], State]:
    """Any rules and any consistent state, however rare in play: a nénette beside a 421, one fiche left, ..."""
    fields = {
        "fiches": draw(st.integers(2, 21)),
        "value_of_421": draw(st.integers(1, 12)),
        "nenette": draw(st.integers(0, 4)),
        "nenette_in_decharge": draw(st.booleans()),
        "manches_to_lose": draw(st.integers(1, 3)),
        "next_manche_leader": draw(st.sampled_from(["loser", "opening"])),
        "followers": draw(st.sampled_from(["at_most", "exactly"])),
        "kept_dice": draw(st.sampled_from(["free", "frozen"])),
    }
    still_in = st.integers(0, fields["manches_to_lose"] - 1)
    bank = draw(st.sampled_from([0, draw(st.integers(1, fields["fiches"]))]))
    dealt = fields["fiches"] - bank
    own = draw(st.integers(0, dealt)) if bank else draw(st.integers(1, dealt - 1))
    leader = draw(st.integers(0, 1))
    limit = draw(st.integers(1, 3)) if bank == 0 else 1
    throws = draw(st.sampled_from([(), (draw(st.sampled_from(COMBINATIONS)),)]))
    limit = limit if throws or bank else 3
    thrown = draw(st.integers(0, limit - 1))
    dice, frozen = (), 0
    if thrown:
        dice = draw(st.sampled_from(HANDS))
        if len(dice) == 3 and thrown == 2 and fields["kept_dice"] == "frozen":
            # Whatever stayed of equal dice lay leftmost.
            masks = [m for m in range(7) if _leftmost(dice, m)]
            frozen = draw(st.sampled_from(masks))
    manches = (draw(still_in), draw(still_in))
    fiches = (own, dealt - own)
    return fields, State(manches, fiches, bank, (leader, 1 - leader), throws, limit, thrown, dice, frozen)


@settings(max_examples=400)
@given(settings_and_states())
def test_any_state_under_any_rules_has_the_probabilities_of_the_restatement(
    drawn: tuple[dict[str, Any], State],
) -> None:
    fields, state = drawn
    check(Quatre21(Quatre21Rules(**fields)), Rules421(**fields), state)


@given(settings_and_states(), st.integers(0, 1))
def test_any_state_is_decoded_from_its_observation(drawn: tuple[dict[str, Any], State], seat: int) -> None:
    fields, state = drawn
    game = Quatre21(Quatre21Rules(**fields))
    assert game.decode(game.encode(state, 0)) == state
    seen = game.codec.encode_one(game.encode(state, seat))
    assert tuple(game.codec.decode(seen[None])[0]) == game.encode(state, seat)


def _leftmost(dice: tuple[int, ...], mask: int) -> bool:
    return not any(dice[i - 1] == dice[i] and mask >> i & 1 and not mask >> (i - 1) & 1 for i in (1, 2))
