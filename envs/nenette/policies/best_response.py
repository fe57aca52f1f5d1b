"""The best response to a policy, itself a policy: `best-response:NAME`."""

from functools import lru_cache
from typing import Any

import numpy as np

from nenette.exact.state_keys import find_states
from nenette.games import Game
from nenette.games.identity import SameGame
from nenette.policies.policy import Masks, Observations, Policy, Probabilities, name_of
from nenette.policies.registry import make_policy, names_at_table

__all__ = ["BEST_RESPONSE", "BestResponsePolicy", "best_response_to"]

BEST_RESPONSE = "best-response:"
"""What the name of a best response begins with; then comes whom it responds to."""


_PLAYERS = 2


class BestResponsePolicy:
    """Wins as much against one other policy as anybody can: that policy's exploitability, exactly.

    It has the other's probabilities in every state from the start, and answers with the best action, from either seat.
    In demi-iles, which it may keep going for as long as it likes, it waits for mistakes and then leaves the cycle: what
    it wins is about the game that is not cut.

    Args:
        game: what is played, by two.
        other: whom it responds to; asked about every state once, now.

    Raises:
        Unsolvable: the game is not one of those that are solved.
        ValueError: the game is played alone.
    """

    fixed = True

    def __init__(self, game: Game[Any], other: Policy) -> None:
        from nenette.exact import Unsolvable, answer_key  # the solver is not imported before somebody plays by it

        if game.players == 1:
            raise ValueError(
                f"{BEST_RESPONSE}{name_of(other)}: {game.name} is played alone, so there is nobody to respond to"
            )
        if game.players > _PLAYERS:
            raise Unsolvable(
                f"there is no {BEST_RESPONSE}{name_of(other)} among {game.players} players of {game.name}, only "
                f"between two; these can sit there: {', '.join(names_at_table(game))}"
            )
        key = answer_key(game)
        model = key.model
        rows = key.best_response(key.tabulate(other.action_probabilities)).rows
        keys = game.codec.keys(model.fields)
        order = np.argsort(keys)
        self.name = f"{BEST_RESPONSE}{name_of(other)}"
        self.game = game
        self._keys = keys[order]
        self._actions = model.row_action[rows][order].astype(np.int8)

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """One action for certain in every state; see `nenette.policies.Policy`.

        Raises:
            ValueError: an observation is not of a state in which this seat is to move.
        """
        keys = self.game.codec.keys(self.game.codec.decode(observations))
        where = find_states(self._keys, keys, self.game)
        probabilities = np.zeros(masks.shape)
        probabilities[np.arange(len(probabilities)), self._actions[where]] = 1.0
        return probabilities


def best_response_to(name: str, game: Game[Any]) -> BestResponsePolicy:
    """The best response to the registered policy `name`, found once for all who ask."""
    return _best_response_to(name, SameGame.of(game))


@lru_cache(maxsize=16)
def _best_response_to(name: str, same: SameGame) -> BestResponsePolicy:
    return BestResponsePolicy(same.game, make_policy(name, same.game))
