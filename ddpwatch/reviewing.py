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
from ddpwatch.report.pace import Stopwatch
from ddpwatch.report.recorded import (
    Answer,
    Recording,
    chosen,
    end_of,
    remarks_on,
    reports_of,
)
from ddpwatch.report.selection import parse
from ddpwatch.report.side import Side, side_of
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
    board = end_of(recording)
    text = several.render(reports_of(board, run), form)
    return Answer(text, remarks=remarks_on(recording, board))


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
    selection = parse(select, ignore)
    board = end_of(recording)
    verdict = judge(reports_of(board), selection, fail_on)
    return Answer(VERDICTS[form](verdict), verdict.code, remarks_on(recording, board))


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
    ours, remarks_a = _side(a, run_a, "A")
    theirs, remarks_b = _side(b, run_b, "B")
    pair = comparison.compare(ours, theirs)
    text = compared.to_json(pair) if form == "json" else side_by_side.to_text(pair)
    return Answer(text, remarks=(*remarks_a, *remarks_b))


def _side(recording: Recording, run: str | None, letter: str) -> tuple[Side, tuple[str, ...]]:
    stopwatch = Stopwatch()
    board = end_of(recording, also=stopwatch.fold)
    side = side_of(board, stopwatch, run, f"--run-{letter.lower()}")
    return side, remarks_on(recording, board, letter)


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
    board = end_of(recording)
    wanted = frozenset(each.run for each in chosen(board, run))
    count = write(recording, wanted, to, out, stdout=stdout, force=force)
    said = f"{count:,} {'point' if to == 'tensorboard' else 'value'}{'' if count == 1 else 's'}"
    return Answer("", remarks=(*remarks_on(recording, board), f"{said} written to {out}"))
