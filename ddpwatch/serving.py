"""What joins a hub, a board and a screen or a report?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from ddpwatch.board.board import Board
from ddpwatch.board.retained import Retained
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import Severity
from ddpwatch.errors import DDPWatchError
from ddpwatch.feed import Intake, Sink, SourceFeed, Stoppable
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.findings.rule import is_at_least
from ddpwatch.findings.telling import Telling
from ddpwatch.headless import watch
from ddpwatch.link.hub import Hub
from ddpwatch.link.viewer import Viewer
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


def dashboard(bind: str | None) -> None:
    """Show the dashboard until the user quits."""
    with make_hub(bind) as hub:
        show(hub, hub.address, sinks=[hub])


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
) -> None:
    """Run the dashboard on a source; `waiting` is what to say before a first rank comes.

    `sinks` get what the source yields and what was found in it. Without a `diagnosis` of the
    caller, the dashboard has one that looks for itself.

    Raises:
        DDPWatchError: the source failed; the screen is closed by then.
    """
    from ddpwatch.tui.app import WatchApp  # noqa: PLC0415 - headless needs no Textual

    intake = make_intake(address, diagnosis or Diagnosis(), sinks)
    trouble = WatchApp(SourceFeed(source, intake), waiting=waiting).run()
    if trouble:
        raise DDPWatchError(str(trouble))


def headless(bind: str | None, *, once: bool, form: str, fail_on: Severity | None) -> None:
    """Tell news on stderr and print a report of each run at its end, until Ctrl-C or `once`."""
    with make_hub(bind) as hub:
        click.echo(f"listening on {hub.address}", err=True)
        narrate(hub, hub.address, once=once, form=form, fail_on=fail_on, sinks=[hub])


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


def printer(form: str, diagnosis: Diagnosis) -> Callable[[Run, float], None]:
    """A function that prints the report of a run on stdout."""
    render = to_json if form == "json" else to_text

    def report(run: Run, now: float) -> None:
        click.echo(render(build_report(run, now, diagnosis.conclude(run, now))))

    return report
