"""Weights that are not what their policy says, and files damaged at random."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from policy_folders import GAME, edit, put_tensors, refusal, tensors
from rule_variants import decisions
from safetensors.numpy import save
from small_networks import small_network

from nenette.policies import PolicyFileError, read_policy, save_policy


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "a run"
    save_policy(folder, small_network(GAME, name="mine"), {"steps": 3, "seeds": [1, 2]})
    return folder


def header(about: object, body: bytes = b"") -> bytes:
    text = about if isinstance(about, bytes) else json.dumps(about).encode()
    return len(text).to_bytes(8, "little") + text + body


def announced(name: str, **changed: Any) -> bytes:
    """A safetensors file whose header says something else of one tensor than what is there."""
    content = save(tensors())
    length = int.from_bytes(content[:8], "little")
    about = json.loads(content[8 : 8 + length])
    about[name] |= changed
    return header(about, content[8 + length :])


NAN = np.full((5, 46), np.nan, np.float32)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: b"", "policy.safetensors is truncated or no safetensors file: its header does not fit in it"),
        (
            lambda: b"\xff" * 100,
            "policy.safetensors is truncated or no safetensors file: its header does not fit in it",
        ),
        (lambda: header(b"{"), "policy.safetensors is truncated or not a policy: its header is no JSON"),
        (lambda: header(b"[" * 100_000), "policy.safetensors is not a policy: its header is nested too deep"),
        (lambda: header({}), "does not hold the tensors that its policy.json names: layers.0.bias is missing"),
        (lambda: save(tensors(extra=NAN)), "the tensors that its policy.json names: 'extra' is not one of them"),
        (lambda: save(tensors(**{"layers.1.bias": None})), "that its policy.json names: layers.1.bias is missing"),
        (
            lambda: save(tensors(**{"layers.1.bias": np.ones(3)})),
            "policy.safetensors has layers.1.bias as 'F64' [3], and 'F32' [3] is expected",
        ),
        (
            lambda: save(tensors(**{"layers.1.bias": np.ones((3, 1), np.float32)})),
            "policy.safetensors has layers.1.bias as 'F32' [3, 1], and 'F32' [3] is expected",
        ),
        (
            lambda: announced("layers.0.weight", shape=[1 << 40, 46]),
            "as 'F32' [1099511627776, 46], and 'F32' [5, 46] is",
        ),
        (lambda: announced("layers.0.bias", data_offsets=[0, 1 << 60]), "policy.safetensors is no safetensors file: "),
        (lambda: announced("layers.0.bias", data_offsets=[4, 24]), "policy.safetensors is no safetensors file: "),
        (lambda: announced("layers.0.bias", data_offsets="all"), "policy.safetensors is no safetensors file: "),
        (lambda: save(tensors()) + b"more", "policy.safetensors is truncated or damaged: "),
        (
            lambda: save(tensors(**{"layers.0.weight": NAN})),
            "policy.safetensors does not fit demi-iles: layer 0 has a weight that is not finite",
        ),
    ],
    ids=range(15),
)
def test_weights_that_are_not_what_they_should_be(run: Path, content: Callable[[], bytes], sentence: str):
    put_tensors(run, content())
    assert sentence in refusal(run)


def test_weights_of_another_size_than_the_game(run):
    edit(run, layers=[93, 5, 8])
    put_tensors(run, save(tensors(93, 5, 8)))
    assert refusal(run).startswith(
        "policy.safetensors does not fit demi-iles: layer 0 has a weight of shape (5, 93) and a bias of shape (5,), "
    )


@pytest.mark.parametrize("name", ["policy.json", "policy.safetensors"])
def test_a_truncated_file_is_refused_wherever_it_ends(run, name):
    content = (run / name).read_bytes()
    for length in range(0, len(content) - 2, max(1, len(content) // 150)):
        (run / name).write_bytes(content[:length])
        assert refusal(run).startswith(name)


def test_a_flipped_bit_of_the_weights_is_refused(run):
    content = (run / "policy.safetensors").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged))] ^= 1 << int(rng.integers(8))
        (run / "policy.safetensors").write_bytes(damaged)
        assert refusal(run).startswith("policy.safetensors")


def test_damaged_weights_that_the_json_vouches_for_are_refused_or_play(run):
    content = (run / "policy.safetensors").read_bytes()
    observations, masks = decisions(GAME, steps=100)
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged) // 2)] ^= 1 << int(rng.integers(8))
        put_tensors(run, bytes(damaged))
        try:
            policy = read_policy(run)
        except PolicyFileError:
            refused += 1
        else:
            try:
                assert policy.action_probabilities(observations, masks).sum() == pytest.approx(len(masks))
            except ValueError as error:
                assert "its weights are too large" in str(error)  # noqa: PT017
    assert 0 < refused < 200


def test_a_flipped_bit_of_the_json_is_refused_or_harmless(run):
    content = (run / "policy.json").read_bytes()
    rng = np.random.default_rng(2)
    refused = 0
    for _ in range(400):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged))] ^= 1 << int(rng.integers(8))
        (run / "policy.json").write_bytes(damaged)
        try:
            assert read_policy(run).sizes == [46, 5, 3]
        except PolicyFileError as error:
            assert "\n" not in str(error)  # noqa: PT017
            refused += 1
    assert refused > 200
