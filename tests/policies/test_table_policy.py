"""Policies that are tables: how they play, and their files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from policy_folders import GAME, edit, put_tensors
from safetensors.numpy import save

import nenette
from nenette.games import make_game
from nenette.policies import PolicyFileError, TablePolicy, load_opponent, read_policy, read_table, save_table

OBSERVATIONS = GAME.codec.encode(np.arange(3)[:, None] * np.eye(1, len(GAME.codec.features), dtype=np.int64))
KEYS = GAME.codec.keys(GAME.codec.decode(OBSERVATIONS))
LEGAL = np.ones((3, GAME.n_actions), dtype=np.int8)


def table(actions: tuple[int, ...] = (2, 0)) -> TablePolicy:
    return TablePolicy(GAME, KEYS[:2], np.array(actions, dtype=np.uint8), name="mine")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    save_table(tmp_path / "run", table(), {"seed": 3})
    return tmp_path / "run"


def test_it_plays_its_action_and_anything_legal_where_it_knows_none() -> None:
    masks = LEGAL.copy()
    masks[1, 0] = masks[2, 1] = 0
    found = table().action_probabilities(OBSERVATIONS, masks)
    assert found.tolist() == [[0, 0, 1], [0, 0.5, 0.5], [0.5, 0, 0.5]]
    empty = TablePolicy(GAME, KEYS[:0], np.zeros(0, dtype=np.uint8))
    assert empty.action_probabilities(OBSERVATIONS, masks)[2].tolist() == [0.5, 0, 0.5]


def test_what_is_read_is_what_was_saved(run: Path) -> None:
    read = load_opponent(run)
    assert isinstance(read, TablePolicy)
    assert (read.keys.tolist(), read.actions.tolist()) == (KEYS[:2].tolist(), [2, 0])
    assert (read.name, read.card, read.game.rules) == ("mine", {"seed": 3}, GAME.rules)
    assert load_opponent(run / "policy.safetensors", GAME).name == "mine"
    assert nenette.score(run, GAME, "random").value == nenette.score(table(), GAME, "random").value


def put(run: Path, **arrays: Any) -> None:
    here = {"keys": KEYS[:2], "actions": np.array([2, 0], dtype=np.uint8)}
    put_tensors(run, save({name: value for name, value in (here | arrays).items() if value is not None}))


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda run: put(run, keys=KEYS[1::-1].copy()), "does not fit demi-iles: the keys do not increase"),
        (
            lambda run: put(run, actions=np.array([2, 3], dtype=np.uint8)),
            "does not fit demi-iles: there is an action 3, and demi-iles has 0 to 2",
        ),
        (lambda run: put(run, keys=KEYS), r"has keys as 'I64' \[3\], and 'I64' \[2\] is expected"),
        (
            lambda run: put(run, keys=KEYS[:2].astype(np.uint64)),
            r"has keys as 'U64' \[2\], and 'I64' \[2\] is expected",
        ),
        (
            lambda run: put(run, actions=None),
            "does not hold the tensors that its policy.json names: actions is missing",
        ),
        (lambda run: edit(run, states=1 << 60), '"states" is 1152921504606846976, and a number from 0 to 16777216 is'),
        (lambda run: edit(run, states=True), '"states" is True, and a number'),
        (lambda run: edit(run, game="chess"), "\"game\" is 'chess', and one of "),
        (lambda run: edit(run, version=2), "is of format version 2, and this nenette reads version 1"),
        (
            lambda run: edit(run, tensors_sha256="0"),
            "is damaged, or not the file that its policy.json was written with",
        ),
    ],
)
def test_what_is_wrong_with_its_files_is_told_in_one_sentence(run: Path, spoil: Any, sentence: str) -> None:
    spoil(run)
    with pytest.raises(PolicyFileError, match=sentence):
        load_opponent(run)


def test_a_table_is_of_its_game_and_no_network(run: Path) -> None:
    with pytest.raises(PolicyFileError, match="is a policy of demi-iles, and one of 421 is expected"):
        read_table(run, make_game("421"))
    with pytest.raises(PolicyFileError, match="\"format\" is 'nenette-table', and 'nenette-policy' is expected"):
        read_policy(run)
