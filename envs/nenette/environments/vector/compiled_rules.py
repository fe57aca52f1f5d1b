"""The rules of a game for the engine: small functions on its *tables*.

Compiled code plays on a named tuple of arrays. Each function here is implemented once for each game, with `implements`,
and compiled code finds the implementation by the type of the tables. Where the engine's loop runs in Python, the tables
are a `python_machine.PythonRules`, whose methods have the names of these functions.

A *position* is the state of a game, in a form that the game chooses: numbers, or an array with an index. Random numbers
come from a stream, s0 and s1; functions that draw return the stream as it is afterwards.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.extending import overload

from nenette.environments.vector.streams import INLINED, draw_below

__all__ = [
    "begin",
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
    return tables.load(places, g)


def begin(tables: Any, starts: Any, places: Any, g: Any, s0: Any, s1: Any) -> Any:
    """(position, s0, s1) of game g as it begins; `starts` are the rows of `places` that may be drawn."""
    return tables.begin(g, s0, s1)


@overload(begin, jit_options=INLINED)
def _begin(tables, starts, places, g, s0, s1):  # type: ignore[no-untyped-def]
    def begin(tables, starts, places, g, s0, s1):  # type: ignore[no-untyped-def]
        start, s0, s1 = draw_below(s0, s1, len(starts))
        for column in range(np.uint64(starts.shape[1])):
            places[g, column] = starts[start, column]
        return load(tables, places, g), s0, s1

    return begin


def save(tables: Any, places: Any, g: Any, position: Any) -> Any:
    """Writes it there."""
    tables.save(places, g, position)


def play(tables: Any, position: Any, action: Any, goes_on: Any, s0: Any, s1: Any) -> Any:
    """(position, turns begun besides the first, s0, s1) after a legal action.

    Where it `goes_on`, the game is not cut before the next turn is over, and nobody is asked about a forced action: it
    may be played at once.
    """
    return tables.play(position, action, s0, s1)


def mover(tables: Any, position: Any) -> Any:
    """The seat to move."""
    return tables.mover(position)


def legal(tables: Any, position: Any) -> Any:
    """Its legal actions, as bits; anything where the game has ended."""
    return tables.legal(position)


def over(tables: Any, position: Any) -> Any:
    """Whether the game has ended by its rules."""
    return tables.over(position)


def starts_turn(tables: Any, position: Any) -> Any:
    """Whether the next action begins a turn."""
    return tables.starts_turn(position)


def payoff(tables: Any, position: Any, seat: Any) -> Any:
    """A seat's return in a game that has ended."""
    return tables.payoff(position, seat)


def observe(tables: Any, position: Any, seat: Any, row: Any, flat: Any) -> Any:
    """Writes what a seat observes into a row of `flat`, which has one dimension.

    Indices are unsigned, so that the compiler need not handle indices that count from the end. Most is written here,
    and that alone makes steps twice as quick.
    """
    tables.observe(position, seat, row, flat)


def decision(tables: Any, position: Any) -> Any:
    """(block, number) of the position among those in which an opponent chooses; see `Machine.decisions`."""
    return tables.decision(position)
