"""Are spans joined, filled and cut at the right cell?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.tui.widgets.tones import Span, clip, fill, spread, width_of


def test_two_groups_stand_at_the_ends() -> None:
    assert spread((Span("a"),), (Span("b"),), 5) == (Span("a"), Span("   "), Span("b"))


def test_groups_that_do_not_fit_are_left_out() -> None:
    groups = [(Span("aaaa"),), (Span("bbbbbbbb"),), (Span("cc"),), ()]
    assert "".join(span.text for span in fill(groups, 9, " ")) == "aaaa cc"


@given(st.lists(st.text("ab日", max_size=6), max_size=5), st.integers(0, 20))
def test_clipping_keeps_the_width_and_says_so(texts: list[str], width: int) -> None:
    spans = tuple(Span(text) for text in texts)
    kept = clip(spans, width)
    assert width_of(kept) <= width
    if width_of(spans) <= width:
        assert kept == spans
    elif width:
        assert "".join(span.text for span in kept).endswith("…")
