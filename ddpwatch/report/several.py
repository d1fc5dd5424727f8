"""How are the reports of one or more runs printed, in each format?"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ddpwatch.report.document import Report, to_json
from ddpwatch.report.markdown import to_markdown
from ddpwatch.report.text import to_text

RENDER: dict[str, Callable[[Report], str]] = {
    "table": to_text,
    "json": to_json,
    "markdown": to_markdown,
}


def render(reports: Iterable[Report], form: str) -> str:
    """Return them one after the other: JSON as `serve --headless` prints it, run by run."""
    between = "\n" if form == "json" else "\n\n"
    return between.join(map(RENDER[form], reports))
