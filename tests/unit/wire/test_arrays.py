"""Does every array survive the wire, and is none believed that lies about itself?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ddpwatch.errors import FrameError
from ddpwatch.wire.arrays import ITEM_SIZES, check, from_numpy, to_numpy
from ddpwatch.wire.messages import Array

NATIVE = sorted(set(ITEM_SIZES) - {"bfloat16"})


@given(
    st.sampled_from(NATIVE).flatmap(
        lambda name: hnp.arrays(name, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0))
    )
)
def test_an_array_comes_back_bit_for_bit(values: np.ndarray) -> None:
    back = to_numpy(from_numpy(values))
    assert back.dtype == values.dtype
    assert back.shape == values.shape
    assert back.tobytes() == values.tobytes()
    assert not back.flags.writeable


def test_byte_order_and_memory_order_do_not_matter() -> None:
    values = np.arange(6, dtype=">i4").reshape(2, 3).T
    np.testing.assert_array_equal(to_numpy(from_numpy(values)), values)


def test_bfloat16_becomes_the_float32_of_the_same_value() -> None:
    floats = np.array([0.0, 1.0, -2.5, np.inf, -np.inf], dtype=np.float32)
    bits = (floats.view(np.uint32) >> 16).astype(np.uint16)
    array = from_numpy(bits, dtype="bfloat16")
    back = to_numpy(array)
    assert array.dtype == "bfloat16"
    assert not back.flags.writeable
    np.testing.assert_array_equal(back, floats)


@pytest.mark.parametrize(
    "array",
    [
        Array("object", (1,), b"\0" * 8),
        Array("<U4", (1,), b"\0" * 16),
        Array("int64,int64", (1,), b"\0" * 16),
        Array("", (1,), b"\0"),
        Array("int64", (2,), b"\0" * 8),
        Array("int64", (), b""),
        Array("int64", (1,), b"\0" * 7),
        Array("float32", (2**53, 2**53), b""),
        Array("int64", (2**53, 2**53, 0), b""),
        Array("int64", (0, 2**62), b""),
    ],
)
def test_a_lying_array_is_malformed(array: Array) -> None:
    for use in (check, to_numpy):
        with pytest.raises(FrameError) as caught:
            use(array)
        assert caught.value.kind == "malformed"


@given(
    st.sampled_from([*NATIVE, "bfloat16", "object", "str"]),
    st.lists(st.integers(0, 2**53), max_size=8).map(tuple),
    st.binary(max_size=64),
)
def test_what_passes_the_check_can_be_unpacked(dtype: str, shape: tuple, data: bytes) -> None:
    array = Array(dtype, shape, data)
    try:
        check(array)
    except FrameError:
        return
    assert to_numpy(array).shape == shape
