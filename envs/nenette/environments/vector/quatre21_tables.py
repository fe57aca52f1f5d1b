"""421 as tables for compiled code, all of them filled by asking the rules.

A turn looks the same whatever the fiches are, and what a round does depends on its two throws only through which is
the worse and what is at stake. So a game stands at

- a *score*: the fiches de manche of the round's leader and of its follower;
- a *context*: the fiches of both and those in the bank;
- a *node*: where within a turn, the leader's or the follower's, in the charge or the décharge;

and besides there is who leads, and the leader's combination. Tests compare every step with the rules, for every rule.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.sampling_tables import NotCompilableError, sampling_table
from nenette.games import Distribution
from nenette.games.quatre21 import THROW, Quatre21, State
from nenette.games.quatre21_rules import COMBINATIONS, MAX_THROWS, Dice
from nenette.games.quatre21_turns import COMBINATION_INDEX, kinds_of_rounds

__all__ = ["N_COMBINATIONS", "Contexts", "Nodes", "Scores"]

N_COMBINATIONS = len(COMBINATIONS)
_ANY = COMBINATIONS[0]
"""Stands for whatever the leader has thrown."""

Table = NDArray[np.int32]


class Nodes:
    """Positions within turns, and where actions and dice lead.

    A *way* is a node, or the end of the turn with a combination: -1 - (combination + 64 * k), k being the
    number of the follower's turn that comes next (0 after the follower's turn).

    Attributes:
        states: an example of each, with any fiches.
        starts: bool, (nodes,): whether a turn begins here.
        legal: int64, (nodes,): legal actions as bits.
        draw: int64, (nodes, 8): what is drawn when an action is taken: of how many numbers one is (1: nothing is
            drawn), plus 2**16 times the place in `ways` where they begin. Dice that are taken up are thrown at once.
        ways: int32: the way of each number.
        follower_starts: int32: the node at which each follower's turn begins.
        charge_throws: int32, (2, numbers): in the charge, where both throw once, the combination of each number that is
            drawn, the leader's (0) and the follower's (1).
        charge_start, decharge_start: the nodes at which the leader's turn begins (-1: there is no décharge).
        same_limit_start: int32, (nodes,): of the follower's nodes in the décharge, the node at which the leader's turn
            begins if the next round has the limit of this one.
        fields: int32, (nodes, 4): throws allowed less one, throws made, dice, frozen dice, as in `Quatre21.encode`.
        decision: int64, (nodes,): a number among the deciding nodes of the leader, or of the follower.
        leader_decisions, follower_decisions: int64: the deciding nodes themselves.
    """

    def __init__(self, game: Quatre21, contexts: "Contexts") -> None:
        self._game = game
        self.states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._follower_starts: list[int] = []
        charge, decharge = contexts.example(charge=True), contexts.example(charge=False)
        self.charge_start = self._node(charge) if charge is not None else -1
        self.decharge_start = self._node(decharge) if decharge is not None else -1
        if decharge is not None and contexts.keeps_limits:
            for limit in range(1, decharge.limit):
                self._node(decharge._replace(limit=limit))
        draws: list[Distribution[int]] = []
        draw_of_hand: dict[int, int] = {}
        taken: list[list[int | None]] = []
        for number, state in enumerate(self.states):  # grows as it is read
            legal = game.legal_actions(state)
            drawn: Distribution[Any] = game.chance(state, legal[0])
            if drawn.outcomes[0] is None:
                taken.append([self._way(state, a, None) if a in legal else None for a in range(THROW + 1)])
            else:
                taken.append([number] * (THROW + 1))
                draw_of_hand[number] = len(draws)
                draws.append(self._ways(state, drawn))
        self.draw = np.zeros((len(self.states), THROW + 1), dtype=np.int64)
        certain: dict[int, int] = {}
        for row, ways in zip(self.draw, taken, strict=True):
            for action, way in enumerate(ways):
                if way in draw_of_hand:  # dice that were taken up are thrown at once: there is nothing else to do
                    row[action] = draw_of_hand[way]
                elif way is not None:
                    row[action] = certain.setdefault(way, len(draws) + len(certain))
        draws += [Distribution.certain(way) for way in certain]
        reached = sorted({way for distribution in draws for way in distribution.outcomes})
        table, totals = sampling_table(draws, reached)
        self.draw = (totals + (1 << 16) * np.cumsum([0, *totals[:-1]]))[self.draw]
        every = np.array(reached, dtype=np.int32)[table]
        self.ways = np.concatenate([row[:total] for row, total in zip(every, totals, strict=True)])
        self.follower_starts = np.array(self._follower_starts, dtype=np.int32)
        self.charge_throws = self._charge_throws()
        self.same_limit_start = np.zeros(len(self.states), dtype=np.int32)
        if decharge is not None and contexts.keeps_limits:
            for number, state in enumerate(self.states):
                if state.throws and not state.bank:
                    self.same_limit_start[number] = self._numbers[decharge._replace(limit=state.limit)]
        self.starts = np.array([game.starts_turn(s) for s in self.states])
        masks = [game.legal_actions(s) for s in self.states]
        self.legal = np.array([sum(1 << a for a in legal) for legal in masks], dtype=np.int64)
        decides = np.array([len(legal) > 1 for legal in masks])
        self.fields = np.array([game.encode(s, game.seat(s))[8:] for s in self.states], dtype=np.int32)
        follows = np.array([bool(s.throws) for s in self.states])
        if decides[[s.bank > 0 for s in self.states]].any():
            raise NotCompilableError
        self.leader_decisions = np.flatnonzero(decides & ~follows)
        self.follower_decisions = np.flatnonzero(decides & follows)
        self.decision = np.zeros(len(self.states), dtype=np.int64)
        for decisions in (self.leader_decisions, self.follower_decisions):
            self.decision[decisions] = np.arange(len(decisions))

    def _charge_throws(self) -> NDArray[np.int32]:
        leaders = self._only_ways(self.charge_start)
        follower, *others = set((leaders >> 6).tolist())
        if others:
            raise NotCompilableError
        followers = self._only_ways(self.follower_starts[follower])
        if leaders.shape != followers.shape:
            raise NotCompilableError
        return np.stack([leaders & 63, followers & 63])

    def _only_ways(self, node: int) -> NDArray[np.int32]:
        """The ways of the single throw of a turn, which all end the turn."""
        draw = int(self.draw[node, THROW])
        ways = -1 - self.ways[draw >> 16 :][: draw & 0xFFFF]
        if (ways < 0).any():
            raise NotCompilableError
        return ways

    def _node(self, state: State) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self.states)
            self.states.append(state)
        return self._numbers[state]

    def _ways(self, state: State, drawn: Distribution[Any]) -> Distribution[int]:
        """The way of each outcome of a throw; equal ones are not merged, to draw in the same order as the rules."""
        return Distribution(tuple(self._way(state, THROW, dice) for dice in drawn.outcomes), drawn.weights)

    def _way(self, state: State, action: int, fallen: Dice | None) -> int:
        after = self._game.follow(state, action, fallen).outcomes[0]
        if after.thrown > 0:
            return self._node(after)
        combination, k = COMBINATION_INDEX[state.dice if fallen is None else fallen], 0
        if not state.throws:
            start = self._node(after._replace(throws=(_ANY,)))
            if start not in self._follower_starts:
                self._follower_starts.append(start)
            k = self._follower_starts.index(start)
        return -1 - (combination + 64 * k)


class Contexts:
    """Fiches at the start of a round, and where rounds lead.

    Attributes:
        numbers: the context of (the leader's fiches, the follower's, the bank's).
        fiches: int32, (contexts, 3): the leader's, the follower's, the bank's.
        start: the context at the start of a manche.
        kinds: int64, (2, combinations, combinations): the kind of round that two throws make, in the décharge (0) and
            in the charge (1).
        rounds: int32, (contexts, kinds): 4 * context, plus 2 if the next round has the limit of this one, plus 1 if
            the other player leads then; or -1 if the leader has lost the manche, -2 if the follower has.
        keeps_limits: whether there is a round after which the next one has its limit.
        decharges: int64: the contexts without a bank.
        decharge: int64, (contexts,): a context's place among them.
    """

    def __init__(self, game: Quatre21) -> None:
        self._game = game
        states = list(_rounds(game.rules.fiches))
        self._states = states
        self.numbers = {(*state.fiches, state.bank): number for number, state in enumerate(states)}
        self.fiches = np.array(list(self.numbers), dtype=np.int32)
        self.start = self.numbers[0, 0, game.rules.fiches]
        kinds, examples = zip(*(kinds_of_rounds(game, charge=charge) for charge in (False, True)), strict=True)
        self.kinds = np.stack(kinds)
        self.rounds = np.zeros((len(states), max(map(len, examples))), dtype=np.int32)
        self.keeps_limits = False
        for row, state in zip(self.rounds, states, strict=True):
            for kind, throws in enumerate(examples[state.bank > 0]):
                row[kind] = self._after(state, *throws)
        self.decharges = np.flatnonzero(self.fiches[:, 2] == 0)
        self.decharge = np.zeros(len(states), dtype=np.int64)
        self.decharge[self.decharges] = np.arange(len(self.decharges))

    def example(self, *, charge: bool) -> State | None:
        """The start of some round of that phase, as the rules have it; None if there is none."""
        game = self._game
        for state in self._states if not charge else []:
            for after in self._outcomes(state, COMBINATIONS[0], COMBINATIONS[1]):
                if after.bank == 0 and sum(after.manches) == 0:
                    return game.decode(game.encode(after, game.seat(after)))
        first = game.initial().outcomes[0]
        return game.decode(game.encode(first, game.seat(first))) if charge else None

    def _outcomes(self, state: State, leader: Dice, follower: Dice) -> tuple[State, ...]:
        return self._game.follow(state._replace(throws=(leader,)), THROW, follower).outcomes

    def _after(self, state: State, leader: Dice, follower: Dice) -> int:
        after = self._outcomes(state, leader, follower)[0]
        if sum(after.manches):
            return -1 - after.manches.index(1)
        leads = after.order[0]
        context = self.numbers[after.fiches[leads], after.fiches[1 - leads], after.bank]
        keeps = self._keeps_limit(state, leader, follower)
        self.keeps_limits |= keeps
        return 4 * context + 2 * keeps + leads

    def _keeps_limit(self, state: State, leader: Dice, follower: Dice) -> bool:
        """Whether the next round has the limit of this one, and not always the same.

        Raises:
            NotCompilableError: it has neither.
        """
        limits = range(1, MAX_THROWS + 1) if state.bank == 0 else [state.limit]
        rounds = [state._replace(limit=limit, thrown=limit - 1) for limit in limits]
        afters = [after for each in rounds for after in self._outcomes(each, leader, follower)]
        found = [after.limit for after in afters]
        if found == [1 if after.bank else MAX_THROWS for after in afters]:
            return False
        if state.bank or found != list(limits):
            raise NotCompilableError
        return True


def _rounds(total: int) -> Iterator[State]:
    """Starts of rounds, seat 0 leading, with a limit of one throw: what a round does depends on its throws alone."""
    for own, other in product(range(total), repeat=2):
        if own + other <= total:
            yield State((0, 0), (own, other), total - own - other, (0, 1), limit=1)


@dataclass
class Scores:
    """Fiches de manche of a round's leader and follower, (m + 1) * a + b, and where a lost manche leads.

    Attributes:
        manches: int32, (scores, 2).
        turned: int32, (scores, 2): the score as it is, and as it is seen when the other player leads.
        after: int32, (2, scores, 2, numbers): for the seat that leads, the score and who has lost the manche, the
            leader (0) or the follower (1), and each number that may be drawn: 2 * score, plus the seat that leads then.
        totals: int64, (2, scores, 2): of how many numbers one is drawn.
        payoff: float64, (2, scores, 2): for the seat that leads, each seat's return where the match is over, else 0.
        over: bool, (scores,).
    """

    manches: Table
    turned: Table
    after: Table
    totals: NDArray[np.int64]
    payoff: NDArray[np.float64]
    over: NDArray[np.bool_]

    @classmethod
    def of(cls, game: Quatre21) -> "Scores":
        """All scores of a match."""
        highest = game.rules.manches_to_lose
        manches = list(product(range(highest + 1), repeat=2))
        number = {score: index for index, score in enumerate(manches)}
        payoff, over = np.zeros((2, len(manches), 2)), np.zeros(len(manches), dtype=np.bool_)
        following: list[Distribution[int]] = []
        for leader, (index, score) in product(range(2), enumerate(manches)):
            by_seat = score if leader == 0 else score[::-1]
            state = State(by_seat, (0, 0), game.rules.fiches, (leader, 1 - leader))
            returns = game.returns(state)
            if returns is not None:
                payoff[leader, index], over[index] = returns, True
                following += [Distribution.certain(0)] * 2
                continue
            for loser in state.order:
                following.append(game.after_manche(state, loser).map(lambda then: _numbered(number, then)))
        table, totals = sampling_table(following, range(2 * len(manches)))
        turned = [(number[score], number[score[::-1]]) for score in manches]
        return cls(
            np.array(manches, dtype=np.int32),
            np.array(turned, dtype=np.int32),
            table.reshape(2, len(manches), 2, -1),
            totals.reshape(2, -1, 2),
            payoff,
            over,
        )

    def number(self, leaders: int, followers: int) -> int:
        """The score of so many fiches de manche."""
        return int(np.flatnonzero((self.manches == (leaders, followers)).all(axis=1))[0])


def _numbered(number: dict[tuple[int, ...], int], state: State) -> int:
    """2 * score, plus the seat that leads."""
    leader = state.order[0]
    return 2 * number[state.manches[leader], state.manches[1 - leader]] + leader
