"""May a hub open as many connections as the system lets it?"""

from __future__ import annotations

import resource

import pytest

from ddpwatch.link.binding import MOST_DESCRIPTORS, allow_many_connections

UNLIMITED = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        (1024, 4096, 4096),
        (1024, 2**20, MOST_DESCRIPTORS),
        (1024, UNLIMITED, MOST_DESCRIPTORS),
        (4096, 4096, None),
        (2**20, 2**20, None),
        (UNLIMITED, UNLIMITED, None),
    ],
)
def test_the_limit_is_raised_as_far_as_it_may_and_never_lowered(
    soft: int, hard: int, raised: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    allow_many_connections()
    assert asked == ([] if raised is None else [(raised, hard)])


def test_a_system_that_refuses_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 4096))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    allow_many_connections()
