"""How does a tensor become bytes, and bytes of unknown origin an array?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ddpwatch.errors import FrameError
from ddpwatch.wire.messages import Array

ITEM_SIZES = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "float32": 4,
    "float64": 8,
    "bfloat16": 2,
}
"""Bytes of one element, by the name of every dtype that travels."""

DTYPES = frozenset(ITEM_SIZES)


def from_numpy(values: NDArray[np.generic], *, dtype: str | None = None) -> Array:
    """Pack an array; `dtype="bfloat16"` says that `values` are its raw 16-bit patterns."""
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return Array(dtype or values.dtype.name, values.shape, little.tobytes())


def check(array: Array) -> None:
    """Raise `FrameError` unless dtype is known and the shape accounts for every byte."""
    itemsize = ITEM_SIZES.get(array.dtype)
    if itemsize is None:
        raise FrameError("malformed", f"dtype {array.dtype!r} is not one of {list(ITEM_SIZES)}")
    expected = math.prod(array.shape) * itemsize
    if expected != len(array.data):
        raise FrameError(
            "malformed", f"shape {array.shape} needs {expected} bytes, came {len(array.data)}"
        )
    # An empty array may have any other dimension, but NumPy multiplies them all the same.
    if not expected and math.prod(filter(None, array.shape)) * itemsize >= 2**63:
        raise FrameError("malformed", f"shape {array.shape} is larger than an address")


def to_numpy(array: Array) -> NDArray[np.generic]:
    """Unpack, read-only; bfloat16 becomes float32, exactly."""
    check(array)
    if array.dtype == "bfloat16":
        bits = np.frombuffer(array.data, dtype="<u2").astype(np.uint32) << 16
        values: NDArray[np.generic] = bits.view(np.float32).reshape(array.shape)
        values.flags.writeable = False
        return values
    dtype = np.dtype(array.dtype).newbyteorder("<")
    return np.frombuffer(array.data, dtype=dtype).reshape(array.shape)
