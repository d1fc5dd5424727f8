"""Arguments are checked when the callback is made, and say what was expected and got."""

from __future__ import annotations

from typing import Any

import pytest

from ddpwatch_lightning import DDPWatch


def test_nothing_has_to_be_given() -> None:
    DDPWatch()


@pytest.mark.parametrize(
    "arguments",
    [
        {"endpoint": "127.0.0.1:7787"},
        {"endpoint": ""},
        {"every": 1},
        {"every": "auto"},
        {"include": "val_*", "exclude": ["*.loss", "x"]},
        {"name": "digits"},
        {"labels": ["a", "b"]},
    ],
)
def test_accepted(arguments: dict[str, Any]) -> None:
    DDPWatch(**arguments)


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (TypeError, {"endpoint": 7787}),
        (ValueError, {"endpoint": "nowhere at all"}),
        (TypeError, {"every": 1.5}),
        (TypeError, {"every": True}),
        (TypeError, {"every": "always"}),
        (ValueError, {"every": 0}),
        (TypeError, {"include": 3}),
        (TypeError, {"exclude": ["a", 3]}),
        (TypeError, {"name": 3}),
        (ValueError, {"name": " "}),
        (ValueError, {"name": "x" * 300}),
        (TypeError, {"labels": 3}),
    ],
)
def test_refused(error: type[Exception], arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(error, match=rf"{name}: expected .*got"):
        DDPWatch(**arguments)


def test_only_the_endpoint_goes_without_its_name() -> None:
    with pytest.raises(TypeError):
        DDPWatch("127.0.0.1:7787", "digits")  # type: ignore[misc]
