"""A tapped method does what it did, is told of once, and can be copied and taken away."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from ddpwatch_lightning.tapped import Tapped, tap_methods, untap


class Writer:
    """Something with methods that call each other."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def log(self, text: str) -> int:
        """Write."""
        self.lines.append(text)
        return len(self.lines)

    def log_twice(self, text: str) -> None:
        self.log(text)
        self.log(text)


@pytest.fixture
def calls() -> list[Any]:
    return []


@pytest.fixture
def writer() -> Writer:
    return Writer()


def tap(writer: Any, calls: list[Any]) -> dict[str, Tapped]:
    return tap_methods(
        writer, ("log", "log_twice", "absent"), lambda *call: calls.append((*call[:2],))
    )


def test_only_the_outermost_call_is_told(writer: Writer, calls: list[Any]) -> None:
    tap(writer, calls)
    assert writer.log("a") == 1
    writer.log_twice("b")
    assert calls == [("log", ("a",)), ("log_twice", ("b",))]
    assert writer.lines == ["a", "b", "b"]
    assert (writer.log.__name__, writer.log.__doc__) == ("log", "Write.")
    assert type(writer) is Writer


def test_after_an_exception_calls_are_told_again(writer: Writer, calls: list[Any]) -> None:
    tap(writer, calls)
    with pytest.raises(TypeError):
        writer.log()  # type: ignore[call-arg]
    writer.log("a")
    assert len(calls) == 2


def test_untapped_it_is_as_before(writer: Writer, calls: list[Any]) -> None:
    before = dict(vars(writer))
    untap(writer, tap(writer, calls))
    assert vars(writer) == before
    writer.log("a")
    assert calls == []


def test_a_method_of_the_instance_itself_returns(writer: Writer, calls: list[Any]) -> None:
    own = vars(writer)["log"] = lambda text: 7
    taps = tap(writer, calls)
    assert writer.log("a") == 7
    untap(writer, taps)
    assert vars(writer)["log"] is own


def test_what_somebody_put_above_stays(writer: Writer, calls: list[Any]) -> None:
    taps = tap(writer, calls)
    theirs = vars(writer)["log"] = lambda text: 7
    untap(writer, taps)
    assert vars(writer)["log"] is theirs


@pytest.mark.parametrize("way", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_have_the_method_and_no_tap(writer: Writer, calls: list[Any], way: Any) -> None:
    tap(writer, calls)
    copied = way(writer)
    assert copied.log("a") == 1
    assert copied.lines == ["a"]
    assert writer.lines == []
    assert calls == []


def test_an_object_that_takes_no_attributes_is_left_alone(calls: list[Any]) -> None:
    assert tap_methods(object(), ("log",), lambda *_: None) == {}
