"""What a picture shows: scenes of all games, made of what has happened. No picture is drawn here."""

from typing import Any

import numpy as np
import pytest
from environment_cases import CASES, DEMI_ILES, QUATRE21, SOLO, make

from nenette.environments.pictures import Die, Event, Player, Scene, View, scene_of
from nenette.games import Game, make_game
from nenette.games.demi_iles import SoloState, faces
from nenette.games.demi_iles import State as Scores
from nenette.games.quatre21 import State


def shown(game: Game[Any], state: Any, *events: Event, **more: Any) -> Scene:
    names = ["greedy"] * (game.players - 1)
    return scene_of(game, View(state, learner=0, names=names, events=events, **more))


def faced(player: Player) -> str:
    """The dice in short: k for kept, p for past ones."""
    marks = {"fresh": "", "kept": "k", "past": "p"}
    return " ".join(f"{die.face}{marks[die.look]}" for die in player.dice)


def played(game: Game[Any], state: Any, *moves: tuple[int, Any]) -> tuple[Any, list[Event]]:
    events = []
    for action, fallen in moves:
        after = game.follow(state, action, fallen).outcomes[0]
        events.append(Event(state, action, fallen, after))
        state = after
    return state, events


def test_421_shows_fiches_bank_and_whose_turn_it_is() -> None:
    game = make_game("421")
    scene = shown(game, State((1, 0), (4, 2), 5, (1, 0)))
    assert scene.title == "421 · charge"
    assert scene.middle is not None
    assert scene.middle.number == 5
    assert [player.name for player in scene.players] == ["You", "Greedy"]
    assert [[counter.number for counter in player.counters] for player in scene.players] == [[4, 1], [2, 0]]
    assert [player.to_move for player in scene.players] == [False, True]
    assert shown(game, State((0, 0), (4, 7), 0, (1, 0), limit=3)).title == "421 · décharge"


def test_421_tells_dice_apart() -> None:
    game = make_game("421")
    state = State((0, 0), (5, 6), 0, (0, 1), limit=3)
    state, events = played(game, state, (7, (6, 2, 1)))
    scene = shown(game, state, *events)
    assert [faced(player) for player in scene.players] == ["6 2 1", ""]
    assert [player.note for player in scene.players] == ["worth 1", ""]
    state, more = played(game, state, (0b001, None))
    scene = shown(game, state, *events, *more)
    assert faced(scene.players[0]) == "2k 1k 0"  # one of them is in the hand
    assert scene.players[0].note == ""
    state, last = played(game, state, (7, (4, 2, 1)))
    assert faced(shown(game, state, *events, *more, *last).players[0]) == "4 2k 1k"
    state, stop = played(game, state, (0, None))
    after = shown(game, state, *stop)  # what was thrown before the last decision lies there still
    assert [faced(player) for player in after.players] == ["4 2 1", "0 0 0"]
    assert after.players[0].note == "worth 8"
    state, ends = played(game, state, (7, (5, 5, 2)), (0, None))
    ended = shown(game, state, *stop, *ends)
    assert [faced(player) for player in ended.players] == ["4 2 1", "5 5 2"]
    state, next_round = played(game, state, (7, (3, 3, 1)))
    assert [faced(player) for player in shown(game, state, *stop, *ends, *next_round).players] == ["0 0 0", "3 3 1"]


def test_421_dice_of_the_round_before_are_past() -> None:
    game = make_game("421")
    state = State((0, 0), (3, 3), 5, (0, 1))
    state, events = played(game, state, (7, (6, 2, 1)), (7, (4, 2, 1)), (7, (5, 2, 1)))
    assert [faced(player) for player in shown(game, state, *events).players] == ["5 2 1", "4p 2p 1p"]


def test_the_end_of_a_match_says_who_has_won() -> None:
    game = make_game("421", manches_to_lose=1)
    state = State((0, 0), (10, 1), 0, (0, 1), limit=1)
    state, events = played(game, state, (7, (5, 4, 2)), (7, (4, 2, 1)))
    scene = shown(game, state, *events)
    assert scene.over
    assert [player.result for player in scene.players] == [-1, 1]
    assert [player.to_move for player in scene.players] == [False, False]
    assert scene.question == "Greedy wins the manche."
    assert scene.lines[-1] == "You hold all 11 and lose the manche."


def test_demi_iles_shows_scores_and_the_last_throws() -> None:
    game = make_game("demi-iles")
    state, events = played(game, Scores((3, 8), 0), (2, 10), (0, 3))
    scene = shown(game, state, *events)
    assert scene.board is not None
    assert list(scene.board.standing) == [10, 3]
    assert [player.note for player in scene.players] == ["3 → 10", "no die"]
    assert [len(player.dice) for player in scene.players] == [2, 0]
    assert {die.look for die in scene.players[0].dice} == {"past"}
    cut = shown(game, state, cut=True)
    assert (cut.question, cut.over, [player.to_move for player in cut.players]) == (
        "Cut here: nobody has won.",
        True,
        [False, False],
    )


def test_dice_of_demi_iles_lead_where_the_throw_led() -> None:
    game = make_game("demi-iles-solo")
    rng = np.random.default_rng(0)
    state: SoloState = game.initial().sample(rng)
    seen = set()
    for _ in range(300):
        action = int(rng.integers(3))
        fallen = game.chance(state, action).sample(rng)
        after = game.follow(state, action, fallen).sample(rng)
        event = Event(state, action, fallen, after)
        scene = shown(game, after, event)
        dice = tuple(die.face for die in scene.players[0].dice)
        assert dice in faces(state.score, action, fallen).outcomes
        assert scene == shown(game, after, event)  # the same throw looks the same again
        seen.add(dice)
        state = after
    assert len(seen) > 30
    assert scene.board is not None
    assert scene.board.visited == {score for score in range(1, 21) if state.seen >> (score - 1) & 1}


@pytest.mark.parametrize(("env_id", "options"), CASES, ids=str)
def test_every_table_has_a_scene(env_id: str, options: dict[str, Any]) -> None:
    """Along random games: one mover while they last, none at the end, and the words of the account below."""
    env = make(env_id, **{**options, "render_mode": "ansi"})
    rng = np.random.default_rng(0)
    for game in range(2):
        env.reset(seed=game)
        over = False
        for _ in range(80):
            view = env._python.view()
            scene = scene_of(env.game, view)
            assert scene.over == over
            assert sum(player.to_move for player in scene.players) == (not over)
            assert [line.strip() for line in env.render().splitlines()[:-1]] == scene.lines
            assert env.render().rstrip("\n").endswith(scene.question)
            assert all(die == Die(die.face, die.look) and 0 <= die.face <= 6 for p in scene.players for die in p.dice)
            if over:
                break
            _, _, terminated, truncated, _ = env.step(int(rng.integers(env.game.n_actions)))
            over = terminated or truncated


def test_nothing_is_kept_for_nobody() -> None:
    for env_id in (SOLO, DEMI_ILES, QUATRE21):
        env = make(env_id)
        env.reset(seed=0)
        env.step(0)
        assert env._python.view()[4:] == (None, (), ())
