"""Numbers of a numpy Generator, drawn in compiled code: those that `Generator.integers` and `Generator.random` give.

Its bit generator gives the addresses of its state and its functions: numpy's `bitgen_t`, the interface that other
compiled code is meant to use (numpy, "Extending"). Nothing is copied: the Generator has moved on afterwards.
"""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from nenette.compiling import njit

__all__ = ["address_of", "integer_below", "next_double"]

_STATE, _NEXT_UINT32, _NEXT_DOUBLE = 0, 2, 3
"""Places in a `bitgen_t`, each of eight bytes; place 1 is the function for 64 bits."""

_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def address_of(generator: np.random.Generator) -> int:
    """Where its bits are: the first number of a stream that draws from `generator`, which has to be kept as long."""
    address: int = _POINTER(generator.bit_generator.capsule, b"BitGenerator")
    return address


def _build_draw(typing_context: Any, bits: Any, place: Any, kind: Any) -> Any:
    """What the function at a place of a `bitgen_t` gives for its state, as a value of the type of `kind`."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, anything = ir.IntType(64), ir.IntType(8).as_pointer()
        table = builder.inttoptr(arguments[0], word.as_pointer())
        state = builder.inttoptr(builder.load(table), anything)
        address = builder.load(builder.gep(table, [arguments[1]]))
        function = ir.FunctionType(context.get_value_type(signature.return_type), [anything])
        return builder.call(builder.inttoptr(address, function.as_pointer()), [state])

    return kind(types.int64, types.int64, kind), build


_drawn: Any = intrinsic(_build_draw)


@njit()
def next_double(bits):  # type: ignore[no-untyped-def]
    """`Generator.random()`."""
    return _drawn(bits, _NEXT_DOUBLE, np.float64(0))


@njit()
def integer_below(bits, n):  # type: ignore[no-untyped-def]
    """`Generator.integers(n)`, 1 <= n < 2**32: Lemire's method on 32 bits, and nothing is drawn for n = 1."""
    if n == 1:
        return 0
    one, low = np.uint64(n), np.uint64(0xFFFFFFFF)
    product = np.uint64(_drawn(bits, _NEXT_UINT32, np.uint32(0))) * one
    if product & low < one:
        threshold = (low + np.uint64(1) - one) % one
        while product & low < threshold:
            product = np.uint64(_drawn(bits, _NEXT_UINT32, np.uint32(0))) * one
    return np.int64(product >> np.uint64(32))
