"""Does the dashboard look as it did when somebody last looked at it?

After a change that is meant: look at the report, then `pytest tests/tui/test_looks.py
--snapshot-update`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from ddpwatch.tui.app import WatchApp
from tests.tui import diagnosed, replays, snapshots
from tests.tui.fake_controls import FakeControls
from tests.tui.fake_feed import FakeFeed

LOOKS = {
    "metrics": (snapshots.digits, (120, 36), ()),
    "metrics-classes": (snapshots.aggregates, (80, 24), ("e", "down", "down")),
    "metrics-narrow": (snapshots.digits, (60, 20), ()),
    "metrics-many-ranks": (snapshots.many_ranks, (120, 36), ("right",)),
    "metrics-odd-values": (snapshots.odd_values, (120, 36), ()),
    "ranks": (snapshots.silent, (80, 24), ("3", "down", "down")),
    "logged": (diagnosed.wrong, (120, 36), ("2",)),
    "findings": (diagnosed.wrong, (80, 24), ("4",)),
    "output": (diagnosed.wrong, (80, 24), ("5",)),
    "replay": (lambda: replays.snapshot(224.0, paused=True), (120, 36), ("4",)),
    "replay-narrow": (replays.damaged, (60, 20), ()),
    "help": (snapshots.digits, (80, 24), ("question_mark",)),
}


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture(autouse=True)
def _zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Recorded times are shown in the zone of the viewer."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize("look", LOOKS)
def test_look(snap_compare, look: str) -> None:
    make, size, keys = LOOKS[look]
    shown = make()
    controls = FakeControls() if shown.playback else None
    app = WatchApp(FakeFeed(shown), refresh_hz=1e-3, controls=controls)

    async def settle(pilot) -> None:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=settle)


async def test_without_colours_all_marks_are_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = WatchApp(FakeFeed(snapshots.odd_values()), refresh_hz=1e-3)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        colours = {
            style.color.triplet
            for strip in strips
            for segment in strip.apply_filter(app._filters[0], app.screen.background_colors[1])
            if (style := segment.style) is not None and style.color and style.color.triplet
        }
        text = "\n".join(strip.text for strip in strips)
    assert colours and all(red == green == blue for red, green, blue in colours)
    for mark in ("▌", "▼", "↓", "∅", "–", "nan!", "inf!", "≠"):
        assert mark in text
