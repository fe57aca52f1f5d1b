"""Compiled functions with most of their arguments bound.

What the engine is given of arrays is nearly always the same. Handing fifty of them over takes longer than a game's
step. So they are written to memory once, as compiled code holds them, and a call hands over their address and what is
new. Functions that read them are compiled without reference counts (`_nrt=False`), which would take as long again; the
arrays live as long as the object that binds them.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import typeof, types
from numba.extending import NativeValue, intrinsic, models, register_model, typeof_impl, unbox

from nenette.compiling import njit

__all__ = ["arguments_of", "bind_arguments"]

_WORD = np.dtype(np.uint64)


class _Bound:
    """Arguments as compiled code holds them, and the arrays that they lie in.

    Attributes:
        numba_type: that of the tuple of all arguments.
        address: where that tuple lies in memory.
    """

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.numba_type = typeof(arguments)  # type: ignore[no-untyped-call]
        self._arguments = arguments
        self._memory = np.zeros(-(-_size(arguments) // _WORD.itemsize), dtype=_WORD)
        self.address = self._memory.ctypes.data
        _write(self.address, arguments)


class _BoundType(types.Type):
    """How compiled code knows `_Bound`: as the address of a tuple of a certain type."""

    def __init__(self, tuple_type: Any) -> None:
        self.tuple_type = tuple_type
        super().__init__(name=f"Bound({tuple_type})")

    @property
    def key(self) -> Any:
        """Equal for types that are equal."""
        return self.tuple_type


@typeof_impl.register(_Bound)
def _type_of(bound: _Bound, _: Any) -> _BoundType:
    return _BoundType(bound.numba_type)


@register_model(_BoundType)
class _BoundModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        address = manager.lookup(types.uintp).get_value_type()
        super().__init__(manager, numba_type, address)  # type: ignore[no-untyped-call]


@unbox(_BoundType)  # type: ignore[no-untyped-call, untyped-decorator]
def _unbox(_: Any, bound: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(bound, "address")
    address = c.builder.ptrtoint(c.pyapi.long_as_voidptr(number), c.context.get_value_type(types.uintp))
    c.pyapi.decref(number)
    return NativeValue(address)  # type: ignore[no-untyped-call]


def _build_read(typing_context: Any, bound: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, arguments[0], bound.tuple_type))

    return bound.tuple_type(bound), build


def _build_write(typing_context: Any, address: Any, arguments: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, values: Any) -> None:
        builder.store(values[1], _pointer(context, builder, values[0], arguments))

    return types.void(types.uintp, arguments), build


def _build_size(typing_context: Any, arguments: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.get_constant(types.intp, context.get_abi_sizeof(context.get_value_type(arguments)))

    return types.intp(arguments), build


def _pointer(context: Any, builder: Any, address: Any, numba_type: Any) -> Any:
    return builder.inttoptr(address, context.get_value_type(numba_type).as_pointer())


arguments_of: Any = intrinsic(_build_read)
"""In compiled code, the tuple of arguments that are bound."""
_write_at: Any = intrinsic(_build_write)
_size_of: Any = intrinsic(_build_size)


@njit(_nrt=False)
def _write(address, arguments):  # type: ignore[no-untyped-def]
    _write_at(np.uint64(address), arguments)


@njit(_nrt=False)
def _size(arguments):  # type: ignore[no-untyped-def]
    return _size_of(arguments)


def bind_arguments(function: Any, arguments: tuple[Any, ...], *example: Any) -> Callable[..., Any]:
    """`function(bound, ...)`, compiled, with its first argument bound, which it reads by `arguments_of`.

    Args:
        function: made by `njit` with `_nrt=False`.
        arguments: arrays, numbers and named tuples of them; arrays are held, not copied.
        example: the other arguments. Those of a later call have the very same types, layouts included: this is not
            looked at again, which spares half of the time that a call takes.
    """
    bound = _Bound(arguments)
    return partial(function.compile(tuple(map(typeof, (bound, *example)))), bound)
