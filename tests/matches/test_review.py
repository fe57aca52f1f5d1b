"""What a played game was worth, move by move, against the rules and against a second way of counting."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from nenette.exact import Unsolvable, answer_key
from nenette.games import Game, make_game
from nenette.games.episode import Episode
from nenette.matches.review import Chances, Move, review

SMALL_421 = make_game("421", fiches=3, manches_to_lose=2)
DEMI_ILES = make_game("demi-iles")


def played(game: Game[Any], seed: int, choose: Any) -> tuple[list[Move], Episode[Any]]:
    moves: list[Move] = []
    rng = np.random.default_rng(seed)
    episode = Episode(game, rng, event=lambda *move: moves.append(Move(*move)))
    while not episode.over:
        episode.play(choose(episode.state, episode.legal_actions(), rng))
    return moves, episode


def at_random(state: Any, legal: Sequence[int], rng: np.random.Generator) -> int:
    return int(rng.choice(legal))


@pytest.mark.parametrize("game", [SMALL_421, DEMI_ILES], ids=lambda game: game.name)
@pytest.mark.parametrize("seat", [0, 1])
def test_all_of_a_result_is_choices_and_luck(game: Game[Any], seat: int) -> None:
    for seed in range(5):
        moves, episode = played(game, seed, at_random)
        found = review(game, moves, seat, cut=episode.cut)
        sum_of_all = found.start - found.given_away(seat) + found.given_away(1 - seat) + found.luck + found.cut
        won = 0.5 if episode.returns is None else (1 + episode.returns[seat]) / 2
        assert found.result == won
        assert sum_of_all == pytest.approx(won, abs=1e-9)
        assert found.count(0) + found.count(1) == sum(len(game.legal_actions(move.state)) > 1 for move in moves)
        assert all(decision.cost >= 0 for decision in found.decisions)


def test_a_perfect_player_gives_nothing_away_and_a_chance_is_the_mean_of_what_falls() -> None:
    game, chances = SMALL_421, Chances(SMALL_421)

    def best(state: Any, legal: Sequence[int], rng: np.random.Generator) -> int:
        choices = chances.choices(state)
        return max(choices, key=lambda action: choices[action])

    moves, _ = played(game, 3, best)
    found = review(game, moves, 0)
    assert found.given_away(0) == found.given_away(1) == 0
    assert found.costliest(0) == []
    for move in moves:
        mover = game.seat(move.state)
        for action, chance in chances.choices(move.state).items():
            after = game.outcomes(move.state, action)
            assert chance == pytest.approx(sum(float(p) * chances.of(s, mover) for s, p in after), abs=1e-9)


def test_what_is_given_away_is_the_answer_key_s_regret() -> None:
    key, chances = answer_key(DEMI_ILES), Chances(DEMI_ILES)
    state = DEMI_ILES.decode((8, 13, 0))
    index = int(key.index(np.array([[8, 13, 0]]))[0])
    choices = chances.choices(state)
    regrets = [float(key.row_regrets[key.rows[index, action]]) for action in range(3)]
    assert [2 * (max(choices.values()) - choices[action]) for action in range(3)] == pytest.approx(regrets, abs=1e-12)
    assert max(regrets) > 0.1
    assert chances.epsilon == 0.001


def test_the_luck_of_the_opening_counts() -> None:
    game = make_game("demi-iles", starter="drawn")
    moves, _ = played(game, 1, at_random)
    found = review(game, moves, game.seat(moves[0].state))
    assert found.start == pytest.approx(0.5)
    assert found.opening > 1e-6
    assert found.opening == pytest.approx(Chances(game).choices(moves[0].state)[0] - 0.5, abs=1e-3)


def test_the_costliest_come_first_and_a_game_that_was_left_has_no_result() -> None:
    moves, _ = played(SMALL_421, 2, at_random)
    whole = review(SMALL_421, moves, 1)
    costs = [decision.cost for decision in whole.costliest(1, most=100)]
    assert costs == sorted(costs, reverse=True)
    assert costs
    left = review(SMALL_421, moves[:-1], 1)
    assert left.result is None
    assert left.cut == 0
    assert left.last == pytest.approx(left.start - left.given_away(1) + left.given_away(0) + left.luck, abs=1e-9)


def test_nothing_is_gone_through_without_moves_or_with_more_than_two() -> None:
    with pytest.raises(ValueError, match="without a single move"):
        review(DEMI_ILES, [], 0)
    with pytest.raises(Unsolvable, match="known for two players, and demi-iles has 3 here"):
        Chances(make_game("demi-iles", players=3))
