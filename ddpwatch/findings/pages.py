"""Where is the page that explains a code, and which codes are there?"""

from __future__ import annotations

from pathlib import Path

from ddpwatch.errors import UsageError
from ddpwatch.findings.registry import BY_CODE


def folder() -> Path:
    """The pages: packed beside this file, or in the source tree."""
    packed = Path(__file__).parent / "_pages"
    return packed if packed.exists() else Path(__file__).parents[2] / "docs" / "findings"


def page(code: str) -> str:
    """Return the page about a code, as Markdown that reads well as it is.

    Raises:
        UsageError: there is no such code.
    """
    known = BY_CODE.get(code.upper())
    if known is None:
        raise UsageError(
            f"expected a code such as DW101, got {code!r}: `ddpwatch explain` lists them all"
        )
    return (folder() / f"{known.fault.code}.md").read_text(encoding="utf-8")


def listing() -> str:
    """Return one line for each code: its severity and title."""
    faults = (rule.fault for rule in BY_CODE.values())
    return "\n".join(f"{fault.code}  {fault.severity:<7}  {fault.title}" for fault in faults)
