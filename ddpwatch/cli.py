"""Which commands are there? Each is parsed here and handed over; heavy imports wait till then."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from ddpwatch import __version__
from ddpwatch.errors import DDPWatchError, UsageError

if TYPE_CHECKING:
    from ddpwatch.board.snapshot import Severity

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
def serve(
    bind: str | None, *, headless: bool, once: bool, form: str, fail_on: Severity | None
) -> None:
    """Wait for ranks and show what they measure.

    Start it before, during or after the training: ranks look for it by themselves, and hand over
    every epoch that they have finished.
    """
    from ddpwatch import serving  # noqa: PLC0415 - `--help` must not wait for it

    require_headless(headless, once=once, fail_on=fail_on)
    if headless:
        serving.headless(bind, once=once, form=form, fail_on=fail_on)
        return
    require_terminal("ddpwatch serve --headless")
    serving.dashboard(bind)


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


@main.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Say what a finding's CODE means and how to put it right; without one, list them all."""
    from ddpwatch.findings import pages  # noqa: PLC0415 - `--help` must not wait for it

    click.echo(pages.listing() if code is None else pages.page(code))


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
