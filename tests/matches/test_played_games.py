"""Games played in lockstep: their probabilities, their ends and their randomness."""

import re

import numpy as np
import pytest

from nenette.games import demi_iles, make_game, quatre21
from nenette.matches.sampled import Played, play
from nenette.policies import make_policy


def played(name: str, *policies: str, games: int = 60, seed: int = 0, rules: dict | None = None, **options) -> Played:
    game = make_game(name, **(rules or {}))
    return play(game, [make_policy(p, game) for p in policies], games, np.random.default_rng(seed), **options)


def same(one: Played, other: Played) -> bool:
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in ("returns", "turns", "cut"))


@pytest.mark.parametrize(
    ("name", "policies"),
    [("demi-iles-solo", ["climber"]), ("demi-iles", ["greedy", "random"]), ("421", ["random", "a-fond"])],
)
def test_the_same_seed_plays_the_same_games(name, policies):
    first = played(name, *policies)
    assert same(first, played(name, *policies))
    assert not same(first, played(name, *policies, seed=1))


def test_what_is_returned():
    games = played("demi-iles", "greedy", "random", "blocker", games=40, rules={"players": 3})
    assert games.returns.shape == (40, 3)
    assert (games.returns.dtype, games.turns.dtype, games.cut.dtype) == (np.float64, np.int64, np.bool_)
    finished = games.returns[~games.cut]
    assert np.array_equal(np.sort(finished, axis=1), np.tile([-0.5, -0.5, 1.0], (len(finished), 1)))
    assert not games.returns[games.cut].any()


def test_one_throw_wins_as_often_as_the_rules_say():
    # From 13, two dice land on 21 with a total of 8: 5 times in 36.
    games = played("demi-iles", "greedy", "random", games=20_000, start=demi_iles.State((13, 0), 0), max_turns=1)
    assert (games.turns == 1).all()
    won = games.returns[:, 0] == 1
    assert np.array_equal(games.cut, ~won)
    assert abs(won.mean() - 5 / 36) < 4 * np.sqrt(5 / 36 * 31 / 36 / 20_000)


def test_policies_sit_where_they_are_put():
    start = demi_iles.State((0, 15), 1)
    # From 15 greedy throws no die and stands on 14, and from 0 one die: nobody has less than 1 afterwards.
    game = make_game("demi-iles")
    asked = []

    class Spy:
        name = "spy"

        def action_probabilities(self, observations, masks):
            asked.append(game.codec.decode(observations)[0].tolist())
            return make_policy("greedy", game).action_probabilities(observations, masks)

    play(game, [make_policy("random", game), Spy()], 1, np.random.default_rng(0), start=start, max_turns=1)
    assert asked == [[15, 0, 0]]


def test_a_cut_game_is_drawn_after_whole_turns():
    games = played("421", "random", "random", max_turns=7)
    assert games.cut.all()
    assert (games.turns == 7).all()
    assert not games.returns.any()


def test_the_rules_say_where_games_are_cut_unless_max_turns_is_given():
    rules = {"max_turns": 3}
    assert played("demi-iles", "random", "random", rules=rules).turns.max() == 3
    assert played("demi-iles", "random", "random", rules=rules, max_turns=5).turns.max() == 5
    endless = played("demi-iles", "random", "random", rules=rules, max_turns=None, games=20)
    assert not endless.cut.any()
    assert endless.turns.max() > 200


def test_the_last_turn_is_played_to_its_end():
    # The follower, one fiche from losing, throws up to three times against 421, and takes that fiche unless it ties.
    start = quatre21.State((0, 0), (10, 1), 0, (1, 0), ((4, 2, 1),), limit=3)
    games = played("421", "a-fond", "random", rules={"manches_to_lose": 1}, start=start, max_turns=1, games=50)
    tied = games.returns[:, 0] == 0
    assert (games.turns == 1).all()
    assert np.array_equal(games.cut, tied)
    assert 0 < tied.sum() < 50


def test_a_game_won_by_the_last_turn_is_not_cut():
    games = played("demi-iles", "greedy", "greedy", start=demi_iles.State((13, 13), 0), max_turns=1, games=200)
    assert (games.returns[:, 0] == 1).any()
    assert not games.cut[games.returns[:, 0] == 1].any()


def test_alone_each_turn_costs_one():
    games = played("demi-iles-solo", "collector", games=30)
    assert not games.cut.any()
    assert np.array_equal(games.returns[:, 0], -games.turns)
    # Twenty scores and 21 are stood on, one a turn.
    assert games.turns.min() >= 21
    cut = played("demi-iles-solo", "random", games=5, max_turns=10)
    assert cut.cut.all()
    assert (cut.returns == -10).all()


@pytest.mark.parametrize(("name", "careful"), [("demi-iles", "greedy"), ("421", "cautious")])
def test_whoever_always_trembles_plays_at_random(name, careful):
    trembling = played(name, careful, careful, tremble=1.0)
    assert same(trembling, played(name, "random", "random"))
    assert not same(trembling, played(name, careful, careful, tremble=0.5))
    assert not same(trembling, played(name, careful, careful))


def test_a_tremble_takes_the_probabilities_it_is_given():
    # Greedy throws two dice from 13 and wins 5 times in 36; a tremble throws them one time in three.
    start = demi_iles.State((13, 0), 0)
    games = played("demi-iles", "greedy", "random", games=20_000, start=start, max_turns=1, tremble=0.5)
    probability = (0.5 + 0.5 / 3) * 5 / 36
    assert abs((games.returns[:, 0] == 1).mean() - probability) < 4 * np.sqrt(probability / 20_000)


def test_better_play_wins_more():
    games = played("421", "cautious", "random", games=200)
    assert games.returns[:, 0].mean() > 0.5


def test_a_finished_game_takes_no_turn():
    games = played("demi-iles", "greedy", "greedy", games=3, start=demi_iles.State((5, 21), 1))
    assert games.turns.tolist() == [0, 0, 0]
    assert games.returns.tolist() == [[-1, 1]] * 3


def test_progress_ends_with_all_games():
    counts: list[int] = []
    played("demi-iles", "greedy", "greedy", games=50, progress=counts.append)
    assert counts == sorted(set(counts))
    assert counts[-1] == 50


@pytest.mark.parametrize(
    ("policies", "options", "sentence"),
    [
        (["random"], {}, "demi-iles has 2 seats here, and 1 policies were given"),
        (["random"] * 2, {"games": 0}, "at least 1 game is played, not 0"),
        (["random"] * 2, {"max_turns": 0}, "max_turns is an integer of at least 1, None or 'rules', not 0"),
        (["random"] * 2, {"max_turns": "all"}, "max_turns is an integer of at least 1, None or 'rules', not 'all'"),
        (["random"] * 2, {"tremble": 1.5}, "tremble is a probability from 0 to 1, not 1.5"),
    ],
)
def test_what_cannot_be_played_gets_a_sentence(policies, options, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        played("demi-iles", *policies, **options)


def test_a_policy_with_invalid_probabilities_gets_a_sentence():
    class Broken:
        name = "broken"

        def action_probabilities(self, observations, masks):
            return np.zeros(masks.shape)

    game = make_game("421")
    with pytest.raises(
        ValueError, match=r"^policy 'broken' gave the probabilities \[0\.0, .* where actions .* are legal"
    ):
        play(game, [Broken(), Broken()], 3, np.random.default_rng(0))
