"""What the environments play follows from the game that they are given, whoever made it and by whatever rules."""

from fractions import Fraction
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from variations import Loser, Mine

import nenette  # noqa: F401
from nenette.environments.compiled_game import compiled
from nenette.environments.opponents import seat_opponents
from nenette.environments.python_game import PythonGame
from nenette.environments.turn_based import TurnBasedEnv
from nenette.games import Game, make_game

IN_BOTH: list[tuple[str, dict[str, Any]]] = [
    ("demi-iles", {"starter": "drawn", "players": 3}),
    ("421", {"fiches": 3, "nenette": 3, "nenette_capped": False}),
    ("421", {"fiches": 3, "nenettes_tie": False, "nenette_in_decharge": False}),
    ("421", {"fiches": 2, "limit_after_tie": "kept"}),
    ("421", {"fiches": 4, "limit_after_tie": "kept", "kept_dice": "frozen", "followers": "exactly"}),
]


class Impatient(TurnBasedEnv):
    """Hands over to compiled code at the first reset, where there is any."""

    env_id = "impatient"
    patience = 0


def walk(env: TurnBasedEnv, steps: int) -> list[Any]:
    """What random actions meet: observations as bytes, rewards and ends."""
    rng, met = np.random.default_rng(1), []
    observation, info = env.reset(seed=3)
    for _ in range(steps):
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(int(action))
        met.append((observation.tobytes(), reward, terminated, truncated))
        if terminated or truncated:
            observation, info = env.reset()
            met.append(observation.tobytes())
    return met


def is_compiled(game: Game[Any]) -> bool:
    return compiled(game, seat_opponents(game, "random"), "random") is not None


@pytest.mark.parametrize("game", [Loser(), Mine()], ids=str)
def test_what_has_no_compiled_form_is_played_in_python(game: Game[Any]) -> None:
    assert not is_compiled(game)
    env = Impatient(game, opponents="random", seat="random")
    met = walk(env, 60)
    assert isinstance(env._playing, PythonGame)
    patient = TurnBasedEnv(game, opponents="random", seat="random")
    assert met == walk(patient, 60)


@pytest.mark.parametrize(("name", "rules"), IN_BOTH)
def test_other_readings_of_the_rules_are_played_alike_by_compiled_code(name: str, rules: dict[str, Any]) -> None:
    game = make_game(name, **rules)
    assert is_compiled(game)
    quick = Impatient(game, opponents="random", seat="random")
    assert walk(quick, 600) == walk(TurnBasedEnv(game, opponents="random", seat="random"), 600)
    assert not isinstance(quick._playing, PythonGame)


def test_a_tie_that_keeps_the_limit_is_met_in_compiled_code() -> None:
    env = Impatient(make_game("421", fiches=2, limit_after_tie="kept"), opponents="random", seat="random")
    limits = set()
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=0)
    for _ in range(2000):
        state: Any = env.game.decode(env.game.codec.decode(observation[None])[0].tolist())
        if not state.bank and not state.throws:
            limits.add(state.limit)
        observation, _, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        if terminated or truncated:
            observation, info = env.reset()
    assert limits == {2, 3}  # with a limit of 1 the leader throws and decides nothing


def test_whoever_stands_on_21_loses_where_that_is_the_game() -> None:
    env = Impatient(Loser(), opponents="greedy", seat="random", render_mode=None)
    rng, rewards = np.random.default_rng(0), []
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, terminated, truncated, _ = env.step(int(rng.integers(3)))
            over = terminated or truncated
        rewards.append(reward)
    assert sum(rewards) >= 3  # greedy runs for 21, and so loses


def test_a_drawn_starter_may_be_any_seat() -> None:
    """Whoever is not drawn finds that the others have thrown before it."""
    env = gym.make("nenette/DemiIles-v0", players=3, starter="drawn", seat=0)
    first = env.unwrapped.game.codec.encode_one((0, 0, 0, 0))  # type: ignore[attr-defined]
    begins = [bool((env.reset(seed=seed)[0] == first).all()) for seed in range(60)]
    assert 8 < sum(begins) < 40
    game = make_game("demi-iles", players=3, starter="drawn")
    assert [(state.seat, p) for state, p in game.initial()] == [(seat, Fraction(1, 3)) for seat in range(3)]


def test_an_account_of_somebodys_game_tells_its_fields() -> None:
    env = TurnBasedEnv(Mine(), opponents="random", seat=0, render_mode="ansi")
    env.env_id = "mine"  # type: ignore[misc]
    env.reset(seed=0)
    assert env.render() == (
        "A game of mine: you begin.\n"
        "  [ own score: 0 · score of the next player: 0 · seats until the player to move: 0 ]  You choose: 0, 1, 2?\n"
    )
