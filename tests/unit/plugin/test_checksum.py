"""The same samples give the same sum in any order and batches, other samples another one."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ddpwatch_lightning.checksum import AT_ONCE, MODULUS, Checksum

SAMPLES = torch.randn(64, 5, generator=torch.Generator().manual_seed(0))


def checksum(*batches: Any) -> int:
    total = Checksum()
    for batch in batches:
        total.add(batch)
    return total.value()


def test_order_and_batches_do_not_matter() -> None:
    target = torch.zeros(64)
    shuffled = SAMPLES[torch.randperm(64)]
    whole = checksum((SAMPLES, target))
    assert 0 < whole < MODULUS
    assert checksum(*[[each, target[:4]] for each in shuffled.split(4)]) == whole
    assert checksum(*[{"x": each} for each in shuffled.split(7)]) == whole


def test_looking_in_between_changes_nothing() -> None:
    total = Checksum()
    for each in SAMPLES.split(2):
        total.add(each)
        total.value()
    assert total.value() == checksum(SAMPLES)


def test_more_batches_than_are_hashed_at_once() -> None:
    many = torch.randn(3 * AT_ONCE, 6)
    assert checksum(*many.split(1)) == checksum(*many.flip(0).split(1)) != 0


@pytest.mark.parametrize(
    "other",
    [SAMPLES[:-1], torch.cat([SAMPLES[:-1], SAMPLES[:1]]), SAMPLES + 1e-6, SAMPLES.double()],
)
def test_other_samples(other: torch.Tensor) -> None:
    assert checksum(SAMPLES) != checksum(other) != 0


@pytest.mark.parametrize(
    "batch",
    [
        (torch.tensor([0, 1, 1]), torch.tensor([0, 0, 1])),
        torch.ones(4, 8),
        torch.randn(8),
        torch.zeros(3, 9, dtype=torch.int64),
        {"text": ["a", "b"]},
        object(),
        torch.randn(4, 8, device="meta"),
        (),
    ],
)
def test_what_proves_nothing_is_not_taken(batch: Any) -> None:
    assert checksum(batch) == 0


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_dtypes(dtype: torch.dtype) -> None:
    assert checksum(SAMPLES.to(dtype)) not in {0, checksum(SAMPLES)}


def test_long_rows_of_tokens_and_images() -> None:
    tokens = torch.randint(0, 1000, (8, 128), generator=torch.Generator().manual_seed(1))
    assert checksum(tokens) == checksum(tokens.flip(0)) != 0
    images = torch.randn(8, 3, 16, 16)
    assert checksum(images) == checksum(images.flip(0)) != 0
    assert checksum(images.to(memory_format=torch.channels_last)) == checksum(images)


def test_inputs_count_although_labels_come_first() -> None:
    target = torch.tensor([0, 1] * 32)
    assert checksum((target, SAMPLES)) == checksum(SAMPLES)
