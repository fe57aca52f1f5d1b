"""Games under every rules variant, the decisions that come up in them, and how a policy answers one."""

from typing import Any

import numpy as np

from nenette.games import Game, make_game
from nenette.policies import Masks, Observations, Policy

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("demi-iles-solo", {}),
    ("demi-iles", {}),
    *[("demi-iles", {"players": players}) for players in range(3, 7)],
    ("421", {}),
    ("421", {"manches_to_lose": 1}),
    ("421", {"fiches": 21, "value_of_421": 10}),
    ("421", {"nenette": 0}),
    ("421", {"nenette_in_decharge": False}),
    ("421", {"next_manche_leader": "opening"}),
    ("421", {"followers": "exactly"}),
    ("421", {"kept_dice": "frozen"}),
    ("421", {"followers": "exactly", "kept_dice": "frozen"}),
]


def decisions(game: Game[Any], steps: int = 3000, seed: int = 0) -> tuple[Observations, Masks]:
    """Distinct decisions met in so many steps of random play: observations (n, size) and masks (n, n_actions)."""
    rng = np.random.default_rng(seed)
    state, met = game.initial().sample(rng), dict[tuple[int, ...], tuple[int, ...]]()
    for _ in range(steps):
        if game.returns(state) is not None:
            state = game.initial().sample(rng)
        legal = game.legal_actions(state)
        if len(legal) > 1:
            met[game.encode(state, game.seat(state))] = legal
        state = game.sample(state, int(rng.choice(legal)), rng)
    masks = np.array([[a in legal for a in range(game.n_actions)] for legal in met.values()], dtype=np.int8)
    return game.codec.encode(np.array(list(met))), masks


def answer(policy: Policy, game: Game[Any], state: Any) -> int:
    """The action that a deterministic policy takes in `state`."""
    observation = game.codec.encode_one(game.encode(state, game.seat(state)))
    mask = np.zeros((1, game.n_actions), dtype=np.int8)
    mask[0, list(game.legal_actions(state))] = 1
    probabilities = policy.action_probabilities(observation[None], mask)
    assert probabilities.max() == 1
    return int(probabilities.argmax())


def game_id(variant: object) -> str:
    """A test's name for one of `VARIANTS`."""
    if isinstance(variant, tuple):
        name, rules = variant
        return "-".join([name, *(f"{rule}={value}" for rule, value in rules.items())])
    return str(variant)


def made(variant: tuple[str, dict[str, Any]]) -> Game[Any]:
    """The game of one of `VARIANTS`."""
    name, rules = variant
    return make_game(name, **rules)
