"""Luck taken out of played games, so that few games say as much as many.

Let V be any function of the state (and of the turns taken) that was fixed before a game is played, V = the result at
the end; and let Q(s, a) be the mean of V over what action a leads to from s, by the probabilities of the rules. Then
for every game, whoever plays it,

    result = V₀ + luck + draws + Σ (Σₐ π(a|s) Q(s, a) − V(s)) + (result − V of the last state),

    luck  = V(first state) − V₀ + Σ (V(s') − Q(s, a)),  over all that fell, with V₀ the mean of V(first state);
    draws = Σ (Q(s, a) − Σₐ π(a|s) Q(s, a)),  over the actions drawn from the probabilities π that a player gave.

Each term of luck has mean 0 given all that went before, since the dice have the probabilities of the rules; so has
each term of draws, since the action was drawn from π. Both are sums of martingale differences that end when the game
does (which is decided by what has happened), so their means are 0 exactly, however bad V is, and whether or not the
game was cut (the last bracket is 0 unless it was). Hence `result − luck − draws` has the very mean of `result`, and
the better V predicts what lies ahead, the less it varies. An opaque agent gives the probabilities 0 and 1: then draws =
0 and its decisions stay in, as Σ (Q(s, a) − V(s)).

The method is that of backgammon's luck-adjusted results and, with the draws, AIVAT's (Burch, Schmid, Moravčík, Morrill
and Bowling, *AIVAT: a new variance reduction technique for agent evaluation in imperfect information games*, 2018).
There V is a guess; here it is exact, for the play that it is about (`nenette.exact.forecast`). With V for optimal play,
V*, two perfect players' games have no variance at all. Where a weak player meets a strong one, V* predicts badly, and V
for the play observed in games played before predicts far better (`nenette.matches.observed`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import AnswerKey
from nenette.exact.forecast import Forecast
from nenette.games import Game
from nenette.policies.policy import Probabilities

__all__ = ["LuckMeter", "Step", "Tracker"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Step:
    """One action in each of n games, as the answer key numbers states and rows.

    Attributes:
        turn: how many actions each of the games has seen before.
        games: int64 (n,), which games.
        state: int64 (n,), where it was taken, and `side` by whom: 0 the player at the seat in question, 1 the other.
        rows: int64 (n, n_actions), the rows of all actions there; -1 for an action that is not legal.
        taken: int64 (n,), the row of the action.
        probabilities: float64 (n, n_actions), what the action was drawn from.
        after: int64 (n,), the next state, and `after_side` its side; anything where the game has ended.
        result: float64 (n,), the game's result for the seat in question; NaN while it goes on.
    """

    __slots__ = ("after", "after_side", "games", "probabilities", "result", "rows", "side", "state", "taken", "turn")

    turn: int
    games: Ints
    state: Ints
    side: Ints
    rows: Ints
    taken: Ints
    probabilities: Probabilities
    after: Ints
    after_side: Ints
    result: Floats


class Tracker:
    """A witness of played games (see `nenette.matches.play`) that finds them in the answer key.

    Args:
        key: the game's.
        seat: where player A sits, whose results and values these are.
    """

    def __init__(self, key: AnswerKey, seat: int) -> None:
        self.key, self.seat = key, seat
        self._game: Game[Any] = key.model.game

    def began(self, states: Sequence[Any]) -> None:
        """See `nenette.matches.sampled.Witness`."""
        self._turn = 0
        self._state, self._side, _ = self._find(states)

    def moved(self, games: Ints, probabilities: Probabilities, actions: Ints, after: list[Any]) -> None:
        """See `nenette.matches.sampled.Witness`."""
        step = Step()
        step.turn, step.games, step.probabilities = self._turn, games, probabilities
        step.state, step.side = self._state[games], self._side[games]
        step.rows = self.key.rows[step.state]
        step.taken = step.rows[np.arange(len(games)), actions]
        step.after, step.after_side, step.result = self._find(after)
        self._saw(step)
        self._state[games], self._side[games] = step.after, step.after_side
        self._turn += 1

    def _saw(self, step: Step) -> None:
        raise NotImplementedError

    def _find(self, states: Sequence[Any]) -> tuple[Ints, Ints, Floats]:
        """Index and side of each state, and the result where the game has ended there."""
        game = self._game
        index, side = np.zeros(len(states), dtype=np.int64), np.zeros(len(states), dtype=np.int64)
        result = np.full(len(states), np.nan)
        going_on, fields = [], []
        for i, state in enumerate(states):
            returns = game.returns(state)
            if returns is not None:
                result[i] = returns[self.seat]
                continue
            mover = game.seat(state)
            going_on.append(i)
            fields.append(game.encode(state, mover))
            side[i] = mover != self.seat
        if going_on:
            index[going_on] = self.key.index(np.array(fields))
        return index, side, result


class LuckMeter(Tracker):
    """Adds up the luck of games while they are played, in player A's favour.

    Attributes:
        start: float64 (forecasts,), V₀ by each forecast.
        luck: float64 (forecasts, games), as the module's text has it.
        draws: float64 (forecasts, games), likewise.
        decisions: float64 (forecasts, games), the sum over decisions, likewise.
        last: float64 (forecasts, games), V of each game's last state: its result unless it was cut.

    Args:
        key: the game's.
        seat: where A sits.
        games: how many are played.
        forecasts: each a V, of A's play and the other's.
    """

    def __init__(self, key: AnswerKey, seat: int, games: int, forecasts: Sequence[Forecast]) -> None:
        super().__init__(key, seat)
        self._forecasts = list(forecasts)
        shape = (len(self._forecasts), games)
        self.start = np.zeros(shape[0])
        self.luck, self.draws, self.decisions, self.last = (np.zeros(shape) for _ in range(4))

    def began(self, states: Sequence[Any]) -> None:
        """See `nenette.matches.sampled.Witness`."""
        super().began(states)
        beginning = self._game.initial()
        first, side, _ = self._find(beginning.outcomes)
        probabilities = np.array(beginning.weights) / beginning.total
        for k, forecast in enumerate(self._forecasts):
            values, _ = forecast.at(0)
            self.start[k] = probabilities @ values[first, side]
            self.last[k] = values[self._state, self._side]
            self.luck[k] = self.last[k] - self.start[k]

    def _saw(self, step: Step) -> None:
        over = ~np.isnan(step.result)
        for k, forecast in enumerate(self._forecasts):
            values, rows = forecast.at(step.turn)
            later, _ = forecast.at(step.turn + 1)
            taken = rows[step.taken, step.side]
            # Illegal actions have the probability 0, whatever row -1 is worth.
            worth = rows[step.rows, step.side[:, None]]
            mean = (step.probabilities * worth).sum(axis=1) / step.probabilities.sum(axis=1)
            came = np.where(over, step.result, later[step.after, step.after_side])
            self.luck[k, step.games] += came - taken
            self.draws[k, step.games] += taken - mean
            self.decisions[k, step.games] += mean - values[step.state, step.side]
            self.last[k, step.games] = came
