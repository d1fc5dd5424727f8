"""Numbers come out of whatever holds one, together and without harm from what does not."""

from __future__ import annotations

import pytest
import torch

from ddpwatch_lightning.scalars import moment, numbers, passed, taken


def test_a_cpu_tensor_is_read_at_once_and_later_changes_do_not_matter() -> None:
    value = torch.tensor(1.5)
    read = taken(value)
    value += 1
    assert read == 1.5


@pytest.mark.parametrize(
    ("value", "read"),
    [(2, 2), (2.5, 2.5), (torch.tensor([3.0]), 3.0), (torch.ones(2), None), ("x", None)],
)
def test_what_is_no_number_is_none(value: object, read: object) -> None:
    assert taken(value) == read


def test_tensors_of_all_kinds_keep_their_order() -> None:
    kinds = [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool, torch.float32]
    scalars = [torch.tensor(float(n)).to(kind) for n, kind in enumerate(kinds)]
    assert numbers([*scalars, None, 7]) == [0.0, 1.0, 2.0, 3.0, 1.0, 5.0, None, 7.0]


def test_what_cannot_be_a_float_becomes_none() -> None:
    assert numbers([torch.tensor(1j), torch.ones(3), 10**400, "x"]) == [None] * 4


def test_without_a_gpu_there_is_no_moment_to_wait_for() -> None:
    assert moment() is None
    with passed(None):
        pass
