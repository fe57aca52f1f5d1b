"""Arrays as text that a page can hold: zlib's deflate, then base64, beside dtype and shape."""

import zlib
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["packed"]

DTYPES = ("uint8", "int16", "uint16", "float32", "float64")
"""What page.js reads: it has a typed array for each."""


def packed(array: NDArray[Any]) -> dict[str, Any]:
    """A JSON object with dtype, shape and data of `array`.

    The bytes are transposed before they are compressed: all first bytes of the numbers, then all second ones, and so
    on. Numbers that are alike have their like bytes together then, and the text is shorter.

    Raises:
        ValueError: the page has no such numbers.
    """
    if array.dtype.name not in DTYPES:
        raise ValueError(f"arrays of {', '.join(DTYPES)} can be packed, not of {array.dtype.name}")
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    planes = little.reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T
    data = b64encode(zlib.compress(planes.tobytes(), 9)).decode()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}
