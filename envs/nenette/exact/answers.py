"""What any way of playing is worth, exactly: its results, its exploitability and its regret."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette.exact.chain import PolicyEvaluator, by_side, sweep
from nenette.exact.forecast import (
    MAX_FORECAST,
    Forecast,
    best_response_within,
    chances_within,
    forecast,
    forecast_within,
)
from nenette.exact.model import Floats, Ints, Model
from nenette.exact.models import model_of
from nenette.exact.responses import Response, Unsolvable, best_response
from nenette.exact.solution import solve_for_two
from nenette.exact.state_keys import find_states
from nenette.exact.sweeps import FIXED
from nenette.games import Game
from nenette.games.identity import SameGame

ActionProbabilities = Callable[[NDArray[np.float32], NDArray[np.int8]], Floats]
"""From observations (n, d) and masks (n, n_actions) to probabilities of actions (n, n_actions)."""

_CHUNK = 65536


class Result(NamedTuple):
    """Results of a player against another, over both seats equally often.

    Attributes:
        win: probability of winning.
        draw: probability that the game never ends, is cut, or ends without a winner.
        loss: probability of losing.
        first: win less loss when it begins.
        second: win less loss when the other begins.
    """

    win: float
    draw: float
    loss: float
    first: float
    second: float

    @property
    def value(self) -> float:
        """Win less loss."""
        return (self.first + self.second) / 2


class AnswerKey:
    """All that is needed to score policies in a game for two, made once.

    Play is a *behaviour*: float64, (n_rows,), the probability of each row of `model` in its state. Where a game can be
    kept going for ever, probabilities below `nenette.exact.model.RARE` count as 0 in all figures of the endless
    game (`n_rare` counts them), and as they are in all figures of a game that is cut.

    Attributes:
        model: the game, endless where it can be.
        optimum: the behaviour of the solver's optimal play.
        epsilon: the probability with which a hand trembles in the game that was solved for `optimum`; 0: never.
        values: float64, (n_states,): what each state is worth to its mover under optimal play of both, in the game that
            was solved for `optimum`.
        row_regrets: float64, (n_rows,): what each row gives away under optimal play from then on, see `regret`.
    """

    def __init__(self, game: Game[Any]) -> None:
        self.model = model = model_of(game)
        self._evaluator = PolicyEvaluator(model)
        solution = solve_for_two(game, model=model)
        actions = solution.actions_of(model.fields)
        rows = np.flatnonzero(model.row_action == actions[model.row_state])
        self.optimum = model.pure(rows)
        self.epsilon = epsilon = float(solution.facts.get("epsilon", 0.0))
        # Regret is about the game that the optimum is the optimum of.
        self._judged = judged = model.trembling(epsilon) if epsilon else model
        self._judge = PolicyEvaluator(judged) if epsilon else self._evaluator
        values = _values(judged, self._judge, self.optimum)
        self.values, self.row_regrets = values[:, 0], _regrets(judged, values)

    def index(self, fields: NDArray[np.integer]) -> Ints:
        """int64, (n,): where states stand in `model`, from their fields as their mover sees them, (n, fields).

        Raises:
            ValueError: one of them is not a state of the game before a move.
        """
        keys, order = self._keys
        asked = self.model.game.codec.keys(fields)
        index: Ints = order[find_states(keys, asked, self.model.game)]
        return index

    @cached_property
    def _keys(self) -> tuple[Ints, Ints]:
        keys = self.model.game.codec.keys(self.model.fields)
        order = np.argsort(keys)
        return keys[order], order

    @cached_property
    def rows(self) -> Ints:
        """int64, (n_states, n_actions): the row of each action of each state; -1 where it is not legal."""
        model = self.model
        rows = np.full((model.n_states, model.game.n_actions), -1, dtype=np.int64)
        rows[model.row_state, model.row_action] = np.arange(model.n_rows)
        return rows

    def forecast(self, player: Floats, opponent: Floats, *, max_turns: int | None = None) -> Forecast:
        """What the game is worth to `player` against `opponent` wherever it stands: see `nenette.exact.forecast`.

        With `max_turns`, the game is the one that is cut then, where that can be computed (`can_be_cut`).
        """
        if max_turns is not None and max_turns <= MAX_FORECAST and self.can_be_cut:
            return forecast_within(self.model, player, opponent, max_turns)
        without_rare = self.model.without_rare
        return forecast(self._evaluator, without_rare(player), without_rare(opponent))

    def n_rare(self, behaviour: Floats) -> int:
        """How many probabilities count as 0 in the endless game, for they are below `nenette.exact.model.RARE`."""
        return 0 if self.model.always_ends else int(self.model.rare(behaviour).sum())

    def tabulate(self, action_probabilities: ActionProbabilities) -> Floats:
        """The behaviour of a policy: asks it about every state in which there is something to decide."""
        model = self.model
        states = np.flatnonzero(model.decides)
        probabilities = np.empty((len(states), model.game.n_actions))
        for low in range(0, len(states), _CHUNK):
            chunk: Ints = states[low : low + _CHUNK]
            observations = model.game.codec.encode(model.fields[chunk])
            probabilities[low : low + _CHUNK] = action_probabilities(observations, model.masks(chunk))
        return model.behaviour(states, probabilities)

    def result(self, player: Floats, opponent: Floats, *, max_turns: int | None = None) -> Result:
        """Chances of `player` against `opponent`; play that never ends is a draw.

        With `max_turns`, in the game that is cut, and drawn, after so many turns of both together.

        Raises:
            ValueError: `max_turns` is given, and not every action of this game is a turn.
        """
        model = self.model
        if max_turns is not None:
            self._check_can_be_cut()
            won, lost = chances_within(model, player, opponent, max_turns)[:, model.start]
        else:
            # On side 1 the opponent moves: its losses are the player's wins.
            wins = np.stack([model.win, model.loss], axis=1)
            both = model.without_rare(player), model.without_rare(opponent)
            won, lost = self._evaluator.totals(both, [wins, wins[:, ::-1]])[:, model.start]
        first, second = (won - lost).tolist()
        win, loss = float(won.mean()), float(lost.mean())
        draw = max(0.0, 1.0 - win - loss) if max_turns is not None or self._can_be_drawn else 0.0
        return Result(win, draw, loss, first, second)

    @cached_property
    def _can_be_drawn(self) -> bool:
        """Whether a game may never end, or end without a winner."""
        model = self.model
        return not model.always_ends or bool((model.ends > model.win + model.loss + 1e-9).any())

    def best_response(self, opponent: Floats) -> Response:
        """The best play against `opponent`; its values say what it gets."""
        return best_response(self.model, self.model.without_rare(opponent), self._evaluator)

    def exploitability(self, player: Floats) -> float:
        """What the best response to `player` wins, win less loss, over both seats equally often: 0 at the optimum.

        This is the exploitability of the field (half of NashConv): by symmetry the game itself is worth 0 over both
        seats.
        """
        return float(self.best_response(player).values[self.model.start].mean())

    @cached_property
    def can_be_cut(self) -> bool:
        """Whether every action of the game is a turn, so that a cut after some turns is one after as many actions."""
        game = self.model.game
        return all(game.starts_turn(game.decode(fields)) for fields in self.model.fields)

    def _check_can_be_cut(self) -> None:
        if not self.can_be_cut:
            name = self.model.game.name
            raise ValueError(f"a turn of {name} can be several actions: it is not scored with a cut here")

    def best_response_within(self, player: Floats, turns: int) -> Floats:
        """float64, (2,): what the best response wins where the game is cut after so many turns, by the seat it has.

        The best response counts the turns. In an endless game it can wait for a mistake for ever, and nearly every
        policy is fully exploitable; here it cannot, and policies that err more rarely have a smaller one.

        Raises:
            ValueError: not every action of this game is a turn.
        """
        self._check_can_be_cut()
        by_seat: Floats = best_response_within(self.model, player, turns)[self.model.start]
        return by_seat

    def regret(self, player: Floats, opponent: Floats) -> float:
        """What `player` gives away at each decision, on average over the decisions it meets against `opponent`.

        A decision's regret is the value of the best action less that of the action taken, both followed by optimal
        play. The mean is over all decisions that `player` meets in a game against `opponent`, each as often as it is
        met, both seats counted equally: what is given away in a game, over the decisions in it. States with a single
        action are no decisions. It is measured in the game that was solved for the optimum, for demi-iles the one
        with trembling hands, which is played to its end and not cut. In units of the outcome: a win is +1, a loss -1.
        """
        ((lost, decisions),) = self.given_away(player, opponent, [np.ones(self.model.n_states, dtype=np.bool_)])
        return lost / decisions if decisions > 0 else 0.0

    def given_away(
        self, player: Floats, opponent: Floats, parts: Sequence[NDArray[np.bool_]]
    ) -> list[tuple[float, float]]:
        """What `player` gives away in a whole game, and how many decisions it meets, in each part of the states.

        Args:
            player: a behaviour.
            opponent: whom it plays against, both beginning equally often.
            parts: each bool (n_states,): which states are counted.
        """
        model, nothing = self._judged, np.zeros(self._judged.n_rows)
        decision = self.model.decides[model.row_state].astype(float)
        counted = [part[model.row_state] * decision for part in parts]
        quantities = [np.stack([own, nothing], axis=1) for each in counted for own in (each * self.row_regrets, each)]
        totals = self._judge.totals((player, opponent), quantities)[:, model.start].mean(axis=1)
        return [(float(lost), float(decisions)) for lost, decisions in totals.reshape(-1, 2)]

    def visits(self, player: Floats, opponent: Floats) -> Floats:
        """float64, (n_states,): how often `player` is to move in each state in a game against `opponent`.

        Both begin equally often. It is about the game that `regret` is about: what is given away there in a state is
        its visits times `regrets_of`.
        """
        model = self._judged
        start = np.zeros((model.n_entries, model.sides))
        start[model.start] = 1.0 / model.sides
        met: Floats = self._judge.visits((player, opponent), start)[:, 0]
        return met

    def regrets_of(self, player: Floats) -> Floats:
        """float64, (n_states,): what `player` gives away at each visit to a state; see `regret`."""
        given_away: Floats = np.add.reduceat(player * self.row_regrets, self.model.row_start[:-1])
        return given_away

    def discounted(self, player: Floats, opponent: Floats, gamma: float) -> Floats:
        """float64, (n_rows,): what each row is worth to `player` where what comes later is discounted.

        Whatever happens after the player's next decision counts `gamma` as much, after the one that follows that
        gamma² as much, and so on: a learner's return, if each decision is a step. The game is not cut; play that never
        ends is worth 0.
        """
        model = self.model
        decisions = model.decides[model.row_state]
        both = (np.where(decisions, gamma * player, player), opponent)
        chain = self._evaluator.chain(both, [by_side(model, model.payoff)])
        if gamma < 1:  # a game that goes on counts less: the rest of its probability leaves the chain
            chain = replace(chain, ends=np.maximum(0.0, 1.0 - chain.step.sum(axis=1)))
        entries = chain.expectations().T.reshape(model.sides, model.n_entries).T
        no_choice = np.empty((model.n_states, model.sides), dtype=np.int64)
        values, _ = sweep(model, entries, (FIXED, FIXED), no_choice, both)
        return model.action_values(values)


@lru_cache(maxsize=4)  # that of a match of 421 takes some 200 MB
def _answer_key(same: SameGame) -> AnswerKey:
    return AnswerKey(same.game)


def answer_key(game: Game[Any]) -> AnswerKey:
    """The answer key of `game`, made on first use.

    Raises:
        Unsolvable: the game cannot be solved.
    """
    if game.players == 1:
        raise Unsolvable(f"{game.name} is played alone, and answer keys are of games for two")
    return _answer_key(SameGame.without_cut(game))


def _values(model: Model, evaluator: PolicyEvaluator, optimum: Floats) -> Floats:
    """float64, (n_states, sides): values under optimal play, on each side those of the player at side 0."""
    (entries,) = evaluator.totals((optimum, optimum), [by_side(model, model.payoff)])
    no_choice = np.empty((model.n_states, model.sides), dtype=np.int64)
    values, _ = sweep(model, entries, (FIXED, FIXED), no_choice, (optimum, optimum))
    return values


def _regrets(model: Model, values: Floats) -> Floats:
    """float64, (n_rows,): value of each state less that of each of its rows, under optimal play."""
    regrets: Floats = (values[model.row_state, 0] - model.action_values(values)).clip(min=0.0)
    return regrets
