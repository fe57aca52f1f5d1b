"""Profiles of 421, scored exactly for any number of players."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from nenette.exact import Unsolvable, answer_key
from nenette.exact.quatre21_many import losses
from nenette.exact.quatre21_played import PlayedRounds, TablePlayer
from nenette.games import Game, make_game
from nenette.games.quatre21 import Quatre21, Quatre21Rules, State
from nenette.games.quatre21_rules import COMBINATIONS, Best, Dice
from nenette.matches.sampled import play
from nenette.policies import make_policy


def profile(game: Game[Any], names: Sequence[str]) -> list[TablePlayer]:
    known = {}
    for name in set(names):
        policy = make_policy(name, game)
        known[name] = TablePlayer(policy.action_probabilities, policy.looks_at)  # type: ignore[attr-defined]
    return [known[name] for name in names]


@pytest.mark.parametrize(
    "rules",
    [
        {"manches_to_lose": 1},
        {"fiches": 4, "next_manche_leader": "opening", "nenette_in_decharge": False},
        {"fiches": 3, "followers": "exactly", "kept_dice": "frozen", "limit_after_tie": "kept"},
        {"fiches": 4, "nenettes_tie": False, "nenette_capped": False, "nenette": 3, "value_of_421": 2},
    ],
    ids=str,
)
def test_two_players_are_worth_what_the_model_of_two_says(rules: dict[str, Any]) -> None:
    game = make_game("421", **rules)
    key, names = answer_key(game), ("beat-it", "random")
    own, other = (key.tabulate(make_policy(name, game).action_probabilities) for name in names)
    result = key.result(own, other)
    values = 1.0 - 2.0 * losses(game, profile(game, names)).chances[:, 0]
    assert values.tolist() == pytest.approx([result.first, result.second], abs=1e-12)


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ({"fiches": 4, "manches_to_lose": 1}, ("a-fond", "beat-it", "random")),
        (
            {
                "fiches": 3,
                "nenettes_tie": False,
                "nenette_capped": False,
                "nenette": 3,
                "limit_after_tie": "kept",
                "manches_to_lose": 1,
            },
            ("random", "a-fond", "cautious"),
        ),
    ],
    ids=str,
)
def test_three_players_lose_as_often_as_in_games_played(rules: dict[str, Any], names: tuple[str, ...]) -> None:
    game, games = make_game("421", players=3, **rules), 6000
    exact = losses(game, profile(game, names)).chances.mean(axis=0)
    assert exact.sum() == pytest.approx(1.0, abs=1e-12)
    played = play(game, [make_policy(name, game) for name in names], games, np.random.default_rng(1))
    lost = (played.returns < 0).mean(axis=0)
    assert np.all(np.abs(lost - exact) < 4 * np.sqrt(exact * (1 - exact) / games))


def final_dice(game: Quatre21, policy: Any, state: State) -> Counter[Dice]:
    """The chances of what a turn ends with, played out state by state."""
    mover, legal = game.seat(state), game.legal_actions(state)
    mask = np.array([[int(action in legal) for action in range(8)]], dtype=np.int8)
    chances = policy.action_probabilities(game.codec.encode_one(game.encode(state, mover))[None], mask)[0]
    found: Counter[Dice] = Counter()
    for action in np.flatnonzero(chances).tolist():
        for fallen, p in game.chance(state, action):
            after = game.follow(state, action, fallen).outcomes[0]
            if after.thrown > 0:
                for dice, q in final_dice(game, policy, after).items():
                    found[dice] += chances[action] * float(p) * q
            else:
                found[state.dice if fallen is None else fallen] += chances[action] * float(p)
    return found


@pytest.mark.parametrize("best", [None, Best(1, (6, 1, 1))], ids=str)
def test_a_turn_after_others_is_what_it_is_played_out(best: Best | None) -> None:
    game = Quatre21(Quatre21Rules(players=3))
    order = (1, 2, 0) if best is None else (2, 0)
    start = State((0, 1, 0), (4, 4, 3), 0, order, limit=3, best=best)
    thrown = ((6, 5, 1), (4, 2, 2))[: len(order) - 1]
    places = tuple(map(COMBINATIONS.index, thrown))
    players = profile(game, ("beat-it", "random", "random"))
    chances = PlayedRounds(game).throws(start, players)[2][places]
    followed = final_dice(game, make_policy("beat-it", game), start._replace(throws=thrown, limit=2))
    expected = [followed[dice] for dice in COMBINATIONS]
    np.testing.assert_allclose(chances / chances.sum(), expected, atol=1e-12)


def test_who_looks_at_more_than_matters_is_worth_the_same() -> None:
    game = make_game("421", players=3, fiches=2, manches_to_lose=1)
    beat_it, a_fond, _ = profile(game, ("beat-it", "a-fond", "beat-it"))
    assert beat_it.looks_at is not None
    more = TablePlayer(beat_it.action_probabilities, (*beat_it.looks_at, "own throw", "the next player's throw"))
    expected = losses(game, [a_fond, beat_it, a_fond]).chances
    np.testing.assert_allclose(losses(game, [a_fond, more, a_fond]).chances, expected, atol=1e-12)


@pytest.mark.slow  # eight million situations
def test_who_may_look_at_everything_is_worth_the_same() -> None:
    game = make_game("421", players=3, fiches=3)
    beat_it, a_fond, _ = little = profile(game, ("beat-it", "a-fond", "beat-it"))
    anything = [TablePlayer(beat_it.action_probabilities), TablePlayer(a_fond.action_probabilities)]
    expected = losses(game, little).chances
    np.testing.assert_allclose(losses(game, [*anything, anything[0]]).chances, expected, atol=1e-12)


def test_a_player_without_a_choice_is_one_seat_like_any_other() -> None:
    """With one fiche the charge decides, and everybody's throw is the same."""
    game = make_game("421", players=3, fiches=1)
    np.testing.assert_allclose(losses(game, profile(game, ("random",) * 3)).chances, 1 / 3, atol=1e-12)


def test_only_421_by_its_own_rules_and_for_so_many() -> None:
    with pytest.raises(Unsolvable, match=r"^demi-iles is not 421 by its own rules"):
        losses(make_game("demi-iles"), [])
    with pytest.raises(Unsolvable, match=r"^421 is scored exactly for up to 3 players, not for 4$"):
        losses(make_game("421", players=4), [])
