"""The solver's optimal play."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.policies.policy import Masks, Observations, Probabilities
from nenette.policies.registry import ANY_GAME, register

_MOST_PLAYERS = 3


@register(ANY_GAME, "optimal")
class OptimalPolicy:
    """Plays the solution of the game, which is looked up in the cache, or found now and cached.

    For demi-iles it is the optimum with trembling hands: see `nenette.exact.solution`; with three players it is the
    equilibrium that was found there.

    Raises:
        Unsolvable: the game with these rules is not solved here.
    """

    name = "optimal"
    fixed = True

    def __init__(self, game: Game[Any]) -> None:
        from nenette.exact import Unsolvable, solve  # the solver is not imported before somebody plays by it

        if game.players > _MOST_PLAYERS:
            raise Unsolvable(
                f"nobody knows how to play {game.name} best with {game.players} players: two have an optimum here, and "
                "three an equilibrium"
            )
        self._game = game
        self._solution = solve(game)

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """One action for certain in every state; see `nenette.policies.Policy`."""
        probabilities = np.zeros(masks.shape)
        probabilities[np.arange(len(probabilities)), self.actions_of(self._game.codec.decode(observations))] = 1.0
        return probabilities

    def actions_of(self, fields: NDArray[np.integer]) -> NDArray[np.int8]:
        """The same actions, int8 (n,), from fields that were decoded from observations, (n, fields)."""
        return self._solution.actions_of(fields)

    def __reduce__(self) -> tuple[Callable[[Game[Any]], "OptimalPolicy"], tuple[Game[Any]]]:
        return OptimalPolicy, (self._game,)


@register("demi-iles", "equilibrium", least_players=3, most_players=_MOST_PLAYERS)
class EquilibriumPolicy(OptimalPolicy):
    """An equilibrium of three selfish players with trembling hands: see `nenette.exact.many.equilibrium`.

    Raises:
        Unsolvable: none is known with so many players.
    """

    name = "equilibrium"

    def __reduce__(self) -> tuple[Callable[[Game[Any]], OptimalPolicy], tuple[Game[Any]]]:
        return EquilibriumPolicy, (self._game,)
