"""Every kind of logger's call is read to tags, values and steps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from ddpwatch_lightning.spoken import MOST_ENTRIES, Spoken, number, read


def call(method: str, *args: Any, **kwargs: Any) -> list[tuple[str, float | None, int | None]]:
    return [(each.name, each.value, each.step) for each in read(method, args, kwargs)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (call("add_scalar", "f1", 0.5, 3), [("f1", 0.5, 3)]),
        (call("add_scalar", tag="f1", scalar_value=torch.tensor(0.5)), [("f1", 0.5, None)]),
        (call("add_scalars", "f1", {"a": 1, "b": 2}, 3), [("f1/a", 1.0, 3), ("f1/b", 2.0, 3)]),
        (call("log", {"f1": 0.5, "by": {"a": 1}}, step=3), [("f1", 0.5, 3), ("by.a", 1.0, 3)]),
        (call("log_metrics", {"f1": np.float32(0.5)}, 3), [("f1", 0.5, 3)]),
        (call("log_metrics", metrics={"f1": 0.5}, step=3), [("f1", 0.5, 3)]),
        (call("log_metrics", "run", {"f1": 0.5}, 3), [("f1", 0.5, 3)]),
        (call("log_metric", "run", "f1", 0.5, 1_700_000_000, 3), [("f1", 0.5, 3)]),
        (call("log_metric", "run", "f1", 0.5, step=3), [("f1", 0.5, 3)]),
        (call("log_metric", run_id="run", key="f1", value=0.5, step=3), [("f1", 0.5, 3)]),
        (call("log_metric", "f1", 0.5, 3), [("f1", 0.5, 3)]),
        (
            call("log_batch", "run", [SimpleNamespace(key="f1", value=0.5, step=3)]),
            [("f1", 0.5, 3)],
        ),
    ],
)
def test_scalars(found: Any, expected: Any) -> None:
    assert found == expected


def test_what_is_no_number_is_told_in_short() -> None:
    assert read("add_image", ("digit", torch.zeros(1, 8, 8), 4), {}) == [
        Spoken("digit", None, "Tensor (1, 8, 8)", 4)
    ]
    assert read("add_text", ("note", "x" * 1000), {})[0].text == "x" * 200
    assert read("log_hyperparams", ({"lr": 1, "depth": 2},), {})[0].text == "2 hyperparameters"
    assert read("log_artifact", ("path", {"a": 1}), {})[0].text == "dict of 1"


def test_entries_beyond_the_bound_are_counted() -> None:
    found = read("log", ({str(each): each for each in range(1000)},), {})
    assert len(found) == MOST_ENTRIES + 1
    assert found[-1].text == f"{1000 - MOST_ENTRIES} more entries"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0),
        (True, 1.0),
        (torch.tensor([2.0], requires_grad=True), 2.0),
        (torch.zeros(2), None),
        (torch.zeros((), device="meta"), None),
        ("text", None),
        (None, None),
    ],
)
def test_numbers(value: Any, expected: float | None) -> None:
    assert number(value) == expected
