"""Snapshots that somebody has changed: refused in one sentence, with nothing changed, or played to the end."""

import json
import random
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO, make, play_on
from hostile import HOSTILE, Raw, _places, is_a_sentence

FORMS: list[tuple[str, dict[str, Any]]] = [
    (SOLO, {"max_turns": 60}),
    (DEMI_ILES, {"players": 3, "max_turns": 40, "render_mode": "ansi"}),
    (QUATRE21, {"fiches": 4}),
    (QUATRE21, {"fiches": 3, "kept_dice": "frozen", "followers": "exactly", "max_turns": 30}),
]
ODD = [value for value in HOSTILE if not isinstance(value, Raw)] + ["a", b"", {1: 2}, np.zeros(3), object(), 2.0]


def _changed(snapshot: dict[str, Any], draw: random.Random) -> Any:
    """The snapshot with one to three things in it changed; half of the time small numbers into others."""
    value = deepcopy(snapshot)
    for _ in range(draw.randint(1, 3)):
        *outer, last = draw.choice(_places(value)[1:])
        here: Any = value
        for key in outer:
            here = here[key]
        kind = draw.random()
        if kind < 0.5:
            fields = value.get("fields")
            if isinstance(fields, list) and fields:
                fields[draw.randrange(len(fields))] = draw.randint(0, 6)
        elif kind < 0.85:
            here[last] = deepcopy(draw.choice(ODD)) if draw.random() < 0.7 else draw.randint(-1, 70)
        else:
            here.pop(last)
        if not isinstance(value, dict) or not value:
            break
    return value


@pytest.mark.parametrize(("env_id", "options"), FORMS, ids=str)
def test_a_changed_snapshot_is_refused_or_played_to_the_end(env_id: str, options: dict[str, Any]) -> None:
    env, other, draw = make(env_id, **options), make(env_id, **options), random.Random(0)
    env.reset(seed=1)
    other.reset(seed=2)
    refused = 0
    for attempt in range(150):
        list(play_on(env, 1, seed=attempt))
        changed = _changed(json.loads(json.dumps(env.snapshot())), draw)
        before = other.snapshot()
        refusal = None
        try:
            _, info = other.restore(changed)
        except ValueError as error:
            refusal = error
        if refusal is not None:
            assert is_a_sentence(refusal)
            assert other.snapshot() == before
            refused += 1
            continue
        for _ in range(3000):
            if other._playing.over:
                break
            assert info["action_mask"].any()
            *_, info = other.step(draw.randrange(other.game.n_actions))
            other.action_masks()
            if other.render_mode:
                assert other.render()
        assert other._playing.over
        other.reset(seed=attempt)
    assert 50 < refused < 150


@pytest.mark.parametrize(
    "snapshot", [None, [], "snapshot" * 1000, {}, {"rules_id": "x" * 9000, "game": ["421"] * 9000}]
)
def test_what_is_no_snapshot_is_refused_in_one_line(snapshot: Any) -> None:
    env = make(QUATRE21)
    with pytest.raises(ValueError, match=r"^[^\n]{1,300}$"):
        env.restore(snapshot)


@pytest.mark.parametrize(("state", "inc"), [(0, 0), (1 << 127, 0), (1 << 126, 2)])
def test_a_random_stream_that_goes_nowhere_is_refused(state: int, inc: int) -> None:
    env = make(QUATRE21)
    env.reset(seed=0)
    snapshot = env.snapshot()
    snapshot["rng"]["state"] = {"state": state, "inc": inc}
    with pytest.raises(ValueError, match=r"^the snapshot's rng is no state of PCG64, but "):
        env.restore(snapshot)


@pytest.mark.parametrize(("env_id", "options"), FORMS, ids=str)
def test_every_state_of_a_game_is_possible(env_id: str, options: dict[str, Any]) -> None:
    env = make(env_id, **options)
    env.reset(seed=0)
    game, rng = env.game, np.random.default_rng(0)
    for _ in range(30):
        state = game.initial().sample(rng)
        for _ in range(200):
            assert game.possible(state)
            if game.returns(state) is not None:
                break
            state = game.sample(state, int(rng.choice(game.legal_actions(state))), rng)


def test_a_snapshot_may_hold_numpys_integers() -> None:
    env, twin = make(QUATRE21), make(QUATRE21)
    env.reset(seed=0)
    snapshot = env.snapshot()
    snapshot["fields"] = [np.int64(value) for value in snapshot["fields"]]
    snapshot["seat"] = np.int64(snapshot["seat"])
    twin.restore(snapshot)
    assert json.dumps(twin.snapshot()) == json.dumps(env.snapshot())
