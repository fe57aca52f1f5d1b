"""Luck in 421 for three: the part of it that falls in the charge, where nobody decides anything.

How the fiches lie when the décharge begins is luck alone, whoever plays. What it is worth, less what the manche was
worth when it began, is therefore 0 on average, exactly, by whatever values it is measured. Taken from the returns, it
leaves their mean as it is and makes them vary less. It is measured by the exact values of a table of cautious players.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import Unsolvable
from nenette.exact.behaviours import Floats
from nenette.exact.quatre21_many import PlayedMatch
from nenette.exact.quatre21_played import TablePlayer
from nenette.games import Game
from nenette.games.identity import SameGame
from nenette.games.quatre21 import State
from nenette.policies.policy import Probabilities
from nenette.policies.quatre21 import Cautious

__all__ = ["MEASURED_BY", "ChargeLuck", "charge_luck"]

MEASURED_BY = "the charge"


class ChargeLuck:
    """A seat's luck in the charges of games that are played: see `nenette.matches.sampled.Witness`.

    Attributes:
        luck: float64 (games,), in units of a return.
    """

    luck: Floats

    def __init__(self, match: PlayedMatch, seat: int) -> None:
        self.match, self.seat = match, seat

    def began(self, states: Sequence[State]) -> None:
        """See `Witness`."""
        self.before = list(states)
        self.manche = list(states)
        self.luck = np.zeros(len(states))

    def moved(
        self, games: NDArray[np.int64], probabilities: Probabilities, actions: NDArray[np.int64], after: list[State]
    ) -> None:
        """See `Witness`."""
        for i, state in zip(games.tolist(), after, strict=True):
            before, ended = self.before[i], state.manches != self.before[i].manches
            if before.bank and (ended or not state.bank):
                self.luck[i] += self._value(state) - self._value(self.manche[i])
            if ended:
                self.manche[i] = state
            self.before[i] = state

    def _value(self, state: State) -> float:
        returns = self.match.game.returns(state)
        if returns is not None:
            return returns[self.seat]
        lost = float(self.match.losing_from(state)[self.seat])
        return (1.0 - lost) / (len(state.manches) - 1) - lost


def charge_luck(game: Game[Any]) -> Callable[[int], ChargeLuck]:
    """What makes a witness for a seat.

    Raises:
        Unsolvable: this is not 421 for two or three, never cut.
    """
    if game.max_turns is not None:
        raise Unsolvable(f"{game.name} is cut here, and its luck is known where it is not")
    match = _cautious(SameGame.of(game))
    return lambda seat: ChargeLuck(match, seat)


@lru_cache(maxsize=4)
def _cautious(same: SameGame) -> PlayedMatch:
    game: Any = same.game
    policy = Cautious(game)
    return PlayedMatch(game, [TablePlayer(policy.action_probabilities, policy.looks_at)] * game.players)
