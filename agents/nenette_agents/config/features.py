"""Fields of observations as configs name them, and what a config makes of them: crossed inputs, potentials."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.policies.inputs import Crossing, crossing, fields_to_cross
from nenette_agents.errors import nearest, shown

__all__ = ["crossing_called", "field_name", "potential_weights"]


def field_name(name: str) -> str:
    """A field of an observation as configs name it: "the other's fiches" is `opponent_fiches`.

    A pattern (`*`) stays one.
    """
    words = name.replace("the other", "opponent").replace("'s", "")
    return re.sub(r"[^\w*?\[\]!-]+", "_", words).strip("_")


def crossing_called(game: Game[Any], name: str | None) -> Crossing | None:
    """The crossing of the field that a config names with the rest; None for None.

    Raises:
        ValueError: the game has no such field, or not as a one-hot block; the nearest one is named.
    """
    if name is None:
        return None
    known = {field_name(field): field for field in fields_to_cross(game)}
    if field_name(name) not in known:
        raise ValueError(f"one of {', '.join(known)} was expected{nearest(name, list(known))}")
    return crossing(game, known[field_name(name)])


def potential_weights(game: Game[Any], potential: Mapping[str, float]) -> NDArray[np.float32]:
    """The potential as weights of an observation's features, float32 (codec.size,): P(state) = observation @ weights.

    `nenette_agents.environments.shaping` shapes rewards by it.

    Args:
        game: whose observations they are.
        potential: for each field of the observation, or each pattern such as `*_has_been_stood_on`, what a unit of the
            field's value adds.

    Raises:
        ValueError: a pattern that no field matches, or a field whose features are not a number or a bit.
    """
    blocks = []
    found = set()
    for feature in game.codec.features:
        matched = [pattern for pattern in potential if fnmatchcase(field_name(feature.name), field_name(pattern))]
        found.update(matched)
        if matched and not np.array_equal(feature.table, np.eye(feature.values)) and feature.table.shape != (2, 1):
            raise ValueError(
                f"the field {field_name(feature.name)} is no number, and a potential is made of numbers and bits"
            )
        values = feature.table.argmax(axis=0) if matched else np.zeros(feature.table.shape[1])
        blocks.append(sum(potential[pattern] for pattern in matched) * values)
    for pattern in potential:
        if pattern not in found:
            names = list(map(field_name, game.codec.names))
            raise ValueError(f"no field of {game.name} is called {shown(pattern)}{nearest(pattern, names)}")
    return np.concatenate(blocks).astype(np.float32)
