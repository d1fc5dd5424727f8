"""How does a tensor become bytes, and bytes of unknown origin an array?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ddpwatch.errors import FrameError
from ddpwatch.wire.messages import Array

DTYPES = frozenset(
    {
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "bfloat16",
    }
)


def from_numpy(values: NDArray[np.generic], *, dtype: str | None = None) -> Array:
    """Pack an array; `dtype="bfloat16"` says that `values` are its raw 16-bit patterns."""
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return Array(dtype or values.dtype.name, values.shape, little.tobytes())


def check(array: Array) -> None:
    """Raise `FrameError` unless dtype is known and the shape accounts for every byte."""
    if array.dtype not in DTYPES:
        raise FrameError("malformed", f"dtype {array.dtype!r} is not one of {sorted(DTYPES)}")
    itemsize = 2 if array.dtype == "bfloat16" else np.dtype(array.dtype).itemsize
    expected = math.prod(array.shape) * itemsize
    if expected != len(array.data):
        raise FrameError(
            "malformed", f"shape {array.shape} needs {expected} bytes, came {len(array.data)}"
        )
    # An empty array may have any other dimension, but NumPy multiplies them all the same.
    if math.prod(filter(None, array.shape)) * itemsize >= 2**63:
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
