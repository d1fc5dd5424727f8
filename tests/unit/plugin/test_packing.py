"""Tensors of any dtype and shape come out as they were when they were packed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array, ListSize
from ddpwatch_lightning.packing import ChangedError, Layout, Packed


def packed(*tensors: torch.Tensor) -> Packed:
    return Layout(tensors).pack(tensors)


def unpacked(*tensors: torch.Tensor) -> list[np.ndarray]:
    arrays = packed(*tensors).unpack()
    assert all(isinstance(each, Array) for each in arrays)
    return [to_numpy(each) for each in arrays if isinstance(each, Array)]


def test_mixed_dtypes_and_shapes_keep_their_order() -> None:
    tensors = [
        torch.arange(6).reshape(2, 3),
        torch.tensor(1.5),
        torch.tensor([True, False]),
        torch.arange(3),
        torch.tensor([0.1, float("nan")], dtype=torch.float64),
        torch.zeros(0),
    ]
    for tensor, array in zip(tensors, unpacked(*tensors), strict=True):
        assert array.shape == tuple(tensor.shape)
        np.testing.assert_array_equal(array, tensor.numpy())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int8, torch.uint8])
def test_small_dtypes(dtype: torch.dtype) -> None:
    tensor = torch.tensor([1.0, 3.0, 100.0]).to(dtype)
    (array,) = unpacked(tensor)
    np.testing.assert_array_equal(array, tensor.float().numpy())


def test_bfloat16_travels_as_its_bit_patterns() -> None:
    (array,) = packed(torch.tensor([1.0], dtype=torch.bfloat16)).unpack()
    assert array == Array("bfloat16", (1,), b"\x80\x3f")


def test_later_changes_in_place_do_not_reach_the_copy() -> None:
    lone, first, second = torch.ones(2), torch.ones(2, dtype=torch.int64), torch.ones(3)
    copied = packed(lone, first, second)
    for tensor in (lone, first, second):
        tensor.add_(1)
    assert [to_numpy(each).tolist() for each in copied.unpack() if isinstance(each, Array)] == [
        [1, 1],
        [1, 1],
        [1, 1, 1],
    ]


def test_strided_tensors_and_those_with_a_graph() -> None:
    matrix = torch.arange(6.0).reshape(2, 3).requires_grad_()
    (array,) = unpacked(matrix.t())
    np.testing.assert_array_equal(array, matrix.detach().numpy().T)


def test_states_made_in_inference_mode() -> None:
    with torch.inference_mode():
        tensor = torch.arange(3)
        copied = packed(tensor, tensor + 1)
    assert [to_numpy(each).tolist() for each in copied.unpack() if isinstance(each, Array)] == [
        [0, 1, 2],
        [1, 2, 3],
    ]


def test_of_what_cannot_travel_only_the_size_does() -> None:
    tensors = torch.zeros(3, dtype=torch.complex64), torch.zeros([1] * 9), torch.ones(1)
    sizes = packed(*tensors).unpack()
    assert sizes[:2] == [ListSize(3, 24), ListSize(1, 4)]
    assert isinstance(sizes[2], Array)


def test_what_is_no_tensor_is_refused_at_once() -> None:
    with pytest.raises(AttributeError):
        packed(3)  # type: ignore[arg-type]


def test_what_is_not_dense_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="dense"):
        packed(torch.ones(2).to_sparse())


def test_nothing_to_pack() -> None:
    assert packed().unpack() == []


@pytest.mark.parametrize(
    "changed",
    [
        [torch.zeros(2), torch.zeros(4)],
        [torch.zeros(2, dtype=torch.float64), torch.zeros(3)],
        [torch.zeros(2, dtype=torch.int64), torch.zeros(3, dtype=torch.int64)],
    ],
)
def test_tensors_that_do_not_fit_their_layout_any_more_are_refused(
    changed: list[torch.Tensor],
) -> None:
    layout = Layout([torch.zeros(2), torch.zeros(3)])
    with pytest.raises(ChangedError):
        layout.pack(changed)


def test_a_layout_serves_again_and_again() -> None:
    layout = Layout([torch.zeros(2, 2), torch.tensor(0)])
    for value in (1, 2):
        arrays = layout.pack([torch.full((2, 2), float(value)), torch.tensor(value)]).unpack()
        assert [to_numpy(each).tolist() for each in arrays if isinstance(each, Array)] == [
            [[value, value], [value, value]],
            value,
        ]
