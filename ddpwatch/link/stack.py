"""Where exactly is a thread right now? Its stack as bounded text, without stopping it."""

from __future__ import annotations

import sys
import traceback

MOST_FRAMES = 30
MOST_CHARACTERS = 8192


def stack_of(thread_id: int) -> str:
    """Return the innermost frames of a thread, outermost first; empty when the thread has ended."""
    # The only way to see another thread's frames; sys promises the name as long as CPython has it.
    frame = sys._current_frames().get(thread_id)  # noqa: SLF001
    if frame is None:
        return ""
    text = "".join(traceback.format_stack(frame, limit=MOST_FRAMES))
    if len(text) <= MOST_CHARACTERS:
        return text
    cut = text[-MOST_CHARACTERS:]
    return cut[cut.find("\n") + 1 :]
