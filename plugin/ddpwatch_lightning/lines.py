"""Which whole lines are in the text that a stream is given, without colours and redraws?"""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST = 2_000
"""Characters of a line; what is beyond them is left out and marked."""

LONGEST_TEXT = 65_536
"""Characters looked at in one piece of text; the lines beyond them are only counted."""

CUT = "…"

_CONTROLS = re.compile(
    r"(?P<newline>\r?\n)"
    r"|(?P<return>\r)"
    r"|(?P<colour>\x1b\[[0-9;:]*m)"
    r"|(?P<erase>\x1b\[[0-9;]*[JK])"
    r"|(?P<move>\x1b\[[0-?]*[ -/]*[@-~])"
    r"|(?P<other>\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]?)"
    r"|(?P<text>[^\r\n\x1b]+)"
)
_BARS = frozenset("━╸╺█▏▎▍▌▋▊▉")


class Lines:
    """Puts one thread's pieces of text together to lines.

    What a carriage return begins is a redraw, up to the end of its piece or line, unless what was
    there had been blanked out first, as progress bars do before others print. In a piece of text
    that moves the cursor, lines with the glyphs of a bar are redraws, too.
    """

    __slots__ = ("_is_redraw", "_moves", "_on_lost", "_text")

    def __init__(self, on_lost: Callable[[int], None]) -> None:
        """Prepare; `on_lost` is told of how many lines were only counted."""
        self._on_lost = on_lost
        self._text = ""
        self._is_redraw = False
        self._moves = False

    def feed(self, text: str) -> list[str]:
        """Return the lines that `text` completes; empty ones and redraws are left out."""
        if len(text) > LONGEST_TEXT:
            self._on_lost(text.count("\n", LONGEST_TEXT))
            text = text[:LONGEST_TEXT]
        if self._is_redraw and text[:1] not in {"\r", "\n"} and self._text.strip():
            # Somebody else prints behind the bar.
            self._text, self._is_redraw = "", False
        if "\x1b" in text or "\r" in text:
            return self._feed_controls(text)
        if "\n" not in text:
            self._add(text)
            return []
        first, *between, last = text.split("\n")
        self._add(first)
        whole = [self._take()]
        whole += [self._cut(line) for line in between]
        self._add(last)
        return [line for line in whole if line and not line.isspace()]

    def _feed_controls(self, text: str) -> list[str]:
        self._moves = False
        whole = []
        for found in _CONTROLS.finditer(text):
            kind = found.lastgroup
            if kind == "text":
                self._add(found[0])
            elif kind == "newline":
                line = self._take()
                if line and not line.isspace():
                    whole.append(line)
            elif kind == "return":
                self._return()
            elif kind == "erase":
                self._text, self._is_redraw, self._moves = "", False, True
            elif kind == "move":
                self._text, self._moves = "", True
        return whole

    def _return(self) -> None:
        """Go back to the line's beginning: what comes now replaces what was there."""
        was_blanked = self._is_redraw and not self._text.strip()
        self._is_redraw = not was_blanked
        self._text = ""

    def _add(self, text: str) -> None:
        if len(self._text) <= LONGEST:
            self._text += text[: LONGEST + 1]

    def _take(self) -> str:
        line, is_redraw = self._text, self._is_redraw
        self._text, self._is_redraw = "", False
        if is_redraw or (self._moves and not _BARS.isdisjoint(line)):
            return ""
        return self._cut(line)

    @staticmethod
    def _cut(line: str) -> str:
        return line.rstrip() if len(line) <= LONGEST else line[:LONGEST] + CUT
