"""A game of three players as integers, walked out from its rules alone.

It shares no code with the solver's models, so that an error in those cannot hide in both.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from nenette.exact.certificates.walk import CertificateError
from nenette.games import Game

__all__ = ["Row", "SeveralWalk", "walk_several"]

MAX_STATES = 20_000


class Row(NamedTuple):
    """An action in a state.

    Attributes:
        action: its number.
        targets: the states it may lead to, seen from the next seat's side.
        weights: of the targets.
        total: what the weights are out of.
        wins: weight of the mover's winning at once.
    """

    action: int
    targets: tuple[int, ...]
    weights: tuple[int, ...]
    total: int
    wins: int


@dataclass(frozen=True, eq=False)
class SeveralWalk:
    """All that can happen from the start of a game of several players.

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


def walk_several(game: Game[Any]) -> SeveralWalk:
    """Walks through `game`, some 10 microseconds an outcome.

    Raises:
        CertificateError: it is no game in which three move in turn until whoever moved wins, or it is too large.
    """
    if game.players != 3:
        raise CertificateError(f"{game.name} is certified with two or three players, not with {game.players}")
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
    return SeveralWalk(game, fields, rows)


def _row(
    game: Game[Any], state: Any, action: int, fields: list[tuple[int, ...]], index: dict[tuple[int, ...], int]
) -> Row:
    outcomes = game.outcomes(state, action)
    targets: dict[int, int] = {}
    wins = 0
    for after, weight in zip(outcomes.outcomes, outcomes.weights, strict=True):
        returns = game.returns(after)
        if returns is not None:
            if returns != (1.0, -0.5, -0.5):
                raise CertificateError(f"{game.name} may end with {returns}, and only the mover's win is known here")
            wins += weight
            continue
        if game.seat(after) != 1:
            raise CertificateError(f"{game.name} is not certified for {game.players}: a player may move twice in a row")
        seen = game.encode(after, 1)
        target = index.get(seen)
        if target is None:
            target = index[seen] = len(fields)
            fields.append(seen)
        targets[target] = targets.get(target, 0) + weight
    return Row(action, tuple(targets), tuple(targets.values()), outcomes.total, wins)
