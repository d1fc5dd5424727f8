"""What do all these tests share? Ranks that try again sooner than in a second."""

from __future__ import annotations

import pytest

from ddpwatch.link import seeker


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeker, "RETRY_AFTER", 0.05)
