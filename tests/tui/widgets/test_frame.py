"""Do the lines around a screen say where one is, and which keys there are?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddpwatch.board.snapshot import PassKey, View
from ddpwatch.tui.verbs import ON_METRICS
from ddpwatch.tui.widgets.frame import key_spans, pass_name, tab_spans, title_spans
from ddpwatch.tui.widgets.tones import Span, width_of
from tests.tui import diagnosed, snapshots


def title(run, view=View(), needle="", width=120, **kwargs):  # noqa: B008 - frozen
    return "".join(span.text for span in title_spans(run, view, needle, width, **kwargs))


def test_title_says_pass_and_progress() -> None:
    assert "validate · epoch 3 · after 8 of 12 batches" in title(snapshots.run())
    assert "complete" in title(snapshots.run(snapshots.table(final=True)))
    assert "no batch yet" in title(snapshots.run(snapshots.table(step=-1)))
    assert "after 8 batches" in title(snapshots.run(snapshots.table(steps=None)))
    assert "without rank 2" in title(snapshots.run(snapshots.table(note="without rank 2")))
    assert "no metric" in title(replace(snapshots.run(), table=None))


def test_title_says_by_whose_choice() -> None:
    assert "follows the newest" in title(snapshots.run())
    assert "follows train" in title(snapshots.run(), View(stage="train"))
    assert "held, f follows" in title(snapshots.run(), View(key=snapshots.VALIDATE), width=60)
    assert "filter f1" in title(snapshots.run(), needle="f1")
    assert "no row matches f9" in title(snapshots.run(), needle="f9", found=False)


@pytest.mark.parametrize("width", [50, 60, 80, 120])
def test_title_fits(width: int) -> None:
    for make in (snapshots.digits, snapshots.hostile, snapshots.many_ranks):
        spans = title_spans(make().run, View(key=snapshots.VALIDATE), "needle" * 9, width)
        assert width_of(spans) <= width


def test_passes_are_numbered_only_where_that_tells_them_apart() -> None:
    one, two = PassKey(0, "validate", 6, 3, 0), PassKey(0, "validate", 7, 3, 0)
    other = PassKey(0, "validate", 6, 3, 1)
    again = PassKey(1, "validate", 6, 3, 0)
    assert pass_name(one, (one,)) == "validate · epoch 3"
    assert pass_name(two, (one, two)) == "validate · epoch 3 · pass 7"
    assert pass_name(other, (one, other)) == "validate · epoch 3 · dataloader 1"
    assert pass_name(again, (one, again)) == "validate · epoch 3 · restart 1"
    assert pass_name(PassKey(0, "sanity_check", 0, 0, 0), ()) == "sanity check · epoch 0"


def test_tabs_mark_the_present_screen() -> None:
    tones = {s.text.strip(): s.tone for s in tab_spans("ranks")}
    assert list(tones) == ["1 Metrics", "2 Logged", "3 Ranks", "4 Findings", "5 Output"]
    assert [name for name, tone in tones.items() if tone == "active"] == ["3 Ranks"]


def test_tab_counts_what_is_wrong_in_the_tone_of_the_worst() -> None:
    error, warning, info = (
        next(f for f in diagnosed.findings() if f.severity == severity)
        for severity in ("error", "warning", "info")
    )
    assert Span("2✗ ", "bad") in tab_spans("metrics", (warning, error, info))
    assert Span("1! ", "worst") in tab_spans("metrics", (warning, info))
    assert Span("1 ", "muted") in tab_spans("metrics", (info,))


@pytest.mark.parametrize("width", [50, 60, 80, 120, 200])
def test_ways_out_are_always_named(width: int) -> None:
    spans = key_spans(ON_METRICS, width)
    text = "".join(span.text for span in spans)
    assert width_of(spans) == width
    for words in ("? help", "^p palette", "q quit", "/ filter"):
        assert words in text


@pytest.mark.parametrize("width", [8, 14, 24, 40])
def test_help_stays_in_the_narrowest_footer(width: int) -> None:
    assert "? help" in "".join(span.text for span in key_spans(ON_METRICS, width))
