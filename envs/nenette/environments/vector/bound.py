"""Compiled functions with most of their arguments bound.

What a kernel is given of arrays is nearly always the same. Handing fifty of them over takes longer than a game's step,
so they are bound together once, and a call hands over one object and what is new.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import typeof, types
from numba.experimental import structref

from nenette.compiling import njit

__all__ = ["bound"]


@structref.register
class _PartsType(types.StructRef):
    """How compiled code knows `_Parts`."""


class _Parts(structref.StructRefProxy):
    """Two tuples that compiled code keeps hold of."""


structref.define_proxy(_Parts, _PartsType, ["parts", "own"])  # type: ignore[no-untyped-call]


@njit()
def _kept(parts, own):  # type: ignore[no-untyped-def]
    return _Parts(parts, own)  # type: ignore[no-untyped-call]


def bound(function: Any, parts: tuple[Any, ...], own: tuple[Any, ...], *example: Any) -> Callable[..., Any]:
    """`function(bound, ...)`, compiled, with its first argument bound, which it reads as `bound.parts` and `bound.own`.

    Args:
        function: made by `njit`.
        parts: arrays and numbers, of which the arrays are kept, not copied.
        own: likewise.
        example: the other arguments. Those of a later call have the very same types, layouts included: this is not
            looked at again, which spares half of the time that a call takes.
    """
    kept = _kept(parts, own)
    return partial(function.compile(tuple(map(typeof, (kept, *example)))), kept)
