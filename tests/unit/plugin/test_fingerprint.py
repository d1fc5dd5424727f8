"""Subsets have the same fingerprint if, and only if, they hold the same samples in one order."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, Subset

from ddpwatch_lightning.fingerprint import MOST_INDICES, fingerprint


class Untouchable(Dataset[int]):
    """A data set whose items must not be asked for."""

    def __len__(self) -> int:
        return 10_000_000

    def __getitem__(self, index: Any) -> int:
        raise AssertionError("an item was asked for")


ROOT = Untouchable()


def of(indices: Any) -> str:
    return fingerprint(Subset(ROOT, indices))


def test_lists_arrays_tensors_and_ranges_are_alike() -> None:
    found = {of(each) for each in ([3, 1, 2], np.array([3, 1, 2]), torch.tensor([3, 1, 2]))}
    assert len(found) == 1
    assert of(range(5)) == of([0, 1, 2, 3, 4])


def test_order_and_content_matter() -> None:
    assert len({of([0, 1, 2]), of([0, 2, 1]), of([0, 1]), of([0, 1, 3]), of([])}) == 5


def test_subsets_of_subsets_count_as_of_the_root() -> None:
    nested = Subset(Subset(ROOT, [10, 11, 12, 13]), [3, 1])
    assert fingerprint(nested) == of([13, 11])


def test_large_subsets_are_told_apart_by_some_of_them() -> None:
    many = np.arange(3 * MOST_INDICES)
    assert of(many) == of(many.copy()) != of(many + 1)
    assert of(many) != of(many[:-1])


def test_no_subset_and_broken_ones_have_none() -> None:
    assert fingerprint(ROOT) == fingerprint(None) == of([1, None]) == of(7) == ""
