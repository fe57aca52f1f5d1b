"""The header of a safetensors file, read by the format's description, so that no more is believed than its length.

Source: https://github.com/huggingface/safetensors, "Format": eight bytes of length, a header in JSON, then the bytes of
all tensors, each at the offsets that the header gives, with nothing between them.
"""

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from nenette.untrusted import parse_json

__all__ = ["LENGTH", "Tensor", "header_length", "parse_header"]

LENGTH = 8
"""Bytes at the beginning that say how long the header is."""
_MOST_HEADER = 1 << 20
_MOST_DIMENSIONS = 8


class Tensor(NamedTuple):
    """Where a tensor lies.

    Attributes:
        dtype: of its numbers, little-endian.
        shape: its shape.
        begin: of its bytes, counted from the header's end.
        end: one after its last byte.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def header_length(beginning: bytes, size: int) -> int:
    """Bytes of the header of a file of `size` bytes that begins with these.

    Raises:
        ValueError: the file is too short for it.
    """
    length = int.from_bytes(beginning[:LENGTH], "little")
    if len(beginning) < LENGTH or length > min(size - LENGTH, _MOST_HEADER):
        raise ValueError("it is cut short")
    return length


def parse_header(text: bytes, body: int, dtypes: Mapping[str, str]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors by name, in the file's order, and the metadata.

    Args:
        text: the header.
        body: bytes that come after it.
        dtypes: NumPy's name of each dtype that is expected, by the format's.

    Raises:
        ValueError: it is no header, or its tensors do not fill the body exactly, each byte once.
    """
    header = _object(parse_json(text))
    metadata = _object(header.pop("__metadata__", {}))
    if not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("its metadata are not all text")
    tensors = {name: _tensor(_object(entry), body, dtypes) for name, entry in header.items()}
    end = 0
    for tensor in sorted(tensors.values(), key=lambda one: (one.begin, one.end)):
        if tensor.begin != end:
            raise ValueError("its tensors do not lie one after the other")
        end = tensor.end
    if end != body:
        raise ValueError("it is longer than it says")
    return dict(sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end))), metadata


def _tensor(entry: dict[str, Any], body: int, dtypes: Mapping[str, str]) -> Tensor:
    offsets, shape = _numbers(entry.get("data_offsets"), body), _numbers(entry.get("shape"), 1 << 62)
    known = dtypes.get(str(entry.get("dtype")))
    if known is None or len(offsets) != 2 or len(shape) > _MOST_DIMENSIONS:
        raise ValueError("one of its tensors has a dtype or a shape that is not expected here")
    begin, end = offsets
    dtype = np.dtype(known)
    if begin + prod(shape) * dtype.itemsize != end:
        raise ValueError("one of its tensors is of another size than its dtype and shape say")
    return Tensor(dtype, tuple(shape), begin, end)


def _numbers(value: Any, most: int) -> list[int]:
    if not isinstance(value, list) or not all(type(number) is int and number >= 0 for number in value):
        raise ValueError("a tensor's shape and offsets are lists of integers of at least 0")
    if any(number > most for number in value):
        raise ValueError("it is cut short")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("its header is no JSON object of JSON objects")
    return value
