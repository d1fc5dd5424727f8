"""Which commands are there? Each is parsed here and handed over; heavy imports wait till then."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ddpwatch import __version__
from ddpwatch.errors import DDPWatchError, UsageError

if TYPE_CHECKING:
    from ddpwatch.board.snapshot import Severity
    from ddpwatch.recording.recording import Recording as Recorded
    from ddpwatch.report.recorded import Answer

SEVERITIES = click.Choice(["info", "warning", "error"])
FORMATS = click.Choice(["table", "json"])


class Told(click.ClickException):
    """How click prints an error of ours."""

    exit_code = 2


class Commands(click.Group):
    """A group whose commands may raise what `ddpwatch.errors` names; it is told, not traced."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and turn its error into a message and an exit code of 2."""
        try:
            return super().invoke(ctx)
        except DDPWatchError as error:
            raise Told(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ddpwatch")
def main() -> None:
    """Watch a PyTorch Lightning DDP run: every rank's metrics, their mean, and the true value."""


@main.command()
@click.option(
    "--bind",
    metavar="ADDR",
    help="Listen here: HOST:PORT, :PORT or PORT, on loopback. Port 0 takes a free one. "
    "[default: $DDPWATCH, else 127.0.0.1:7787]",
)
@click.option("--headless", is_flag=True, help="No dashboard: news on stderr, reports on stdout.")
@click.option("--once", is_flag=True, help="With --headless: end when the first run has ended.")
@click.option("--format", "form", type=FORMATS, default="table", show_default=True,
              help="With --headless: how to print the report.")  # fmt: skip
@click.option("--fail-on", type=SEVERITIES, help="With --headless: exit with 1 if anything of this "
              "severity or graver was found by the end.")  # fmt: skip
@click.option("--record", metavar="DIR", type=click.Path(), help="Record every run into a folder "
              "below DIR. [default: $DDPWATCH_RECORDINGS, else in your data folder]")  # fmt: skip
@click.option("--no-record", is_flag=True, help="Record nothing.")
def serve(
    bind: str | None,
    *,
    headless: bool,
    once: bool,
    form: str,
    fail_on: Severity | None,
    record: str | None,
    no_record: bool,
) -> None:
    """Wait for ranks and show what they measure; record it, to be seen again.

    Start it before, during or after the training: ranks look for it by themselves, and hand over
    every epoch that they have finished.
    """
    from ddpwatch import serving  # noqa: PLC0415 - `--help` must not wait for it
    from ddpwatch.recording.library import recordings_folder  # noqa: PLC0415 - as above

    require_headless(headless, once=once, fail_on=fail_on)
    if record is not None and no_record:
        raise UsageError("expected --record DIR or --no-record, got both: leave one out")
    folder = Path(record) if record is not None else recordings_folder(os.environ)
    kept = None if no_record else folder
    if headless:
        serving.headless(bind, once=once, form=form, fail_on=fail_on, record=kept)
        return
    require_terminal("ddpwatch serve --headless")
    serving.dashboard(bind, kept)


@main.command()
@click.argument("address", metavar="[ADDR]", required=False)
@click.option("--headless", is_flag=True, help="No dashboard: news on stderr, reports on stdout.")
@click.option("--once", is_flag=True, help="With --headless: end when the first run has ended.")
@click.option("--format", "form", type=FORMATS, default="table", show_default=True,
              help="With --headless: how to print the report.")  # fmt: skip
@click.option("--fail-on", type=SEVERITIES, help="With --headless: exit with 1 if anything of this "
              "severity or graver was found by the end.")  # fmt: skip
def attach(
    address: str | None, *, headless: bool, once: bool, form: str, fail_on: Severity | None
) -> None:
    """Look on through a hub that already runs, such as that of another `ddpwatch serve`.

    ADDR is where it listens: HOST:PORT, :PORT or PORT, on loopback. [default: $DDPWATCH, else
    127.0.0.1:7787] Everything it knows is there at once. Any number may look on, come and go; the
    training and the hub do not notice.
    """
    from ddpwatch import serving  # noqa: PLC0415 - `--help` must not wait for it

    require_headless(headless, once=once, fail_on=fail_on)
    if headless:
        serving.attached_headless(address, once=once, form=form, fail_on=fail_on)
        return
    require_terminal("ddpwatch attach --headless")
    serving.attached(address)


@main.command()
@click.argument("what", type=click.Choice(["digits", "multilabel"]), default="digits")
@click.option("--ranks", type=click.IntRange(1, 64), help="[default: 4; multilabel: 2]")
@click.option("--epochs", type=click.IntRange(1, 10_000), help="[default: 20; multilabel: 10]")
@click.option("--headless", is_flag=True, help="No dashboard: news on stderr, a report on stdout.")
@click.option("--format", "form", type=FORMATS, default="table", show_default=True,
              help="With --headless: how to print the report.")  # fmt: skip
def demo(what: str, ranks: int | None, epochs: int | None, *, headless: bool, form: str) -> None:
    """Train a small network on real digits, on several CPU processes, and watch it.

    WHAT is `digits`, ten classes with metrics as they should be, or `multilabel`: four labels, and
    scores worked out by hand on every rank.
    """
    from ddpwatch import demonstration  # noqa: PLC0415 - `--help` must not wait for it

    if not headless:
        require_terminal("ddpwatch demo --headless")
    demonstration.run(ranks, epochs, headless=headless, form=form, name=what)


@main.command("list")
@click.argument("folder", type=click.Path(), required=False)
def list_(folder: str | None) -> None:
    """Show what has been recorded: date, ranks, epochs, size, findings; the newest first.

    Each line begins with a name that `replay`, `report`, `check`, `compare` and `export` take.
    FOLDER is where to look. [default: where `ddpwatch serve` records]
    """
    from ddpwatch import replaying  # noqa: PLC0415 - `--help` must not wait for it

    replaying.show_list(Path(folder) if folder is not None else None)


@main.command()
@click.argument("path", type=click.Path(), default="latest")
@click.option("--speed", type=click.FloatRange(0.1, 1000), help="How many times as fast. "
              "[default: 1]")  # fmt: skip
@click.option("--at", metavar="PLACE", default="", help="Begin at EPOCH, EPOCH:STEP, or a time "
              "from the start, as 90s, 12m or 1:02:03.")  # fmt: skip
@click.option("--headless", is_flag=True, help="No dashboard: news on stderr, a report on stdout; "
              "with --at, of what was known there.")  # fmt: skip
@click.option("--format", "form", type=FORMATS, default="table", show_default=True,
              help="With --headless: how to print the report.")  # fmt: skip
def replay(path: str, *, speed: float | None, at: str, headless: bool, form: str) -> None:
    """Show again what was recorded at PATH, as it came.

    PATH is a file, a folder with files, a name that `ddpwatch list` shows, or `latest`.
    """
    from ddpwatch import replaying  # noqa: PLC0415 - `--help` must not wait for it

    opened = recording(path)
    if headless:
        if speed is not None:
            raise UsageError("expected --speed for a dashboard, got it with --headless, which is "
                             "as fast as it can be: leave one out")  # fmt: skip
        replaying.headless(opened, at=at, form=form)
        return
    require_terminal("ddpwatch replay --headless")
    replaying.dashboard(opened, path, speed=speed or 1.0, at=at)


@main.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Say what a finding's CODE means and how to put it right; without one, list them all."""
    from ddpwatch.findings import pages  # noqa: PLC0415 - `--help` must not wait for it

    click.echo(pages.listing() if code is None else pages.page(code))


@main.command()
@click.argument("path", type=click.Path())
@click.option("--format", "form", type=click.Choice(["table", "json", "markdown"]), default="table",
              show_default=True, help="`markdown` is for a comment on a pull request.")  # fmt: skip
@click.option("--run", metavar="ID", help="Only the run of this id or name.")
def report(path: str, form: str, run: str | None) -> None:
    """Print the final tables and the findings of what was recorded at PATH."""
    from ddpwatch import reviewing  # noqa: PLC0415 - `--help` must not wait for it

    give(reviewing.report(recording(path), form=form, run=run))


@main.command()
@click.argument("path", type=click.Path())
@click.option("--select", metavar="CODES", multiple=True, help="Count these only: codes or their "
              "beginnings, such as DW102,DW3. May be given several times.")  # fmt: skip
@click.option("--ignore", metavar="CODES", multiple=True, help="Leave these out of what counts.")
@click.option("--fail-on", type=SEVERITIES, default="warning", show_default=True,
              help="Exit with 1 if anything of this severity or graver is left.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "github", "junit"]),
              default="text", show_default=True, help="`github` annotates a workflow.")  # fmt: skip
def check(
    path: str, select: tuple[str, ...], ignore: tuple[str, ...], fail_on: Severity, form: str
) -> None:
    """Fail, for a pipeline, where what was recorded at PATH has findings.

    The exit code is 0 where nothing counts, 1 where something does, and 2 where PATH or a code
    cannot be used.
    """
    from ddpwatch import reviewing  # noqa: PLC0415 - `--help` must not wait for it

    answer = reviewing.check(
        recording(path), select=select, ignore=ignore, fail_on=fail_on, form=form
    )
    give(answer)


@main.command()
@click.argument("a", type=click.Path())
@click.argument("b", type=click.Path())
@click.option("--format", "form", type=FORMATS, default="table", show_default=True)
@click.option("--run-a", metavar="ID", help="Which run of A, where there are several.")
@click.option("--run-b", metavar="ID", help="Which run of B, where there are several.")
def compare(a: str, b: str, form: str, run_a: str | None, run_b: str | None) -> None:
    """Hold the run that was recorded at A against the one at B; differences are B - A."""
    from ddpwatch import reviewing  # noqa: PLC0415 - `--help` must not wait for it

    give(reviewing.compare(recording(a), recording(b), form=form, run_a=run_a, run_b=run_b))


@main.command()
@click.argument("path", type=click.Path())
@click.option("--to", type=click.Choice(["csv", "parquet", "tensorboard"]), required=True,
              help="`parquet` and `tensorboard` need the extra of that name.")  # fmt: skip
@click.option("--out", metavar="DEST", required=True,
              help="A file; for tensorboard, a folder; - is stdout, for csv.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace what is at DEST.")
@click.option("--run", metavar="ID", help="Only the run of this id or name.")
def export(path: str, to: str, out: str, *, force: bool, run: str | None) -> None:
    """Write every value of every step that was recorded at PATH, for other programs."""
    from ddpwatch import reviewing  # noqa: PLC0415 - `--help` must not wait for it

    if out != "-" and os.path.realpath(out) == os.path.realpath(path):
        raise UsageError(f"expected another place than the recording itself, got {out}")
    opened = recording(path)
    give(reviewing.export(opened, to=to, out=out, stdout=sys.stdout, force=force, run=run))


def recording(path: str) -> Recorded:
    """Open what was recorded at `path`, until the command is over."""
    from ddpwatch.recording.library import open_recordings  # noqa: PLC0415 - as above

    return click.get_current_context().with_resource(open_recordings(path))


def give(answer: Answer) -> None:
    """Print an answer, and exit with its code."""
    for remark in answer.remarks:
        click.echo(remark, err=True)
    if answer.text:
        click.echo(answer.text)
    if answer.code:
        sys.exit(answer.code)


def require_headless(headless: bool, *, once: bool, fail_on: Severity | None) -> None:  # noqa: FBT001
    """Raise `UsageError` where an option means nothing beside a dashboard."""
    if once and not headless:
        raise UsageError("expected --once together with --headless, got it alone: add --headless")
    if fail_on is not None and not headless:
        raise UsageError("expected --fail-on with --headless, got it alone: add --headless")


def require_terminal(instead: str) -> None:
    """Raise `UsageError` where a dashboard would draw into a file or a pipe."""
    # Textual draws on stderr, so that one counts too.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError(f"expected a terminal, got a file or pipe: use `{instead}` here")
    if os.environ.get("TERM") == "dumb":
        raise UsageError(f"expected a terminal that can draw, got TERM=dumb: use `{instead}` here")
