"""Is a printed line told with when, who, where and how often, and harmless whatever it says?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddpwatch.tui.widgets import output_model as model
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import diagnosed, snapshots

LINE = diagnosed.output()[1]


def text(line, width=120, started=snapshots.NOW - 200):
    spans = model.output_line(line, width, started)
    assert width_of(spans) == width
    return "".join(span.text for span in spans)


def test_when_who_where_and_how_often() -> None:
    assert text(LINE).split()[:7] == [
        "3:15", "0-3", "×4", "out", "validate", "3", "on_validation_epoch_end"
    ]  # fmt: skip
    assert "×" not in text(replace(LINE, ranks=(2,), count=1))


def test_streams_read_differently() -> None:
    words = {stream: text(replace(LINE, stream=stream)).split()[3] for stream in model.STREAMS}
    assert words == {"stdout": "out", "stderr": "err", "logging": "log"}


@pytest.mark.parametrize("width", [46, 58, 78, 118, 200])
def test_lines_fill_every_width(width: int) -> None:
    for said in ("", "short", "語" * 300, snapshots.HOSTILE, "e\u0301" * 99, "x" * 10_000, "\t|"):
        line = text(replace(LINE, text=said, hook=said, stage=said), width)
        assert "\x1b" not in line and "\u202e" not in line and "\t" not in line
    assert width_of(model.head(width)) == width


def test_words_and_ranks_filter() -> None:
    lines = diagnosed.output()
    assert [line.ranks for line in model.matching(lines, "rank:2 warning")] == [(2,)]
    assert len(model.matching(lines, "r:1")) == 2
    assert model.matching(lines, "rank:") == lines
    assert [line.stream for line in model.matching(lines, "stderr")] == ["stderr"]
