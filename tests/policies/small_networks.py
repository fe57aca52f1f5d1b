"""Networks to test with."""

from itertools import pairwise
from typing import Any

import numpy as np

from nenette.games import Game
from nenette.policies import NetworkPolicy


def small_network(game: Game[Any], hidden: tuple[int, ...] = (5,), seed: int = 0, **options: Any) -> NetworkPolicy:
    """A network with random weights."""
    rng = np.random.default_rng(seed)
    sizes = [game.codec.size, *hidden, game.n_actions]
    layers = [
        (rng.normal(size=(outputs, inputs)).astype(np.float32), rng.normal(size=outputs).astype(np.float32))
        for inputs, outputs in pairwise(sizes)
    ]
    return NetworkPolicy(game, layers, **options)
