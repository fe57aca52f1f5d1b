"""A two-player game as integers, walked out from its rules alone.

The part of the certificates that knows games: every state that can be met from the start, every action, every outcome
with its integer weight, straight from `nenette.games`. It shares no code with the solver's models
(`nenette.exact.model`), so that an error in those cannot hide in both. States are seen from the side of whoever is to
move, as `Game.encode` and `Game.decode` have it: a game is the same for either seat.
"""

from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

from nenette.games import Game

MAX_STATES = 2_000_000
_PAYOFFS: dict[tuple[float, ...], int] = {(1.0, -1.0): 1, (0.0, 0.0): 0, (-1.0, 1.0): -1}
"""What an end is worth to seat 0; no other end is known here."""


class CertificateError(ValueError):
    """What is claimed is not so, or cannot be read; the text is one sentence."""


class Row(NamedTuple):
    """An action in a state.

    Attributes:
        action: its number.
        targets: the states it may lead to: t where the same player moves again, ~t where the move passes.
        weights: of the targets.
        total: what the weights are out of; where the game may end, the targets' do not add up to it.
        payoff: weight of winning less weight of losing at once.
        ends: whether the game may end at once.
    """

    action: int
    targets: tuple[int, ...]
    weights: tuple[int, ...]
    total: int
    payoff: int
    ends: bool


@dataclass(frozen=True, eq=False)
class Walk:
    """All that can happen from the start of a game.

    Attributes:
        game: the game.
        fields: of each state, as its mover sees it, in the order in which they are met breadth first; 0 is the start.
        rows: of each state, its actions, ascending.
    """

    game: Game[Any]
    fields: list[tuple[int, ...]]
    rows: list[tuple[Row, ...]]

    def __len__(self) -> int:
        return len(self.fields)

    @cached_property
    def decisions(self) -> list[int]:
        """The states in which there is a choice."""
        return [state for state, rows in enumerate(self.rows) if len(rows) > 1]

    @cached_property
    def order(self) -> list[int]:
        """All states, each before every one that it leads to, but for steps back to `anchors`.

        The reverse of the order in which a search that goes deep first is done with the states.
        """
        done: list[int] = []
        met = bytearray(len(self))
        met[0] = 1
        stack = [(0, self._successors(0))]
        while stack:
            state, left = stack[-1]
            while left:
                target = left.pop()
                if not met[target]:
                    met[target] = 1
                    stack.append((target, self._successors(target)))
                    break
            else:
                stack.pop()
                done.append(state)
        return done[::-1]

    @cached_property
    def place(self) -> list[int]:
        """Where each state stands in `order`."""
        place = [0] * len(self)
        for position, state in enumerate(self.order):
            place[state] = position
        return place

    @cached_property
    def anchors(self) -> list[int]:
        """The states that some cycle comes back to: without them no step leads back in `order`."""
        place = self.place
        return sorted(
            {t for s in range(len(self)) for t in self._successors(s) if place[t] <= place[s]}, key=place.__getitem__
        )

    def _successors(self, state: int) -> list[int]:
        return list({t if t >= 0 else ~t for row in self.rows[state] for t in row.targets})

    def always_ends(self, *, trembling: bool) -> bool:
        """Whether the game ends with probability 1 from every state, whatever is played.

        It does if each state leads, whatever is done there, with some chance to the end or to a state of which that is
        known already: then there is a number of moves within which, from anywhere, it ends with at least some fixed
        probability. A trembling hand may do anything, so there one action that may lead there is enough.
        """
        ending = bytearray(len(self))
        enough = any if trembling else all
        left = self.order[::-1]
        while left:
            still = []
            for state in left:
                if enough(r.ends or any(ending[t if t >= 0 else ~t] for t in r.targets) for r in self.rows[state]):
                    ending[state] = 1
                else:
                    still.append(state)
            if len(still) == len(left):
                return False
            left = still
        return True


def walk(game: Game[Any]) -> Walk:
    """Walks through `game`, about 15 microseconds an outcome.

    Raises:
        CertificateError: it is no zero-sum game of two seats that are alike, or it is too large.
    """
    if game.players != 2 or game.turn_reward:
        raise CertificateError(f"{game.name} is no game of two players who play for the end alone")
    starts = {game.encode(state, game.seat(state)) for state in game.initial().outcomes}
    if len(starts) != 1:
        raise CertificateError(f"{game.name} starts in {len(starts)} ways that differ for whoever begins, not in one")
    fields = list(starts)
    index = {fields[0]: 0}
    rows: list[tuple[Row, ...]] = []
    for seen in fields:  # grows as it is read
        state = game.decode(seen)
        rows.append(tuple(_row(game, state, action, fields, index) for action in game.legal_actions(state)))
        if len(fields) > MAX_STATES:
            raise CertificateError(f"{game.name} has more than {MAX_STATES} states under these rules")
    return Walk(game, fields, rows)


def _row(
    game: Game[Any], state: Any, action: int, fields: list[tuple[int, ...]], index: dict[tuple[int, ...], int]
) -> Row:
    chance = game.chance(state, action)
    follows = [game.follow(state, action, fallen) for fallen in chance.outcomes]
    # What falls is nearly always all that chance has a say in; where the rules throw again, the totals are made equal.
    again = lcm(*(after.total for after in follows))
    targets: dict[int, int] = {}
    payoff, ends = 0, False
    for weight, follow in zip(chance.weights, follows, strict=True):
        for after, w in zip(follow.outcomes, follow.weights, strict=True):
            probability = weight * w * (again // follow.total)
            returns = game.returns(after)
            if returns is not None:
                if returns not in _PAYOFFS:
                    raise CertificateError(f"{game.name} may end with {returns}, which is no win, loss or draw")
                payoff += probability * _PAYOFFS[returns]
                ends = True
                continue
            mover = game.seat(after)
            seen = game.encode(after, mover)
            target = index.get(seen)
            if target is None:
                target = index[seen] = len(fields)
                fields.append(seen)
            column = target if mover == 0 else ~target
            targets[column] = targets.get(column, 0) + probability
    return Row(action, tuple(targets), tuple(targets.values()), chance.total * again, payoff, ends)
