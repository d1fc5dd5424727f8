"""Predictions and target are found where they were said to be, or it is said what was there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from ddpwatch_lightning.shadow import Shadow
from ddpwatch_lightning.shadow_inputs import UnfitError, inputs_of

SCORES = torch.tensor([[0.9, 0.2], [0.4, 0.7]])
TRUTH = torch.tensor([[1, 0], [0, 1]])
MULTILABEL = Shadow("multilabel", 2)


@dataclass
class Returned:
    preds: Any
    target: Any


def found(shadow: Shadow, outputs: Any, batch: Any = None) -> tuple[Any, Any]:
    preds, target = inputs_of(shadow, outputs, batch)
    return preds.tolist(), target.tolist()


EXPECTED = (SCORES.tolist(), TRUTH.tolist())


@pytest.mark.parametrize(
    "outputs",
    [
        {"preds": SCORES, "target": TRUTH},
        {"preds": SCORES.requires_grad_(False).clone().requires_grad_(), "target": TRUTH.float()},
        {"preds": SCORES.numpy(), "target": TRUTH.bool().numpy()},
        {"preds": SCORES.tolist(), "target": TRUTH.tolist()},
        {"preds": list(SCORES), "target": list(TRUTH)},
        Returned(SCORES, np.asarray(TRUTH)),
    ],
)
def test_forms(outputs: Any) -> None:
    preds, target = found(MULTILABEL, outputs)
    assert np.allclose(preds, EXPECTED[0])
    assert target == EXPECTED[1]


def test_other_places() -> None:
    by_place = Shadow("multilabel", 2, preds=1, target=0)
    assert found(by_place, (TRUTH, SCORES)) == EXPECTED
    in_batch = Shadow("multilabel", 2, target="y")
    assert found(in_batch, {"preds": SCORES}, {"y": TRUTH}) == EXPECTED
    picked = Shadow("multilabel", 2, pick=lambda outputs, batch: (outputs, batch[1]))
    assert found(picked, SCORES, (None, TRUTH)) == EXPECTED


def test_tasks_have_their_shapes() -> None:
    binary = Shadow("binary")
    assert found(binary, {"preds": [[0.5], [1.0]], "target": [1, 0]}) == ([0.5, 1.0], [1, 0])
    multiclass = Shadow("multiclass", 3)
    assert found(multiclass, {"preds": [0, 2], "target": [1, 2]}) == ([0, 2], [1, 2])
    assert found(multiclass, {"preds": [[0.0, 0.5, 0.5]], "target": [2]})[1] == [2]


def test_logits_when_said_so() -> None:
    scores = torch.tensor([[0.0, 1.0]])
    outputs = {"preds": scores, "target": TRUTH[:1]}
    assert found(MULTILABEL, outputs)[0] == scores.tolist()
    forced = Shadow("multilabel", 2, logits=True)
    assert found(forced, outputs)[0] == scores.sigmoid().tolist()
    never = Shadow("multilabel", 2, logits=False)
    assert found(never, {**outputs, "preds": scores * 2})[0] == [[0.0, 1.0]]
    multiclass = Shadow("multiclass", 2, logits=True)
    assert found(multiclass, {"preds": scores, "target": [0]})[0] == scores.softmax(1).tolist()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_widened(dtype: torch.dtype) -> None:
    preds, _ = inputs_of(MULTILABEL, {"preds": SCORES.to(dtype), "target": TRUTH}, None)
    assert preds.dtype is torch.float32


def test_a_value_that_does_not_count_may_be_anything() -> None:
    shadow = Shadow("multiclass", 3, ignore_index=-100)
    assert found(shadow, {"preds": [0, 1], "target": [-100, 2]})[1] == [-100, 2]


@pytest.mark.parametrize(
    ("shadow", "outputs", "expected"),
    [
        (MULTILABEL, None, "'preds' and 'target', got nothing"),
        (MULTILABEL, {"loss": 1, "predictions": 2}, "got a dict with the keys 'loss', 'predic"),
        (MULTILABEL, torch.zeros(3), r"got a tensor of shape \(3,\)"),
        (MULTILABEL, 0.5, "got a float"),
        (MULTILABEL, {"preds": SCORES, "target": ["a", "b"]}, "target that"),
        (MULTILABEL, {"preds": SCORES, "target": TRUTH[:1]}, r"shape \(N, 2\), got \(2, 2\) and"),
        (Shadow("multilabel", 3), {"preds": SCORES, "target": TRUTH}, r"\(N, 3\)"),
        (Shadow("multiclass", 2), {"preds": SCORES, "target": TRUTH}, r"target of shape \(N,\)"),
        (Shadow("multiclass", 3), {"preds": [0.5], "target": [1]}, r"shape \(N, 3\)"),
        (Shadow("multiclass", 3), {"preds": [3], "target": [1]}, "predictions from 0 to 2"),
        (Shadow("multiclass", 3), {"preds": [1], "target": [-1]}, "target from 0 to 2"),
        (Shadow("binary"), {"preds": [0.5], "target": [2]}, "target from 0 to 1, got 2"),
        (Shadow("binary"), {"preds": [0.5], "target": [1, 0]}, "as many predictions"),
        (Shadow("binary", pick=lambda o, b: o["x"]), {"y": 1}, "'y', got KeyError: 'x'"),
        (Shadow("binary", pick=lambda o, b: (1, 2, 3)), {"y": 1}, "got ValueError"),
    ],
)
def test_unfit(shadow: Shadow, outputs: Any, expected: str) -> None:
    with pytest.raises(UnfitError, match=rf"expected .*{expected}"):
        inputs_of(shadow, outputs, None)
