"""What do the help pages say of a recording, and of what is wrong with its files?"""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.snapshot import Playback
from ddpwatch.text import visible
from ddpwatch.tui.screens.help import Page
from ddpwatch.tui.widgets.finding_model import GLYPHS
from ddpwatch.tui.widgets.scrub_model import PAUSED, PLAYS
from ddpwatch.tui.widgets.track import EPOCH_OPEN, HERE, PART

THE_BAR = (
    (f"{PLAYS} {PAUSED}", "it plays, or is paused; a click there switches"),
    (HERE, "the place that the screens show; a click on the line goes elsewhere"),
    (EPOCH_OPEN, "end of an epoch; where they are many, of each 2nd, 5th, 10th …"),
    (" ".join(glyph for glyph, _ in GLYPHS.values()), "a finding was first proven: its severity"),
    (PART, "begin of the next part of the recording"),
)


def page_with(page: Page, playback: Playback | None) -> Page:
    """The page of a screen, with what there is to say of the recording, if it shows one."""
    if playback is None:
        return page
    told = [("!", visible(note)) for note in playback.notes]
    if not playback.is_whole:
        told.append(("…", "marks are still being looked for; more of them will appear"))
    files = (("This recording", tuple(told)),) if told else ()
    return replace(page, parts=(*files, *page.parts, ("The line of the recording", THE_BAR)))
