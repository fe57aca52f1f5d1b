"""The exact results of a profile: how often each seat wins, and what it could gain by playing otherwise.

A *profile* names a way of playing for each seat. What a best response at a seat gets more than the profile gives it is
that seat's gain; the sum of all gains is NashConv, which is 0 where nobody has a reason to play otherwise.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from nenette.exact.many.chain import Round, RoundSystem
from nenette.exact.many.model import ManyModel, many_model
from nenette.exact.many.responses import ManyResponse, respond, respond_within
from nenette.exact.model import Floats
from nenette.games import Game
from nenette.games.identity import SameGame

__all__ = ["ManyKey", "Standing", "many_key", "turned"]

ActionProbabilities = Callable[[NDArray[np.float32], NDArray[np.int8]], Floats]
T = TypeVar("T")
_CHUNK = 65536


def turned(table: Sequence[T], seat: int) -> list[T]:
    """What belongs to each seat, in the same order round the table but with the first at `seat`."""
    return [table[(at - seat) % len(table)] for at in range(len(table))]


class Standing(NamedTuple):
    """The exact results of a profile, from the start of the game.

    Attributes:
        wins: each seat's probability of winning.
        never: the probability that nobody wins: that the game never ends, or is cut.
        values: each seat's expected return.
    """

    wins: list[float]
    never: float
    values: list[float]


class ManyKey:
    """Everything that scoring a profile of one game needs.

    Play is a *behaviour*: float64, (n_rows,), the probability of each row of `model` in its state. Where the same
    behaviour (the same object) sits at all seats, one linear system serves them all.

    Attributes:
        model: the game, endless where it can be.
    """

    def __init__(self, model: ManyModel) -> None:
        self.model = model

    def tabulate(self, action_probabilities: ActionProbabilities) -> Floats:
        """The behaviour of a policy: asks it about every state."""
        model = self.model
        probabilities = np.empty((model.n_states, model.game.n_actions))
        masks = model.masks
        for low in range(0, model.n_states, _CHUNK):
            chunk = slice(low, low + _CHUNK)
            observations = model.game.codec.encode(model.fields[chunk])
            probabilities[chunk] = action_probabilities(observations, masks[chunk])
        return model.behaviour(probabilities)

    def standing(self, behaviours: Sequence[Floats]) -> Standing:
        """The exact results of a profile, one behaviour a seat; play that never ends is worth nothing to anybody."""
        n = self.model.players
        behaviours = self._without_rare(behaviours)
        play = Round.of(self.model, behaviours)
        system = RoundSystem(play)
        if all(behaviour is behaviours[0] for behaviour in behaviours):
            own = play.chances(0, system)
            chances = [turned(own, seat) for seat in range(n)]
        else:
            chances = [play.chances(seat, system) for seat in range(n)]
        return self._standing([self.at_start(values) for values in chances])

    def seat_by_seat(self, behaviours: Sequence[Floats]) -> list[tuple[float, float]]:
        """By the seat at which behaviours[0] sits, with all others after it in their order: its probabilities of
        winning and of a game without an end.
        """
        n = self.model.players
        play = Round.of(self.model, self._without_rare(behaviours))
        system = RoundSystem(play)
        wins = play.chances(0, system)
        never = [np.ones(self.model.n_states) for _ in range(n)]
        if system.always_ends:
            never = [np.zeros_like(values) for values in never]
        else:
            ends = system.solve([each.sum(axis=1) for each in play.wins])
            never = [(1.0 - values).clip(min=0.0) for values in ends]
        # Seen from behaviours[0], the game begins so many seats later.
        return [(self.at_start(turned(wins, p)), self.at_start(turned(never, p))) for p in range(n)]

    def _without_rare(self, behaviours: Sequence[Floats]) -> list[Floats]:
        """The behaviours without actions so rare that they count as never; what was one object stays one."""
        known = {id(behaviour): self.model.without_rare(behaviour) for behaviour in behaviours}
        return [known[id(behaviour)] for behaviour in behaviours]

    def standing_within(self, behaviours: Sequence[Floats], turns: int) -> Standing:
        """The exact results of a profile where the game is cut after so many turns of all, and then worth nothing."""
        n, model = self.model.players, self.model
        play = Round.of(model, behaviours)
        wins = np.zeros(n)
        for first in range(n):
            reached: Floats = np.zeros(model.n_states)
            for (state, seat), probability in model.starts.items():
                if seat == first:
                    reached[state] += probability
            if not reached.any():
                continue
            for turn in range(turns):
                mover = (first + turn) % n
                wins += np.roll(reached @ play.wins[mover], mover)
                reached = reached @ play.steps[mover]
        return self._standing(wins.tolist())

    def _standing(self, wins: list[float]) -> Standing:
        values = np.array(wins) @ self.model.prizes
        return Standing(wins, max(0.0, 1.0 - float(np.sum(wins))), values.tolist())

    def best_response(self, behaviours: Sequence[Floats], seat: int) -> ManyResponse:
        """The best play of `seat` against all others', its values being what `seat` gets."""
        return respond(self.model, self._without_rare(behaviours), [seat], seat)

    def best_values(self, behaviours: Sequence[Floats]) -> list[float]:
        """What the best response at each seat gets."""
        n = self.model.players
        if all(behaviour is behaviours[0] for behaviour in behaviours):
            # The others play alike, so a table turned by a seat is the same table.
            values = self.best_response(behaviours, 0).values
            return [self.at_start(turned(values, seat)) for seat in range(n)]
        return [self.at_start(self.best_response(behaviours, seat).values) for seat in range(n)]

    def best_values_within(self, behaviours: Sequence[Floats], turns: int) -> list[float]:
        """Likewise where the game is cut after so many turns; the best response counts them."""
        n = self.model.players
        if all(behaviour is behaviours[0] for behaviour in behaviours):
            values = respond_within(self.model, behaviours, 0, turns)
            return [self.at_start(turned(values, seat)) for seat in range(n)]
        return [self.at_start(respond_within(self.model, behaviours, seat, turns)) for seat in range(n)]

    def gains(self, behaviours: Sequence[Floats]) -> list[float]:
        """What each seat could gain by playing otherwise while all others play on: the sum is NashConv."""
        values = self.standing(behaviours).values
        return [best - value for best, value in zip(self.best_values(behaviours), values, strict=True)]

    def at_start(self, values: Sequence[Floats]) -> float:
        """The mean over the ways in which a game begins, of values by seat to move."""
        return float(sum(p * values[seat][state] for (state, seat), p in self.model.starts.items()))


@lru_cache(maxsize=2)  # that of four players takes some 100 MB
def _many_key(same: SameGame) -> ManyKey:
    return ManyKey(many_model(same.game))


def many_key(game: Game[Any]) -> ManyKey:
    """The key of `game`, made on first use.

    Raises:
        Unsolvable: the game is not one of those that are scored exactly for several players.
    """
    return _many_key(SameGame.without_cut(game))
