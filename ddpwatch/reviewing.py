"""What joins a recording and a report? Each command takes what is open, and returns its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from ddpwatch.board.snapshot import Severity
from ddpwatch.report import (
    compared,
    comparison,
    junit,
    plain_check,
    several,
    side_by_side,
    verdict_json,
    workflow,
)
from ddpwatch.report.export import export as write
from ddpwatch.report.recorded import Answer, Recording, remarks_on, reports_of
from ddpwatch.report.selection import parse
from ddpwatch.report.side import side_of
from ddpwatch.report.verdict import judge

VERDICTS = {
    "text": plain_check.to_plain,
    "json": verdict_json.to_json,
    "github": workflow.to_annotations,
    "junit": junit.to_junit,
}


def report(recording: Recording, *, form: str = "table", run: str | None = None) -> Answer:
    """Say what came of every run, or of one.

    Raises:
        UsageError: there is no such run.
    """
    text = several.render(reports_of(recording, run), form)
    return Answer(text, remarks=remarks_on(recording))


def check(
    recording: Recording,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    fail_on: Severity = "warning",
    form: str = "text",
) -> Answer:
    """Say what was found; the code is 1 where something of severity `fail_on` or above is left.

    Raises:
        UsageError: a code that there is not, or a recording of no run.
    """
    verdict = judge(reports_of(recording), parse(select, ignore), fail_on)
    return Answer(VERDICTS[form](verdict), verdict.code, remarks_on(recording))


def compare(
    a: Recording,
    b: Recording,
    *,
    form: str = "table",
    run_a: str | None = None,
    run_b: str | None = None,
) -> Answer:
    """Hold one run against another.

    Raises:
        UsageError: a recording holds several runs, and none was named; or there is none.
    """
    pair = comparison.compare(side_of(a, run_a, "--run-a"), side_of(b, run_b, "--run-b"))
    text = compared.to_json(pair) if form == "json" else side_by_side.to_text(pair)
    return Answer(text, remarks=(*remarks_on(a, "A"), *remarks_on(b, "B")))


def export(
    recording: Recording,
    *,
    to: str,
    out: str,
    stdout: TextIO,
    force: bool = False,
    run: str | None = None,
) -> Answer:
    """Write every value of every step to `out`; nothing but a remark is left to be said.

    Raises:
        UsageError: as `ddpwatch.report.export.export` does.
    """
    count = write(recording, to, out, stdout=stdout, force=force, run=run)
    said = f"{count:,} {'point' if to == 'tensorboard' else 'value'}{'' if count == 1 else 's'}"
    return Answer("", remarks=(*remarks_on(recording), f"{said} written to {out}"))
