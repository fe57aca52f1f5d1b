"""A table as a picture shows it: who sits there, what each has, what has been thrown. No colours and no pixels.

What lays out a game makes a `Scene` of a state, and `drawing` draws any scene.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

__all__ = ["Board", "Counter", "Die", "Event", "Player", "Scene", "View"]


class Event(NamedTuple):
    """An action that has been played.

    Attributes:
        state: where it was taken.
        action: the action, a legal one.
        fallen: what fell; None where nothing was thrown.
        after: the state that it led to.
    """

    state: Any
    action: int
    fallen: Any
    after: Any


class View(NamedTuple):
    """A table as it is to be shown, in whatever form.

    Attributes:
        state: where the game stands.
        cut: whether it ends here without a winner.
        learner: the seat that is called "You"; None where all seats are called by their names.
        names: of the policies at the seats after the learner's, in turn order; without a learner, of all seats.
        start: the state at which the game began, if it has begun since the last decision; else None.
        events: what has been played since then.
        lines: what happened before, in sentences, where the events themselves are not known.
    """

    state: Any
    cut: bool = False
    learner: int | None = None
    names: Sequence[str] = ()
    start: Any = None
    events: Sequence[Event] = ()
    lines: Sequence[str] = ()


class Die(NamedTuple):
    """A die before a player.

    Attributes:
        face: 1 to 6; 0 for one in the hand, about to be thrown.
        look: "fresh": it has just fallen; "kept": it was not thrown again; "past": of an earlier throw or round.
    """

    face: int
    look: Literal["fresh", "kept", "past"] = "fresh"


class Counter(NamedTuple):
    """A number that belongs to a player or to the middle of the table.

    Attributes:
        label: what is counted.
        number: how many.
        out_of: the most there can be; None: no such number.
        shown_as: "number", written; "fiches", that many discs; or "marks", filled ones of `out_of` squares.
    """

    label: str
    number: int
    out_of: int | None = None
    shown_as: Literal["number", "fiches", "marks"] = "number"


class Player(NamedTuple):
    """A seat at the table.

    Attributes:
        name: the player's.
        counters: what it has; the first is the most important.
        dice: before it, in order.
        note: a few words beside the dice.
        to_move: whether it is its move.
        result: its return, once the game has ended by its rules; else None.
    """

    name: str
    counters: Sequence[Counter] = ()
    dice: Sequence[Die] = ()
    note: str = ""
    to_move: bool = False
    result: float | None = None


class Board(NamedTuple):
    """Cells in a row on which the players stand.

    Attributes:
        cells: how many, numbered from 0.
        standing: the cell of each player.
        visited: cells that are ticked off.
        target: the cell that is to be reached.
    """

    cells: int
    standing: Sequence[int]
    visited: frozenset[int] = frozenset()
    target: int | None = None


class Scene(NamedTuple):
    """A table.

    Attributes:
        title: the game, and its phase.
        players: by seat; none where a game is shown in words.
        middle: what lies in the middle of the table.
        board: what the players stand on; None where there is no such thing.
        lines: what has happened, in sentences, the latest last.
        question: what is next, in a sentence.
        over: whether the game is over.
    """

    title: str
    players: Sequence[Player] = ()
    middle: Counter | None = None
    board: Board | None = None
    lines: Sequence[str] = ()
    question: str = ""
    over: bool = False
