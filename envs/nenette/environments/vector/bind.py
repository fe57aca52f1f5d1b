"""Compiled functions with most of their arguments bound.

What the engine is given of arrays is nearly always the same. Handing fifty of them over takes longer than a game's
step, so they are bound together once, and a call hands over one object and what is new.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import typeof, types
from numba.experimental import structref

from nenette.compiling import njit

__all__ = ["bind_arguments"]


@structref.register
class _ArgumentsType(types.StructRef):
    """How compiled code knows `_Arguments`."""


class _Arguments(structref.StructRefProxy):
    """A tuple that compiled code keeps hold of."""


structref.define_proxy(_Arguments, _ArgumentsType, ["all"])  # type: ignore[no-untyped-call]


@njit()
def _held(arguments):  # type: ignore[no-untyped-def]
    return _Arguments(arguments)  # type: ignore[no-untyped-call]


def bind_arguments(function: Any, arguments: tuple[Any, ...], *example: Any) -> Callable[..., Any]:
    """`function(bound, ...)`, compiled, with its first argument bound, which it reads as `bound.all`.

    Args:
        function: made by `njit`.
        arguments: arrays, numbers and named tuples of them; arrays are held, not copied.
        example: the other arguments. Those of a later call have the very same types, layouts included: this is not
            looked at again, which spares half of the time that a call takes.
    """
    held = _held(arguments)
    return partial(function.compile(tuple(map(typeof, (held, *example)))), held)
