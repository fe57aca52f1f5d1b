"""The policy that takes legal actions at random."""

from typing import Any

import numpy as np

from nenette.games import Game
from nenette.policies.policy import Masks, Observations, Probabilities
from nenette.policies.registry import ANY_GAME, register


@register(ANY_GAME, "random")
class RandomPolicy:
    """Each legal action equally often."""

    name = "random"
    looks_at: tuple[str, ...] = ()
    """See `nenette.policies.rule_of_thumb.RuleOfThumb`: masks are no fields."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """Probabilities of each action; see `Policy`."""
        legal = (masks != 0).astype(np.float64)
        probabilities: Probabilities = legal / legal.sum(axis=1, keepdims=True)
        return probabilities
