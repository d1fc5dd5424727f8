"""Failures are counted always, and told and logged once a kind."""

from __future__ import annotations

import logging

import pytest

from ddpwatch_lightning.failures import Failures


def test_a_failure_that_cannot_be_told_stays_inside(caplog: pytest.LogCaptureFixture) -> None:
    def broken(text: str) -> None:
        raise OSError(text)

    failures = Failures(broken)
    failures.note("setup", ValueError("one"))
    assert failures.count == 1
    assert "could not tell" in caplog.text


def test_each_kind_is_told_once_and_all_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    failures = Failures(told.append)
    with caplog.at_level(logging.WARNING, "ddpwatch"):
        for error in (ValueError("one"), ValueError("two"), KeyError("three")):
            failures.note("on_train_batch_end", error)
    assert failures.count == 3
    assert told == ["on_train_batch_end: ValueError: one", "on_train_batch_end: KeyError: 'three'"]
    assert len(caplog.records) == 2
    assert all(record.exc_info for record in caplog.records)


def test_what_does_not_fit_is_told_once_in_words_and_always_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[str] = []
    failures = Failures(told.append)
    for text in ("expected a, got b", "expected a, got c"):
        failures.note_unfit("shadow", text)
    assert told == ["expected a, got b"]
    assert [record.getMessage() for record in caplog.records] == [
        "ddpwatch: expected a, got b; training goes on"
    ]
    assert failures.count == 2
