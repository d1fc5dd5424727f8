"""Between a pass's last batch and its end, hand-made updates and resets are followed."""

from __future__ import annotations

import logging

import pytest
from torch import nn
from torchmetrics import Metric, SumMetric

from ddpwatch_lightning.capture import merged
from ddpwatch_lightning.captures import Captures
from ddpwatch_lightning.ending import Ending
from ddpwatch_lightning.failures import Failures
from ddpwatch_lightning.followed import Followed
from ddpwatch_lightning.tracked import Selection


class Module(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sums = SumMetric()


class Scene:
    """A pass after its final states were taken."""

    def __init__(self, updates: int) -> None:
        self.module = Module()
        self.followed = Followed(Selection(), None)
        self.followed.refresh(self.module)
        self.told: list[str] = []
        self.failures = Failures(self.told.append)
        self.captures = Captures(self.failures.note)
        self.captures.begin(self.followed.holders())
        for _ in range(updates):
            self.module.sums.update(1.0)
        self.captures.retain(self.captures.take(self.followed.holders()))
        self.ending = Ending(self.captures, self.followed, self.failures)

    def final_updates(self) -> int:
        return merged(self.captures.retained())[0].updates


def test_nothing_happened() -> None:
    assert not Scene(updates=2).ending.close()


def test_compute_and_reset_by_hand_lose_nothing() -> None:
    scene = Scene(updates=2)
    scene.module.sums.compute()
    scene.module.sums.reset()
    assert not scene.ending.close()
    assert scene.final_updates() == 2


def test_updates_in_the_end_hook_count_also_when_reset_there() -> None:
    scene = Scene(updates=0)
    scene.module.sums.update(1.0)
    scene.module.sums.update(1.0)
    scene.module.sums.reset()
    assert scene.ending.close()
    assert scene.final_updates() == 2


def test_updates_in_the_end_hook_count_without_a_reset() -> None:
    scene = Scene(updates=1)
    scene.module.sums.update(1.0)
    assert scene.ending.close()
    assert scene.final_updates() == 2


def test_resets_of_metrics_that_are_not_followed_do_not_matter() -> None:
    scene = Scene(updates=1)
    other = SumMetric()
    other.update(1.0)
    other.reset()
    assert not scene.ending.close()


def test_a_failure_does_not_reach_whoever_resets(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene(updates=0)
    scene.module.sums._update_count = "torn"  # type: ignore[assignment]
    with caplog.at_level(logging.WARNING, "ddpwatch"):
        scene.module.sums.reset()
    assert scene.module.sums._update_count == 0
    assert scene.failures.count == 1
    assert "TypeError" in scene.told[0]
    scene.ending.close()


def test_nobody_listens_after_the_end() -> None:
    before = Metric.reset
    scene = Scene(updates=0)
    assert Metric.reset is not before
    scene.ending.close()
    assert Metric.reset is before
