"""What a profile of 421 is worth, exactly: how often each seat loses, for any number of players and any policies.

The game between two rounds is small: in a manche of three with 11 fiches there are some thousand ways in which the
fiches can lie and somebody can lead. What a round does with them depends on who threw worst, who threw best, and what
is at stake. So three layers are put one on the other:

- the chances of all throws of a round (`quatre21_played`);
- what a round comes to, with all throws of those who throw again: a chain of its own, which the fiches do not change;
- the manche, a chain of the starts of rounds; and the match, manche after manche.

What happens is asked of the rules, once for each kind of round and each way in which the fiches lie.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import spsolve

from nenette.exact.behaviours import Floats, Ints
from nenette.exact.quatre21_played import N_COMBINATIONS, PlayedRounds, TablePlayer
from nenette.exact.responses import Unsolvable
from nenette.games import Game, spec_of
from nenette.games.quatre21 import THROW, Quatre21, State
from nenette.games.quatre21_rules import COMBINATIONS, Best, Dice, Quatre21Rules, strength
from nenette.games.quatre21_turns import stakes_of_rounds

__all__ = ["MOST_PLAYERS", "Losses", "PlayedMatch", "check_losses", "losses"]

MOST_PLAYERS = 3
"""Four throws of a round make 10 million sets, in each of hundreds of ways in which fiches can lie."""


class _Kind(NamedTuple):
    """Rounds that are settled alike.

    Attributes:
        worst: the places of those who threw worst.
        giver: the place of the best throw; that after the last where it is older than the round.
        stake: what they are to take; 0: they throw again.
        by_nenette: whether that is the price of a nénette.
        throws: an example.
    """

    worst: tuple[int, ...]
    giver: int
    stake: int
    by_nenette: bool
    throws: tuple[Dice, ...]


class _Settled(NamedTuple):
    """Who takes how much from whom: seats, in the order in which they threw."""

    takers: tuple[int, ...]
    giver: int
    stake: int
    by_nenette: bool


class _Example(NamedTuple):
    """A round that is settled so, and how likely that is."""

    probability: float
    order: tuple[int, ...]
    best: Best | None
    limit: int
    throws: tuple[Dice, ...]


@dataclass(frozen=True)
class Losses:
    """How a profile stands.

    Attributes:
        chances: float64, (players, players): by the seat that leads the first charge, the chance of each seat to lose
            the match.
        states: how many starts of rounds a manche has, those included in which some throw again.
    """

    chances: Floats
    states: int


def losses(game: Game[Any], players: Sequence[TablePlayer]) -> Losses:
    """The exact chance of every seat to lose a match of 421, never cut.

    Args:
        game: 421, by any of its rules.
        players: who sits at each seat.

    Raises:
        Unsolvable: another game, a variation of 421, or more than `MOST_PLAYERS` players.
    """
    match = PlayedMatch(game, players)
    nothing = (0,) * game.players
    return Losses(np.stack([match.losing(nothing, leader) for leader in range(game.players)]), match.states)


def check_losses(game: Game[Any]) -> Quatre21:
    """The game, if its profiles are scored here.

    Raises:
        Unsolvable: another game, a variation of 421, or more than `MOST_PLAYERS` players.
    """
    spec = spec_of(game)
    if not isinstance(game, Quatre21) or spec is None or spec.game is not Quatre21:
        raise Unsolvable(f"{game.name} is not 421 by its own rules: its profiles are not scored here")
    if game.players > MOST_PLAYERS:
        raise Unsolvable(f"421 is scored exactly for up to {MOST_PLAYERS} players, not for {game.players}")
    return game


class PlayedMatch:
    """A match of one profile: see `losses`, whose arguments and errors it has.

    Attributes:
        game: what is played.
        players: who sits at each seat.
        states: how many starts of rounds the manches solved so far have; see `Losses`.
    """

    def __init__(self, game: Game[Any], players: Sequence[TablePlayer], rounds: PlayedRounds | None = None) -> None:
        """Makes it; `rounds`, of the same game, remember what players do from one match to the next."""
        self.game, self.players = check_losses(game), players
        self.rounds = PlayedRounds(self.game) if rounds is None else rounds
        self.states = 0
        self._rounds: dict[tuple[object, ...], tuple[dict[_Settled, _Example], list[_Example]]] = {}
        self._resolved: dict[tuple[object, ...], dict[_Settled, _Example]] = {}
        self._manches: dict[tuple[int, ...], tuple[dict[State, int], Floats]] = {}
        self._losing: dict[tuple[tuple[int, ...], int], Floats] = {}
        # Of the fields the first are fiches de manche: who does not look at them plays all manches alike.
        self._alike = all((self.rounds.columns(player) >= game.players).all() for player in players)

    def losing(self, manches: tuple[int, ...], leader: int) -> Floats:
        """float64, (players,): the chance of each seat to lose the match from the start of a manche on."""
        if (manches, leader) not in self._losing:
            start = next(state for state in self.game.initial().outcomes if state.order[0] == leader)
            self._losing[manches, leader] = self.losing_from(start._replace(manches=manches))
        return self._losing[manches, leader]

    def losing_from(self, state: State) -> Floats:
        """float64, (players,): the same from the start of a round on, if a manche can come to it.

        Raises:
            KeyError: it cannot, or some throw again in it.
        """
        manches = state.manches
        number, solved = self._manche((0,) * len(manches) if self._alike else manches)
        lost = solved[number[state._replace(manches=(0,) * len(manches)) if self._alike else state]]
        chances = np.zeros(len(manches))
        for loser, probability in enumerate(lost.tolist()):
            for after, p in self.game.after_manche(state, loser):
                if self.game.returns(after) is not None:
                    chances[loser] += probability * float(p)
                elif probability:
                    chances += probability * float(p) * self.losing(after.manches, after.order[0])
        return chances

    def _manche(self, manches: tuple[int, ...]) -> tuple[dict[State, int], Floats]:
        """The starts of rounds of a manche by number, and by that the chance of each seat to lose the manche."""
        if manches in self._manches:
            return self._manches[manches]
        starts = {state.order[0]: state._replace(manches=manches) for state in self.game.initial().outcomes}
        number = {state: k for k, state in enumerate(starts.values())}
        rows, columns, chances = list[int](), list[int](), list[float]()
        lost: list[Floats] = []
        in_turn = list(number)
        for row, state in enumerate(in_turn):
            lost.append(np.zeros(self.game.players))
            for probability, after in self._afters(state):
                if isinstance(after, int):
                    lost[row][after] += probability
                    continue
                if after not in number:
                    number[after] = len(number)
                    in_turn.append(after)  # grows as it is read
                rows.append(row)
                columns.append(number[after])
                chances.append(probability)
        n = len(number)
        onward = sparse.csr_array((chances, (rows, columns)), shape=(n, n))
        solved = spsolve(sparse.csc_array(sparse.eye_array(n) - onward), np.stack(lost))
        self.states = n + len(self._resolved)
        self._manches[manches] = number, solved
        return self._manches[manches]

    def _afters(self, state: State) -> Iterator[tuple[float, State | int]]:
        """Starts of rounds that follow, or who has lost the manche, with their probabilities."""
        settled, tied = self._round(state)
        for example in tied:
            yield example.probability, self._after(state, example.limit, example.throws)
        for example in settled.values():
            played = state._replace(order=example.order, best=example.best)
            after = self._after(played, example.limit, example.throws)
            lost = [seat for seat in range(len(after.manches)) if after.manches[seat] > state.manches[seat]]
            yield example.probability, lost[0] if lost else after

    def _round(self, state: State) -> tuple[dict[_Settled, _Example], list[_Example]]:
        """What the round that begins in `state` comes to, with all throws of those who throw again: who takes how much,
        or everybody's throws were the same.
        """
        key = self._key(state)
        if key not in self._rounds:
            settled, tied = dict[_Settled, _Example](), list[_Example]()
            for kind, limit, probability in self._kinds_of(state):
                example = _Example(probability, state.order, None, limit, kind.throws)
                if kind.stake:
                    _add(settled, _settled(state, kind), example)
                elif (again := self._after(state, limit, kind.throws)).best is None:
                    tied.append(example)
                else:
                    for who, then in self._resolve(again).items():
                        _add(settled, who, then._replace(probability=probability * then.probability))
            self._rounds[key] = settled, tied
        return self._rounds[key]

    def _key(self, state: State) -> tuple[object, ...]:
        """What a round depends on: not on fiches at which nobody looks."""
        return state.order, state.best, state.limit, state.bank > 0, *self.rounds.looks(state, self.players)

    def _after(self, state: State, limit: int, throws: tuple[Dice, ...]) -> State:
        """What the rules make of a round; of new openings, one."""
        last = state._replace(throws=throws[:-1], limit=limit, thrown=limit - 1, dice=(), frozen=0)
        return self.game.follow(last, THROW, throws[-1]).outcomes[0]

    def _kinds_of(self, state: State) -> Iterator[tuple[_Kind, int, float]]:
        """What may come of the round that begins in `state`: kinds, how often was thrown, probabilities."""
        best = None if state.best is None else COMBINATIONS.index(state.best.dice)
        kind_of, kinds = _kinds(self.game.rules, len(state.order), state.bank > 0, best)
        for limit, chances in self.rounds.throws(state, self.players).items():
            each = np.bincount(kind_of, chances.ravel(), len(kinds))
            for k in np.flatnonzero(each).tolist():
                yield kinds[k], limit, float(each[k])

    def _resolve(self, state: State) -> dict[_Settled, _Example]:
        """How those who throw again end it, from `state` on, until somebody takes something.

        In the same go it is found for all states in which they may come to throw once more.
        """
        key = self._key(state)
        if key in self._resolved:
            return self._resolved[key]
        numbers, onward, ends = {state: 0}, dict[tuple[int, int], float](), list[dict[_Settled, _Example]]()
        in_turn = [state]
        for row, again in enumerate(in_turn):
            ends.append({})
            for kind, limit, probability in self._kinds_of(again):
                if kind.stake:
                    example = _Example(probability, again.order, again.best, limit, kind.throws)
                    _add(ends[row], _settled(again, kind), example)
                    continue
                after = self._after(again, limit, kind.throws)
                if after not in numbers:
                    numbers[after] = len(numbers)
                    in_turn.append(after)  # grows as it is read
                onward[row, numbers[after]] = onward.get((row, numbers[after]), 0.0) + probability
        n = len(numbers)
        matrix = np.eye(n)
        for (row, column), probability in onward.items():
            matrix[row, column] -= probability
        visits = np.linalg.inv(matrix)  # how often each is come to from each
        for each_state, visited in zip(in_turn, visits.tolist(), strict=True):
            found: dict[_Settled, _Example] = {}
            for often, each in zip(visited, ends, strict=True):
                for who, example in each.items():
                    _add(found, who, example._replace(probability=often * example.probability))
            self._resolved[self._key(each_state)] = found
        return self._resolved[key]


def _settled(state: State, kind: _Kind) -> _Settled:
    seats = state.order if state.best is None else (*state.order, state.best.seat)
    return _Settled(tuple(seats[place] for place in kind.worst), seats[kind.giver], kind.stake, kind.by_nenette)


def _add(settled: dict[_Settled, _Example], who: _Settled, example: _Example) -> None:
    known = settled.get(who)
    settled[who] = example if known is None else known._replace(probability=known.probability + example.probability)


@cache
def _stakes(rules: Quatre21Rules) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    return stakes_of_rounds(rules)


@cache
def _kinds(rules: Quatre21Rules, players: int, charge: bool, best: int | None) -> tuple[Ints, list[_Kind]]:
    """The kind of every set of throws of so many players, int64, (56 ** players,), and the kinds.

    `best` is the combination that was the round's best before, where they throw again.
    """
    of = np.array([strength(dice) for dice in COMBINATIONS])
    combination = np.argsort(of)
    shape = (N_COMBINATIONS,) * players
    each = [
        np.broadcast_to(of.reshape([-1 if k == axis else 1 for k in range(players)]), shape) for axis in range(players)
    ]
    low, high = np.minimum.reduce(each), np.maximum.reduce(each)
    worst = sum((one == low).astype(np.int64) << place for place, one in enumerate(each))
    several = np.asarray(worst & (worst - 1) != 0).astype(np.int64)
    giver = np.full(shape, players)
    if best is None:
        for place in reversed(range(players)):
            giver[each[place] == high] = place
    highest = combination[high] if best is None else np.full(shape, best)
    stakes, by_nenette = _stakes(rules)
    stake = stakes[int(charge), several, highest, combination[low]].astype(np.int64)
    price = by_nenette[int(charge), several, highest, combination[low]].astype(np.int64)
    # Of a tie it matters what the round is worth, but not where all are tied.
    kept = np.where((stake == 0) & (worst != (1 << players) - 1), 1 + highest, 0)
    giver = np.where((stake == 0) & (kept == 0), 0, giver)
    code = np.zeros(shape, dtype=np.int64)
    for part, most in (
        (worst, 1 << players),
        (giver, players + 1),
        (kept, 1 + N_COMBINATIONS),
        (stake, 101),
        (price, 2),
    ):
        code = code * most + part
    _, first, kind_of = np.unique(code, return_index=True, return_inverse=True)
    kinds = []
    for example in first.tolist():
        places = np.unravel_index(example, shape)
        mask = int(worst[places])
        kinds.append(
            _Kind(
                tuple(place for place in range(players) if mask >> place & 1),
                int(giver[places]),
                int(stake[places]),
                bool(price[places]),
                tuple(COMBINATIONS[int(k)] for k in places),
            )
        )
    return kind_of.ravel(), kinds
