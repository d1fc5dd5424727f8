"""Arguments of a shadow are checked early, in either form, and say what was expected."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from ddpwatch_lightning import DDPWatch, Shadow
from ddpwatch_lightning.shadow import checked_shadow


@pytest.mark.parametrize(
    "arguments",
    [
        {"task": "binary"},
        {"task": "multiclass", "labels": 10, "preds": 0, "target": 1},
        {"task": "multilabel", "labels": ["even", "prime"], "threshold": 0.3},
        {"task": "multilabel", "labels": ("even",), "threshold": "best", "thresholds": 11},
        {"task": "binary", "pick": lambda outputs, batch: outputs, "stages": ["train"]},
    ],
)
def test_accepted_as_a_dict_and_as_a_shadow(arguments: dict[str, Any]) -> None:
    DDPWatch(shadow=arguments)
    assert checked_shadow(arguments) == Shadow(**arguments)


@pytest.mark.parametrize(
    ("error", "value"),
    [
        (TypeError, 3),
        (TypeError, lambda outputs, batch: outputs),
        (TypeError, {"labels": ["a"]}),
        (TypeError, {"task": "binary", "prediction": "x"}),
        (ValueError, {"task": "regression"}),
        (ValueError, {"task": "multilabel"}),
        (ValueError, {"task": "multiclass", "labels": 1}),
        (TypeError, {"task": "multilabel", "labels": "even"}),
        (TypeError, {"task": "multilabel", "labels": [1, 2]}),
        (TypeError, {"task": "binary", "threshold": "worst"}),
        (ValueError, {"task": "binary", "threshold": 2}),
        (ValueError, {"task": "binary", "search": True, "thresholds": 1}),
        (ValueError, {"task": "binary", "stages": ["predict"]}),
        (TypeError, {"task": "binary", "stages": "test"}),
        (TypeError, {"task": "binary", "preds": None}),
        (TypeError, {"task": "binary", "pick": "f1"}),
        (ValueError, {"task": "binary", "average": "mean"}),
    ],
)
def test_refused(error: type[Exception], value: Any) -> None:
    with pytest.raises(error, match=r"shadow: expected .*got"):
        DDPWatch(shadow=value)


def test_whether_output_is_captured_is_a_yes_or_no() -> None:
    with pytest.raises(TypeError, match=r"capture_output: expected .*got"):
        DDPWatch(capture_output="no")  # type: ignore[arg-type]


def test_what_it_says_of_itself() -> None:
    best = Shadow("multilabel", ["even", "prime"], threshold="best")
    assert (best.searches, best.cut, best.count, best.names) == (True, 0.5, 2, ("even", "prime"))
    counted = Shadow("multiclass", 3, threshold=0.2)
    assert (counted.searches, counted.cut, counted.count, counted.names) == (False, 0.2, 3, ())
    assert pickle.loads(pickle.dumps(best)) == best
