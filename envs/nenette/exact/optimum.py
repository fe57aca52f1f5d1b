"""What is known of a solved game, however its table is stored."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact.certified import exact_figures
from nenette.exact.model import Floats
from nenette.games import Game

__all__ = ["Optimum"]


@dataclass(frozen=True, eq=False)
class Optimum(ABC):
    """Optimal play of a game and its value.

    Attributes:
        game: what was asked for.
        facts: what was found, as `nenette solve --json` prints it, but for the time it took.
        seconds: how long it took to compute or to read, this time.
        cached: whether it was read from the cache.
    """

    game: Game[Any]
    facts: dict[str, Any]
    seconds: float
    cached: bool

    @abstractmethod
    def actions_of(self, fields: NDArray[np.integer]) -> NDArray[np.int8]:
        """int8, (n,): an optimal action in each of the states with these fields of `game`, (n, fields).

        Raises:
            ValueError: a state was given in which nothing is left to decide.
        """

    @abstractmethod
    def values_of(self, fields: NDArray[np.integer]) -> Floats:
        """float64, (n,): what these states are worth to whoever is to move there, under optimal play."""

    def report(self) -> dict[str, Any]:
        """One JSON object: game, states, value, seconds and what else is known, exactly where it has been certified."""
        known = {**self.facts, **exact_figures(self.game)}
        return {"game": self.game.name, **known, "seconds": round(self.seconds, 4), "cached": self.cached}
