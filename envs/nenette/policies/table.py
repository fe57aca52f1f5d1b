"""A policy that is a table: an action for each situation that was met, as a learner of tables leaves it.

Its files are those of a network: `policy.json` says what it is, `policy.safetensors` holds keys and actions. They are
trusted as little.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.policies.policy import Masks, Observations, Probabilities
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

__all__ = ["FORMAT", "TablePolicy", "read_table", "save_table"]

FORMAT = "nenette-table"
_VERSION = 1
_MOST_STATES = LARGEST_FILE // 16


class TablePolicy:
    """An action in each situation of a table; in all others anything legal, each with the same probability.

    Attributes:
        name: what tables call it.
        game: the game it plays.
        keys: int64 (states,), increasing: `game.codec.keys` of the situations.
        actions: uint8 (states,): what it does there. Where that is illegal, it does anything legal.
        card: JSON values about it, such as how it was trained; empty unless it was read from a file.
        fixed: true: it never changes.
    """

    fixed = True

    def __init__(
        self, game: Game[Any], keys: NDArray[np.int64], actions: NDArray[np.uint8], *, name: str = "table"
    ) -> None:
        """A policy of `game` by its keys and its actions.

        Raises:
            ValueError: the arrays do not belong together, keys do not increase, or there is no such action.
        """
        if keys.ndim != 1 or keys.dtype != np.int64 or actions.shape != keys.shape or actions.dtype != np.uint8:
            raise ValueError(
                f"keys are {keys.dtype} {keys.shape} and actions {actions.dtype} {actions.shape}, and int64 (states,) "
                "and uint8 (states,) are expected"
            )
        if (keys[1:] <= keys[:-1]).any():
            raise ValueError("the keys do not increase")
        if len(actions) and actions.max() >= game.n_actions:
            raise ValueError(f"there is an action {actions.max()}, and {game.name} has 0 to {game.n_actions - 1}")
        self.name, self.game = name, game
        self.keys, self.actions = keys, actions
        self.card: dict[str, Any] = {}

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """Probabilities of each action, float64 (n, n_actions), of observations (n, size); see `Policy`."""
        legal = masks != 0
        probabilities: Probabilities = legal / legal.sum(axis=1, keepdims=True)
        if len(self.keys):
            codec = self.game.codec
            wanted = codec.keys(codec.decode(observations))
            places = np.searchsorted(self.keys, wanted).clip(max=len(self.keys) - 1)
            actions = self.actions[places]
            rows = np.flatnonzero((self.keys[places] == wanted) & legal[np.arange(len(legal)), actions])
            probabilities[rows] = 0.0
            probabilities[rows, actions[rows]] = 1.0
        return probabilities

    def __repr__(self) -> str:
        return f"TablePolicy({self.name!r}, {self.game}, {len(self.keys)} states)"


def save_table(folder: str | os.PathLike[str], policy: TablePolicy, card: Mapping[str, Any]) -> None:
    """Writes `policy` into `folder`, as `nenette.policies.save_policy` writes a network.

    Raises:
        PolicyFileError, OSError: as from `save_policy`.
    """
    about = {**common_entries(FORMAT, _VERSION, policy.name, policy.game), "states": len(policy.keys)}
    keys, actions = np.ascontiguousarray(policy.keys), np.ascontiguousarray(policy.actions)
    arrays: dict[str, NDArray[Any]] = {"keys": keys, "actions": actions}
    write_policy_files(Path(folder), about, arrays, card, _check_about)


def read_table(path: str | os.PathLike[str], game: Game[Any] | str | None = None) -> TablePolicy:
    """The table in a folder, which may be named by either of its files; arguments as of `nenette.policies.read_policy`.

    Raises:
        PolicyFileError: it is missing, truncated, foreign, damaged or about another game.
    """
    folder = policy_folder(Path(path))
    about = read_about(folder / JSON_FILE, FORMAT, _VERSION)
    _check_about(folder / JSON_FILE, about)
    played, states = game_of_file(folder / JSON_FILE, about, game), (about["states"],)
    shapes = {"keys": ("I64", states), "actions": ("U8", states)}
    tensors = read_tensors(folder / TENSORS_FILE, shapes, about["tensors_sha256"])
    try:
        policy = TablePolicy(played, tensors["keys"], tensors["actions"], name=about["name"])
    except ValueError as error:
        raise PolicyFileError(f"{folder / TENSORS_FILE} does not fit {played.name}: {error}") from error
    policy.card = about["card"]
    return policy


def _check_about(path: Path, about: Mapping[str, Any]) -> None:
    """Raises PolicyFileError unless every entry is of its kind and within bounds."""
    expect, states = expecting(path, about), about.get("states")
    check_common(about, expect)
    expect("states", type(states) is int and 0 <= states <= _MOST_STATES, f"a number from 0 to {_MOST_STATES}")
