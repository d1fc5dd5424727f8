"""Class names: from the argument in its three forms, or from the module."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ddpwatch_lightning.labels import check_labels, labels_for

NAMES = ("cat", "dog", "cow")


@pytest.mark.parametrize(
    ("labels", "module", "path", "count", "expected"),
    [
        (NAMES, {}, "val.f1", 3, NAMES),
        (NAMES, {}, "val.f1", 4, ()),
        (NAMES, {}, "val.f1", None, ()),
        ({"test.*": ["a"] * 3, "val.*": NAMES}, {}, "val.f1", 3, NAMES),
        ({"test.*": NAMES}, {}, "val.f1", 3, ()),
        ("species", {"species": list(NAMES)}, "f1", 3, NAMES),
        ("species", {}, "f1", 3, ()),
        (None, {"class_names": ["x"], "classes": NAMES}, "f1", 3, NAMES),
        (None, {"classes": [0, 1, 2]}, "f1", 3, ("0", "1", "2")),
        (None, {"classes": 3}, "f1", 3, ()),
        (None, {}, "f1", 3, ()),
    ],
)
def test_labels(
    labels: Any, module: dict[str, Any], path: str, count: int | None, expected: tuple[str, ...]
) -> None:
    assert labels_for(labels, SimpleNamespace(**module), path, count) == expected


def test_a_name_that_is_too_long_for_the_wire_is_cut() -> None:
    (name,) = labels_for(["x" * 1000], object(), "f1", 1)
    assert len(name) == 512


@pytest.mark.parametrize("labels", [None, "names", NAMES, list(NAMES), {"*": NAMES}, {}])
def test_accepted(labels: object) -> None:
    check_labels(labels)


@pytest.mark.parametrize("labels", [3, [1, 2], {"*": "abc"}, {1: NAMES}, {"*": [1]}])
def test_refused_with_what_was_expected_and_got(labels: object) -> None:
    with pytest.raises(TypeError, match=r"labels: expected .* got"):
        check_labels(labels)
