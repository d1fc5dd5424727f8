"""How does text from outside get into Markdown without becoming markup?

Written for GitHub's dialect: what it takes for a mention, an issue or a link is broken up, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ddpwatch.text import truncate, visible

LONGEST_NAME = 120
LONGEST_SENTENCE = 2_000

_BREAK = "<!-- -->"
"""Seen by nobody, and enough to keep two halves of a link apart."""

_MARKUP = re.compile(r"[\\`*_\[\]|~$]")
_LINKS = re.compile(r"[@#]|(?<=:)(?=//)|(?i:(?<=www)(?=\\?\.))|(?i:(?<=\bGH)(?=-\d))")


def prose(text: str) -> str:
    """Return a sentence that reads as it is, in one line.

    >>> prose("F1 of @you is <b>")
    'F1 of @<!-- -->you is &lt;b&gt;'
    """
    safe = truncate(visible(text), LONGEST_SENTENCE).replace("&", "&amp;")
    safe = safe.replace("<", "&lt;").replace(">", "&gt;")
    safe = _MARKUP.sub(r"\\\g<0>", safe)
    return _LINKS.sub(rf"\g<0>{_BREAK}", safe)


def code(text: str, longest: int = LONGEST_NAME) -> str:
    """Return a name as code, in one line; nothing stays nothing.

    >>> code("val_f1"), code("a`b")
    ('`val_f1`', '`` a`b ``')
    """
    shown = truncate(visible(text), longest)
    if not shown.strip():
        return f"`{shown}`" if shown else ""
    ticks = _fence(shown, 1)
    blank = " " if shown[0] in "` " or shown[-1] in "` " or "`" in shown else ""
    return f"{ticks}{blank}{shown}{blank}{ticks}"


def block(lines: Iterable[str], language: str = "") -> list[str]:
    """Return lines of code between fences that nothing within can close."""
    shown = [truncate(visible(line), LONGEST_SENTENCE) for line in lines]
    fence = _fence("\n".join(shown), 3)
    return [f"{fence}{language}", *shown, fence]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> list[str]:
    """Return a table of cells that are Markdown already; all columns but `words` hold numbers."""
    rule = ["---"] * words + ["---:"] * (len(head) - words)
    return [f"| {' | '.join(map(_cell, cells))} |" for cells in (head, rule, *rows)]


def _cell(text: str) -> str:
    """A bar ends a cell, in code as well, unless an odd number of backslashes stands before it."""
    return re.sub(r"(\\*)\|", lambda bar: bar[1] + "\\" * (1 - len(bar[1]) % 2) + "|", text)


def _fence(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
