"""How does text from outside reach a terminal without being obeyed, and how wide is it there?

Names of metrics, classes, hosts and runs come over the network. What a terminal would act on, or
what would not be seen at all, is replaced by something that is seen.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from rich.cells import cell_len, get_character_cell_size, set_cell_size

ELLIPSIS = "…"

MOST_MARKS = 2
"""Combining marks that one letter may carry before the rest is spelled out."""

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Blank, or changing the width of what stands before them, though their category is harmless.
_HIDDEN = frozenset(map(chr, (0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0, 0x034F))) | frozenset(
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
)


def visible(text: str, width: int | None = None) -> str:
    r"""Return `text` with nothing left that a terminal obeys or hides, in at most `width` cells.

    Control characters become their pictures (`␛`), everything else that is unseen (bidirectional
    controls, zero-width characters, unassigned code points) its escape (`\u202e`).

    >>> visible("loss\x1b[31m")
    'loss␛[31m'
    """
    safe = text if text.isascii() and text.isprintable() else _replace(text)
    return safe if width is None else truncate(safe, width)


def truncate(text: str, width: int) -> str:
    """Cut visible text at `width` cells; an ellipsis says that it was cut.

    >>> truncate("val_metrics.f1", 6)
    'val_m…'
    """
    if cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    return set_cell_size(text, width - 1).rstrip() + ELLIPSIS


def shorten(text: str, width: int) -> str:
    """Cut visible text in the middle, for paths: their two ends tell more than their middle.

    >>> shorten("model.encoder.val_metrics.f1", 15)
    'model.e…rics.f1'
    """
    if cell_len(text) <= width:
        return text
    if width < 5:
        return truncate(text, width)
    head = set_cell_size(text, width // 2).rstrip()
    room = width - 1 - cell_len(head)
    start = len(text)
    while start > 0 and cell_len(text[start - 1 :]) <= room:
        start -= 1
    return head + ELLIPSIS + text[start:]


def pad(text: str, width: int, align: Literal["left", "right"] = "left") -> str:
    """Return exactly `width` cells: cut with an ellipsis, or filled with blanks."""
    fitted = truncate(text, width)
    blanks = " " * (width - cell_len(fitted))
    return fitted + blanks if align == "left" else blanks + fitted


def wrap(text: str, width: int, hang: str = "") -> list[str]:
    """Break visible text into lines of at most `width` cells, after blanks where there are any.

    All lines but the first begin with `hang`; words too long for a line are broken, not cut.

    >>> wrap("rank 0's own value", 10)
    ["rank 0's", 'own value']
    """
    lines: list[str] = []
    start, used, blank = 0, 0, 0
    room = max(1, width)
    for place, char in enumerate(text):
        cells = get_character_cell_size(char)
        if used + cells > room and place > start:
            cut = blank if blank > start else place
            lines.append((hang if lines else "") + text[start:cut].rstrip())
            start, room = cut, max(1, width - cell_len(hang))
            used = cell_len(text[start:place])
        used += cells
        if char == " " and text[start:place].strip():
            blank = place + 1
    return [*lines, (hang if lines else "") + text[start:]]


def _replace(text: str) -> str:
    shown: list[str] = []
    marks = MOST_MARKS
    for char in text:
        if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me"}:
            marks += 1
            shown.append(_escape(char) if marks > MOST_MARKS or char in _HIDDEN else char)
            continue
        marks = 0
        shown.append(_visible_char(char))
        if shown[-1] != char:
            # A mark must not sit on a placeholder.
            marks = MOST_MARKS
    return "".join(shown)


def _visible_char(char: str) -> str:
    if (picture := _PICTURES.get(ord(char))) is not None:
        return picture
    category = unicodedata.category(char)
    if category in _HIDDEN_CATEGORIES or char in _HIDDEN or (category == "Zs" and char != " "):
        return _escape(char)
    return char


def _escape(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
