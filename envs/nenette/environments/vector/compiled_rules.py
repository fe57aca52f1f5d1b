"""The rules of a game for the engine: small compiled functions on its *tables*, a named tuple of arrays.

Each function here is implemented once for each game, with `implements`. Compiled code finds the implementation by the
type of the tables. A *position* is the state of a game, in a form that the game chooses: numbers, or an array with an
index. Random numbers come from a stream, s0 and s1; functions that draw return the stream as it is afterwards.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from numba.extending import overload

from nenette.environments.vector.streams import INLINED

__all__ = [
    "decision",
    "implements",
    "legal",
    "load",
    "mover",
    "observe",
    "over",
    "payoff",
    "play",
    "save",
    "starts_turn",
]

F = TypeVar("F", bound=Callable[..., Any])

_COMPILED = "only compiled code calls this"


def implements(rule: Callable[..., Any], tables: type) -> Callable[[F], F]:
    """Decorates a game's form of one of the functions below; `tables` is the class of its tables."""

    def enter(function: F) -> F:
        def choose(kind: Any, *_: Any) -> Any:
            return function if getattr(kind, "instance_class", None) is tables else None

        choose.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        overload(rule, jit_options=INLINED)(choose)
        return function

    return enter


def load(tables: Any, places: Any, g: Any) -> Any:
    """The position of game g, from row g of `places`."""
    raise NotImplementedError(_COMPILED)


def save(tables: Any, places: Any, g: Any, position: Any) -> Any:
    """Writes it there."""
    raise NotImplementedError(_COMPILED)


def play(tables: Any, position: Any, action: Any, goes_on: Any, s0: Any, s1: Any) -> Any:
    """(position, turns begun besides the first, s0, s1) after a legal action.

    Where it `goes_on`, the game is not cut before the next turn is over, and nobody is asked about a forced action: it
    may be played at once.
    """
    raise NotImplementedError(_COMPILED)


def mover(tables: Any, position: Any) -> Any:
    """The seat to move."""
    raise NotImplementedError(_COMPILED)


def legal(tables: Any, position: Any) -> Any:
    """Its legal actions, as bits."""
    raise NotImplementedError(_COMPILED)


def over(tables: Any, position: Any) -> Any:
    """Whether the game has ended by its rules."""
    raise NotImplementedError(_COMPILED)


def starts_turn(tables: Any, position: Any) -> Any:
    """Whether the next action begins a turn."""
    raise NotImplementedError(_COMPILED)


def payoff(tables: Any, position: Any, seat: Any) -> Any:
    """A seat's return in a game that has ended."""
    raise NotImplementedError(_COMPILED)


def observe(tables: Any, position: Any, seat: Any, row: Any, flat: Any) -> Any:
    """Writes what a seat observes into a row of `flat`, which has one dimension.

    Indices are unsigned, so that the compiler need not handle indices that count from the end. Most is written here,
    and that alone makes steps twice as quick.
    """
    raise NotImplementedError(_COMPILED)


def decision(tables: Any, position: Any) -> Any:
    """(block, number) of the position among those in which an opponent chooses; see `Machine.decisions`."""
    raise NotImplementedError(_COMPILED)
