"""What joins a hub, a board and a screen or a report?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from ddpwatch.board.board import Board
from ddpwatch.board.retained import Retained
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import RecordingInfo, Severity, Snapshot
from ddpwatch.errors import DDPWatchError
from ddpwatch.feed import Intake, Sink, SourceFeed, Stoppable
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.findings.rule import is_at_least
from ddpwatch.findings.telling import Telling
from ddpwatch.headless import watch
from ddpwatch.link.hub import Hub
from ddpwatch.link.viewer import Viewer
from ddpwatch.recording.filing import Filed
from ddpwatch.recording.recorder import Recorder
from ddpwatch.report.document import build_report, to_json
from ddpwatch.report.found import Herald
from ddpwatch.report.text import to_text
from ddpwatch.wire.endpoint import resolve, resolve_bind
from ddpwatch.wire.token import load_token

FOUND = 1
"""Exit code where something was found that `--fail-on` does not let pass."""

INTERRUPTED = 130
"""The shell's exit code of a command that Ctrl-C has ended."""


def make_hub(bind: str | None) -> Hub:
    """A hub for `bind`, else for $DDPWATCH, else for the default port; not open yet."""
    return Hub(resolve_bind(bind, os.environ), load_token(), memory=Retained())


def make_viewer(address: str | None) -> Viewer:
    """A viewer of the hub at `address`, else at $DDPWATCH, else at the default port."""
    return Viewer(resolve(address, os.environ), load_token())


def make_intake(address: str, diagnosis: Diagnosis, sinks: Sequence[Sink] = ()) -> Intake:
    """A board that also says what is wrong with a run, and tells that to `sinks` as well."""
    return Intake(Board(address, diagnosis), Telling(diagnosis), sinks)


def dashboard(bind: str | None, record: Path | None = None) -> None:
    """Show the dashboard until the user quits; record into a folder below `record`, if given."""
    with make_hub(bind) as hub, recording_to(record, _unsaid) as recorders:
        show(hub, hub.address, sinks=[hub, *recorders], recorders=recorders)
    for recorder in recorders:
        _tell_recorded(recorder.filed)


@contextmanager
def recording_to(
    folder: Path | None, warn: Callable[[str], None]
) -> Iterator[tuple[Recorder, ...]]:
    """A recorder, or none where there is no folder; `warn` gets a line when it is in trouble."""
    if folder is None:
        yield ()
        return
    with Recorder(folder, warn) as recorder:
        yield (recorder,)


def _unsaid(_: str) -> None:
    """The header says it while the dashboard is there, and a line when it is gone."""


def _tell_recorded(filed: Filed) -> None:
    if filed.nbytes:
        say(f"recorded in {filed.folder}; `ddpwatch list` shows what is there")
    if filed.lost or filed.trouble:
        say(f"{filed.lost} messages were not recorded: {filed.trouble or 'the disk was too slow'}")


def attached(address: str | None) -> None:
    """Show the dashboard of a hub that another process has opened, until the user quits."""
    with make_viewer(address) as viewer:
        show(viewer, viewer.address, Diagnosis(looks=False))


def show(
    source: Stoppable,
    address: str,
    diagnosis: Diagnosis | None = None,
    *,
    waiting: str = "",
    sinks: Sequence[Sink] = (),
    recorders: Sequence[Recorder] = (),
) -> None:
    """Run the dashboard on a source; `waiting` is what to say before a first rank comes.

    `sinks` get what the source yields and what was found in it. Without a `diagnosis` of the
    caller, the dashboard has one that looks for itself. It also says how `recorders` fare.

    Raises:
        DDPWatchError: the source failed; the screen is closed by then.
    """
    from ddpwatch.tui.app import WatchApp  # noqa: PLC0415 - headless needs no Textual

    intake = make_intake(address, diagnosis or Diagnosis(), sinks)
    feed = SourceFeed(source, intake, lambda snapshot: _with_recording(snapshot, recorders))
    trouble = WatchApp(feed, waiting=waiting).run()
    if trouble:
        raise DDPWatchError(str(trouble))


def _with_recording(snapshot: Snapshot, recorders: Sequence[Recorder]) -> Snapshot:
    for recorder in recorders:
        filed = recorder.filed
        info = RecordingInfo(str(filed.folder), filed.nbytes, filed.lost, filed.trouble)
        return replace(snapshot, link=replace(snapshot.link, recording=info))
    return snapshot


def headless(
    bind: str | None,
    *,
    once: bool,
    form: str,
    fail_on: Severity | None,
    record: Path | None = None,
) -> None:
    """Tell news on stderr and print a report of each run at its end, until Ctrl-C or `once`.

    With `record`, everything is recorded into a folder below it.
    """
    with make_hub(bind) as hub, recording_to(record, say) as recorders:
        say(f"listening on {hub.address}")
        sinks: list[Sink] = [hub, *recorders]
        narrate(hub, hub.address, once=once, form=form, fail_on=fail_on, sinks=sinks)


def attached_headless(
    address: str | None, *, once: bool, form: str, fail_on: Severity | None
) -> None:
    """As `headless`, through a hub that another process has opened."""
    with make_viewer(address) as viewer:
        learning = Diagnosis(looks=False)
        narrate(viewer, viewer.address, learning, once=once, form=form, fail_on=fail_on)


def narrate(
    source: Stoppable,
    address: str,
    diagnosis: Diagnosis | None = None,
    *,
    once: bool,
    form: str,
    fail_on: Severity | None = None,
    sinks: Sequence[Sink] = (),
) -> None:
    """Run `watch` on a source; on Ctrl-C, report what there is and exit with 130.

    With `fail_on`, exit with 1 at the end if anything of that severity or graver was found.
    `diagnosis` and `sinks` are as in `show`.
    """
    diagnosis = diagnosis or Diagnosis()
    intake, herald = make_intake(address, diagnosis, sinks), Herald(diagnosis)
    board, report = intake.board, printer(form, diagnosis)
    try:
        watch(source, intake, herald, say=say, report=report, once=once)
    except KeyboardInterrupt:
        for run in board.runs.values():
            report(run, board.now)
        sys.exit(FOUND if _fails(herald, board, fail_on) else INTERRUPTED)
    if _fails(herald, board, fail_on):
        sys.exit(FOUND)


def _fails(herald: Herald, board: Board, fail_on: Severity | None) -> bool:
    found = herald.gravest(board.runs.values(), board.now)
    return fail_on is not None and any(is_at_least(each, fail_on) for each in found)


def say(line: str) -> None:
    """One line on stderr, at once."""
    click.echo(line, err=True)


def print_out(text: str) -> None:
    """Text on stdout."""
    click.echo(text)


def printer(form: str, diagnosis: Diagnosis) -> Callable[[Run, float], None]:
    """A function that prints the report of a run on stdout."""
    render = to_json if form == "json" else to_text

    def report(run: Run, now: float) -> None:
        click.echo(render(build_report(run, now, diagnosis.conclude(run, now))))

    return report
