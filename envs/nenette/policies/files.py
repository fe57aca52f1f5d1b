"""Network policies as files: `policy.json` says what it is, `policy.safetensors` holds the weights."""

import os
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from nenette.games import Game
from nenette.policies.network import ACTIVATIONS, HEADS, Layer, NetworkPolicy
from nenette.policies.stored import (
    JSON_FILE,
    LARGEST_FILE,
    TENSORS_FILE,
    PolicyFileError,
    check_common,
    common_entries,
    expecting,
    game_of_file,
    policy_folder,
    read_about,
    read_tensors,
    write_policy_files,
)

__all__ = ["JSON_FILE", "LARGEST_FILE", "TENSORS_FILE", "PolicyFileError", "read_policy", "save_policy"]

_FORMAT = "nenette-policy"
_VERSION = 1
_MAX_LAYERS = 32
_MAX_WIDTH = 16_384


def save_policy(folder: str | os.PathLike[str], policy: NetworkPolicy, card: Mapping[str, Any]) -> None:
    """Writes `policy` into `folder`, made if it is missing; each file is written aside and then put in place.

    Args:
        folder: where `policy.json` and `policy.safetensors` go.
        policy: what to write.
        card: JSON values about the policy, such as how it was trained; stored as they are.

    Raises:
        PolicyFileError: `card` holds something that JSON cannot express, or the policy is larger than what can be read.
        OSError: a file cannot be written; the error names it.
    """
    about = {
        **common_entries(_FORMAT, _VERSION, policy.name, policy.game),
        "activation": policy.activation,
        "head": policy.head,
        "crossed": policy.crossed,
        "layers": policy.sizes,
    }
    write_policy_files(Path(folder), about, _named_tensors(policy), card, _check_about)


def read_policy(path: str | os.PathLike[str], game: Game[Any] | str | None = None) -> NetworkPolicy:
    """The policy in a folder, which may be named by either of its files.

    Args:
        path: a folder with `policy.json` and `policy.safetensors`, or one of the two.
        game: the game it is to play, or its name; None takes the game and the rules that the file names.

    Returns:
        The policy, its `card` as it was saved.

    Raises:
        PolicyFileError: it is missing, truncated, foreign, damaged or about another game.
    """
    folder = policy_folder(Path(path))
    about = read_about(folder / JSON_FILE, _FORMAT, _VERSION)
    _check_about(folder / JSON_FILE, about)
    played = game_of_file(folder / JSON_FILE, about, game)
    layers = _read_layers(folder / TENSORS_FILE, about)
    try:
        policy = NetworkPolicy(
            played,
            layers,
            activation=about["activation"],
            head=about["head"],
            crossed=about.get("crossed"),
            name=str(about["name"]),
        )
    except ValueError as error:
        raise PolicyFileError(f"{folder / TENSORS_FILE} does not fit {played.name}: {error}") from error
    policy.card = about["card"]
    return policy


def _named_tensors(policy: NetworkPolicy) -> dict[str, Any]:
    named = {}
    for k, (weight, bias) in enumerate(policy.layers):
        named[f"layers.{k}.weight"] = np.ascontiguousarray(weight)
        named[f"layers.{k}.bias"] = np.ascontiguousarray(bias)
    return named


def _check_about(path: Path, about: Mapping[str, Any]) -> None:
    """Raises PolicyFileError unless every entry is of its kind and within bounds."""
    expect, sizes = expecting(path, about), about.get("layers")
    check_common(about, expect)
    expect("activation", about.get("activation") in tuple(ACTIVATIONS), f"one of {', '.join(ACTIVATIONS)}")
    expect("head", about.get("head") in tuple(HEADS), f"one of {', '.join(HEADS)}")
    crossed = about.get("crossed")  # missing in files of earlier versions
    expect("crossed", crossed is None or isinstance(crossed, str), "a field's name or null")
    widths = isinstance(sizes, list) and all(type(size) is int and 0 < size <= _MAX_WIDTH for size in sizes)
    many = isinstance(sizes, list) and 2 <= len(sizes) <= _MAX_LAYERS + 1
    expect("layers", widths and many, f"a list of 2 to {_MAX_LAYERS + 1} sizes from 1 to {_MAX_WIDTH}")


def _read_layers(path: Path, about: Mapping[str, Any]) -> list[Layer]:
    sizes = about["layers"]
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {}
    for k, (inputs, outputs) in enumerate(pairwise(sizes)):
        shapes[f"layers.{k}.weight"] = "F32", (outputs, inputs)
        shapes[f"layers.{k}.bias"] = "F32", (outputs,)
    tensors = read_tensors(path, shapes, about["tensors_sha256"])
    return [(tensors[f"layers.{k}.weight"], tensors[f"layers.{k}.bias"]) for k in range(len(sizes) - 1)]
