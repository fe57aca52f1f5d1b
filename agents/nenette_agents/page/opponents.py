"""The opponents as they travel in the page: as tables of what they do, or as networks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nenette.games.demi_iles import DemiIles
from nenette.games.quatre21 import Quatre21
from nenette.matches.ladder import strength
from nenette.policies import load_opponent
from nenette.policies.network import NetworkPolicy
from nenette.policies.shipped import ladder_names, read_card
from nenette_agents.page import demi_iles, quatre21
from nenette_agents.page.packing import packed

__all__ = ["opponents"]


def opponents(game: DemiIles | Quatre21, working_on: Callable[[str], None] = lambda what: None) -> list[dict[str, Any]]:
    """All that come with the package, from weak to perfect: name, Elo, and what they do.

    Args:
        game: for two players, by the default rules.
        working_on: is called with the opponent that is being made.
    """
    cards = {name: read_card(game.name, name) for name in ladder_names(game.name)}
    listed = []
    for name in sorted(cards, key=lambda name: strength(cards[name])):
        working_on(f"{game.name}/{name}")
        policy = load_opponent(name, game)
        if name == "random":
            plays: dict[str, Any] = {"kind": "uniform"}
        elif isinstance(game, DemiIles):
            table = demi_iles.probabilities(game, policy).astype(np.float32)
            plays = {"kind": "probabilities", "probabilities": packed(table)}
        elif isinstance(policy, NetworkPolicy):
            plays = _network(policy)
        else:
            plays = {"kind": "actions", "actions": packed(quatre21.actions(game, policy))}
        elo = ((cards[name] or {}).get("figures") or {}).get("elo")
        listed.append({"name": name, "elo": elo, **plays})
    return listed


def _network(policy: NetworkPolicy) -> dict[str, Any]:
    if policy.crossed is not None:
        raise ValueError(f"{policy.name} crosses {policy.crossed!r} with all the rest, which the page cannot do")
    layers = [{"weight": packed(weight), "bias": packed(bias)} for weight, bias in policy.layers]
    return {"kind": "network", "activation": policy.activation, "head": policy.head, "layers": layers}
