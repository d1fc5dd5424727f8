"""Is another thread's stack found, and is it bounded?"""

from __future__ import annotations

import threading

import pytest

from ddpwatch.link import stack
from ddpwatch.link.stack import stack_of


def deep(levels: int, entered: threading.Event, leave: threading.Event) -> None:
    if levels:
        deep(levels - 1, entered, leave)
    else:
        innermost(entered, leave)


def innermost(entered: threading.Event, leave: threading.Event) -> None:
    entered.set()
    leave.wait()


@pytest.fixture
def stuck():
    entered, leave = threading.Event(), threading.Event()
    thread = threading.Thread(target=deep, args=(100, entered, leave))
    thread.start()
    assert entered.wait(10)
    yield thread
    leave.set()
    thread.join()


def test_it_ends_where_the_thread_is(stuck: threading.Thread) -> None:
    text = stack_of(stuck.ident)
    assert "in innermost" in text
    assert "leave.wait()" in text


def test_it_shows_the_innermost_frames_only(stuck: threading.Thread) -> None:
    text = stack_of(stuck.ident)
    assert text.count('  File "') <= stack.MOST_FRAMES
    assert "threading.py" in text
    assert "_bootstrap" not in text


def test_a_long_text_is_cut_at_a_line_from_the_outside(
    stuck: threading.Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = stack_of(stuck.ident)
    monkeypatch.setattr(stack, "MOST_CHARACTERS", 500)
    cut = stack_of(stuck.ident)
    assert len(cut) <= 500
    assert whole.endswith("\n" + cut)


def test_a_thread_that_has_ended_has_none() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    assert stack_of(thread.ident) == ""
