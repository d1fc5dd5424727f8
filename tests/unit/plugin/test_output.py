"""Streams stay what they are, and what is written to them is told once."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import sys
import threading
from collections.abc import Iterator

import pytest

from ddpwatch.wire.messages import Output
from ddpwatch_lightning.circumstances import Circumstances
from ddpwatch_lightning.output import Printed
from ddpwatch_lightning.passes import Pass


class Module:
    _current_fx_name = "validation_step"


Streams = tuple[io.TextIOWrapper, io.TextIOWrapper]


@contextlib.contextmanager
def replaced() -> Iterator[Streams]:
    """Streams of our own; pytest puts its own back between a fixture and its test."""
    made = [io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(made[0]), contextlib.redirect_stderr(made[1]):
        yield made[0], made[1]


@contextlib.contextmanager
def heard() -> Iterator[tuple[Streams, list[Output]]]:
    found: list[Output] = []
    with replaced() as streams:
        printed = Printed(found.append, lambda _: None, where())
        printed.start()
        yield streams, found
        printed.stop()


def where() -> Circumstances:
    return Circumstances(lambda: Pass("validate", 3, 2), Module())


def written(stream: io.TextIOWrapper) -> str:
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def test_a_line_goes_where_it_went_and_is_told_with_its_place() -> None:
    with heard() as (streams, told):
        print("loss", 0.5)
        print("oh", file=sys.stderr)
        assert (written(streams[0]), written(streams[1])) == ("loss 0.5\n", "oh\n")
        assert [(each.stream, each.text) for each in told] == [
            ("stdout", "loss 0.5"),
            ("stderr", "oh"),
        ]
        (first, _) = told
        assert (first.stage, first.pass_, first.epoch) == ("validate", 3, 2)
        assert first.hook == "validation_step"


def test_the_stream_is_the_same_object_of_the_same_class() -> None:
    with heard() as (streams, told):
        assert sys.stdout is streams[0]
        assert type(sys.stdout) is io.TextIOWrapper
        assert not sys.stdout.isatty()
        assert sys.stdout.writelines(["a\n", "b\n"]) is None  # type: ignore[func-returns-value]
        assert [each.text for each in told] == ["a", "b"]


def test_a_logged_record_is_told_once_and_as_such() -> None:
    with heard() as (streams, told):
        logger = logging.getLogger("mine")
        handler = logging.StreamHandler()
        logger.addHandler(handler)
        logger.warning("careful\nreally")
        logger.removeHandler(handler)
        assert [(each.stream, each.text) for each in told] == [
            ("logging", "careful"),
            ("logging", "really"),
        ]
        assert written(streams[1]) == "careful\nreally\n"


def test_its_own_log_is_not_told() -> None:
    with heard() as (streams, told):
        logger = logging.getLogger("ddpwatch.of_a_test")
        handler = logging.StreamHandler()
        logger.addHandler(handler)
        logger.warning("no hub")
        logger.removeHandler(handler)
        assert told == []
        assert written(streams[1]) == "no hub\n"


def test_stopping_leaves_nothing_behind() -> None:
    with replaced():
        found: list[Output] = []
        printed = Printed(found.append, lambda _: None, where())
        printed.start()
        printed.stop()
        print("later")
        assert found == []
        assert "write" not in vars(sys.stdout)


def test_who_wrapped_later_keeps_its_place_and_the_tap_falls_silent() -> None:
    with replaced() as streams:
        found: list[Output] = []
        printed = Printed(found.append, lambda _: None, where())
        printed.start()
        ours = sys.stdout.write
        theirs = functools.partial(ours)
        sys.stdout.write = theirs  # type: ignore[method-assign]
        printed.stop()
        print("later")
        assert vars(sys.stdout)["write"] is theirs
        assert found == []
        assert written(streams[0]) == "later\n"


def test_what_telling_a_line_prints_is_passed_on_only() -> None:
    with replaced() as streams:
        found: list[str] = []

        def publish(output: Output) -> None:
            found.append(output.text)
            print("from within")

        printed = Printed(publish, lambda _: None, where())
        printed.start()
        print("outside")
        printed.stop()
        assert found == ["outside"]
        assert written(streams[0]) == "outside\nfrom within\n"


def test_a_failure_to_tell_does_not_reach_who_prints() -> None:
    with replaced() as streams:

        def publish(output: Output) -> None:
            raise ValueError("broken")

        printed = Printed(publish, lambda _: None, where())
        printed.start()
        print("still printed")
        printed.stop()
        assert written(streams[0]) == "still printed\n"


def test_threads_do_not_mix_their_pieces() -> None:
    with heard() as (_, told):
        first_half, second_half = threading.Event(), threading.Event()

        def other() -> None:
            first_half.wait(10)
            sys.stdout.write("other\n")
            second_half.set()

        thread = threading.Thread(target=other)
        thread.start()
        sys.stdout.write("one ")
        first_half.set()
        assert second_half.wait(10)
        sys.stdout.write("line\n")
        thread.join()
        assert [each.text for each in told] == ["other", "one line"]


def test_one_stream_for_both_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    both = io.StringIO()
    monkeypatch.setattr(sys, "stdout", both)
    monkeypatch.setattr(sys, "stderr", both)
    found: list[Output] = []
    printed = Printed(found.append, lambda _: None, where())
    printed.start()
    print("once", file=sys.stderr)
    printed.stop()
    assert [each.text for each in found] == ["once"]


def test_a_process_without_streams_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    printed = Printed(lambda _: None, lambda _: None, where())
    printed.start()
    printed.stop()
