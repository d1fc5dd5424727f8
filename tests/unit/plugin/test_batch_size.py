"""The first tensor of a batch, whatever the batch is made of."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from ddpwatch_lightning.batch_size import batch_size


@dataclass
class Graph:
    name: str
    nodes: torch.Tensor


X = torch.zeros(5, 3)


@pytest.mark.parametrize(
    ("batch", "size"),
    [
        (X, 5),
        ((X, torch.zeros(2)), 5),
        ([["a", "b"], {"x": X}], 5),
        (OrderedDict(text=["a"], x=X), 5),
        (Graph("g", X), 5),
        ((torch.tensor(1.0), X), 5),
        (torch.zeros(0, 3), 0),
        (torch.tensor(1.0), None),
        ("text", None),
        (None, None),
        ([[[[[X]]]]], None),
        ((), None),
    ],
)
def test_size(batch: Any, size: int | None) -> None:
    assert batch_size(batch) == size


def test_the_walk_ends_where_a_batch_holds_itself() -> None:
    batch: list[Any] = []
    batch.append(batch)
    assert batch_size(batch) is None


def test_the_walk_is_bounded_in_width() -> None:
    assert batch_size(["a"] * 100_000 + [X]) is None
