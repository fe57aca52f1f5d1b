"""States that uniformly random play runs into."""

from typing import Any

import numpy as np

from nenette.games import Game


def random_walk(game: Game[Any], steps: int, seed: int) -> list[Any]:
    """The distinct states met in `steps` random actions, in the order met, finished games among them."""
    rng = np.random.default_rng(seed)
    state, met = game.initial().sample(rng), {}
    for _ in range(steps):
        met[state] = None
        if game.returns(state) is not None:
            state = game.initial().sample(rng)
        else:
            state = game.sample(state, int(rng.choice(game.legal_actions(state))), rng)
    return list(met)
