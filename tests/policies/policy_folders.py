"""Saved policies, and ways of spoiling them."""

import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nenette.games import make_game
from nenette.policies import PolicyFileError, read_policy

GAME = make_game("demi-iles", max_turns=50)


def edit(folder: Path, **entries: Any) -> None:
    """Changes entries of the JSON; None takes one away."""
    path = folder / "policy.json"
    about = json.loads(path.read_text()) | entries
    path.write_text(json.dumps({key: value for key, value in about.items() if value is not None}))


def put_tensors(folder: Path, content: bytes) -> None:
    """Replaces the weights by something that the JSON vouches for."""
    (folder / "policy.safetensors").write_bytes(content)
    edit(folder, tensors_sha256=hashlib.sha256(content).hexdigest())


def tensors(*sizes: int, **changed: Any) -> dict[str, Any]:
    """Weights of ones, of a network with these sizes or of the one that is saved; None takes a tensor away."""
    made = {}
    for k, (inputs, outputs) in enumerate(pairwise(sizes or (GAME.codec.size, 5, 3))):
        made[f"layers.{k}.weight"] = np.ones((outputs, inputs), np.float32)
        made[f"layers.{k}.bias"] = np.ones(outputs, np.float32)
    return {name: value for name, value in (made | changed).items() if value is not None}


def refusal(path: Path, game: Any = None) -> str:
    """The one sentence with which `path` is refused."""
    with pytest.raises(PolicyFileError) as error:
        read_policy(path, game)
    sentence = str(error.value)
    assert "\n" not in sentence
    assert len(sentence) < 600
    return sentence.replace(str(path.parent), "RUNS").replace("RUNS/a run/", "")
