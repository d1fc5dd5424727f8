"""Is every kind of trouble logged, and none twice?"""

from __future__ import annotations

import logging

import pytest

from ddpwatch.link.complaints import Complaints


def test_each_kind_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    complaints = Complaints()
    with caplog.at_level(logging.WARNING, "ddpwatch"):
        for text in ("100% of it", "again"):
            complaints.warn("size", text)
        complaints.warn("content", "other", error=ValueError("why"))
    assert [record.getMessage() for record in caplog.records] == ["100% of it", "other"]
    assert "ValueError: why" in caplog.text
