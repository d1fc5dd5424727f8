"""The application: it asks the feed for snapshots, holds the one on display, carries out verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.markup import escape
from textual.reactive import reactive
from textual.screen import ModalScreen, Screen

from ddpwatch.board.about import key_names
from ddpwatch.board.snapshot import Playback, RunView, Snapshot, View
from ddpwatch.tui import replay_keys, steer
from ddpwatch.tui.controls import Controls
from ddpwatch.tui.feed import Feed, FeedFailed, SnapshotArrived
from ddpwatch.tui.screens.findings import FindingsScreen
from ddpwatch.tui.screens.logged import LoggedScreen
from ddpwatch.tui.screens.metrics import MetricsScreen
from ddpwatch.tui.screens.output import OutputScreen
from ddpwatch.tui.screens.place import PlaceScreen
from ddpwatch.tui.screens.ranks import RanksScreen
from ddpwatch.tui.screens.runs import RunsScreen
from ddpwatch.tui.screens.waiting import WaitingScreen
from ddpwatch.tui.screens.watch_screen import WatchScreen
from ddpwatch.tui.shown import RowChosen, RowWanted, Shown, TimeWanted
from ddpwatch.tui.theme import DDPWATCH


class WatchApp(App[str]):
    """Draws what a feed delivers.

    `run()` returns None when the user quits, and a text for stderr when the feed failed;
    `return_code` is then 1.
    """

    CSS_PATH = Path(__file__).with_name("app.tcss")
    TITLE = "ddpwatch"
    ENABLE_COMMAND_PALETTE = True
    SCREENS: ClassVar[dict[str, Callable[[], Screen[None]]]] = {
        "waiting": WaitingScreen,
        "metrics": MetricsScreen,
        "logged": LoggedScreen,
        "ranks": RanksScreen,
        "findings": FindingsScreen,
        "output": OutputScreen,
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit", show=False),
        Binding("ctrl+c", "quit", "Quit", show=False, priority=True),
    ]

    shown: reactive[Shown] = reactive(Shown(), always_update=True, repaint=False)

    def __init__(
        self,
        feed: Feed,
        *,
        refresh_hz: float = 5.0,
        waiting: str = "",
        controls: Controls | None = None,
    ) -> None:
        """The feed is started when the app is, and stopped with it.

        `waiting` is what to say before a first rank comes; if empty, how to start a training.
        `controls` are there where the feed plays a recording.
        """
        super().__init__()
        self._nothing = Shown(waiting=waiting, replay=controls is not None)
        self.set_reactive(WatchApp.shown, self._nothing)
        self._controls = controls
        self._expected: Playback | None = None
        self._feed = feed
        self._period = 1.0 / refresh_hz
        self._view = View()
        self._tab = "metrics"

    def on_mount(self) -> None:
        """Start the feed, and ask it for a snapshot now and then."""
        self.register_theme(DDPWATCH)
        self.theme = DDPWATCH.name
        self.push_screen("waiting")
        self._feed.start(self._deliver, self._fail)
        self._ask()
        self.set_interval(self._period, self._ask)

    def on_unmount(self) -> None:
        """Stop the feed."""
        self._feed.stop()

    @property
    def paused(self) -> bool:
        """Whether the display is held still."""
        return self.shown.frozen_for is not None

    def on_snapshot_arrived(self, message: SnapshotArrived) -> None:
        """Show what arrived, or only how old the display has become."""
        held = self.shown.snapshot
        if self.paused and held is not None:
            self.shown = replace(self.shown, frozen_for=message.snapshot.at - held.at)
            return
        self._expected = message.snapshot.playback
        self.shown = replace(self._nothing, snapshot=message.snapshot, view=self._view)
        self._route()

    def on_feed_failed(self, message: FeedFailed) -> None:
        """Leave with the error as the result."""
        why = str(message.error) or type(message.error).__name__
        self.exit(f"the source of the display failed: {why}", return_code=1)

    def on_row_chosen(self, message: RowChosen) -> None:
        """Chart another row."""
        self._view = replace(self._view, row=message.row)
        self._ask()

    def on_row_wanted(self, message: RowWanted) -> None:
        """Show the row that a finding is about: among the logged keys, else among the metrics."""
        run, finding = self.shown.run, message.finding
        if run is None:
            return
        if not finding.key:
            self.notify("this finding is about the run, not about a row", markup=False, timeout=3)
            return
        if finding.pass_key in run.passes:
            self._steer(lambda view, _: replace(view, key=finding.pass_key))
        keys = [key_names(row) for row in run.logged.rows] if run.logged else []
        self._tab = "logged" if any(finding.key in names for names in keys) else "metrics"
        screen = self.get_screen(self._tab)
        if isinstance(screen, LoggedScreen | MetricsScreen):
            screen.look_for(finding)
        self._route()

    def on_time_wanted(self, message: TimeWanted) -> None:
        """Go to a recorded time."""
        if self._controls is not None:
            self._controls.seek(message.at)
            if self._expected is not None:
                self._expected = replace(self._expected, at=message.at)
            self._ask()

    def on_scrub_bar_toggled(self) -> None:
        """Play or pause."""
        self.action_replay("play")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is live is held still; what is recorded is played, and has places to go to."""
        if action == "pause":
            return self._controls is None
        if action in ("replay", "place"):
            return self._controls is not None
        return super().check_action(action, parameters)

    def action_replay(self, what: replay_keys.What, by: int = 1) -> None:
        """Play, pause, or go somewhere else in the recording.

        Keys come faster than snapshots, so each begins where the one before it leads to.
        """
        if self._controls is None or self._expected is None:
            return
        then = replay_keys.carry_out(what, by, self._expected, self._controls)
        if isinstance(then, str):
            self.notify(then, markup=False, timeout=3)
        else:
            self._expected = then
            self._ask()

    def action_place(self) -> None:
        """Let the user type a place of the recording."""
        if not isinstance(self.screen, ModalScreen):
            self.push_screen(PlaceScreen(), self._jump)

    def action_pause(self) -> None:
        """Hold the display still, or go on."""
        if self.shown.snapshot is None:
            return
        self.shown = replace(self.shown, frozen_for=None if self.paused else 0.0)
        self._ask()

    def action_show(self, tab: str) -> None:
        """Switch to another screen."""
        self._tab = tab
        self._route()

    def action_stage(self) -> None:
        """Show the next stage, or follow the newest again."""
        self._steer(steer.next_stage)

    def action_pass(self, by: int) -> None:
        """Show the pass before or after."""
        self._steer(lambda view, run: steer.neighbour_pass(view, run, by))

    def action_loader(self) -> None:
        """Show the next dataloader of this pass."""
        self._steer(steer.next_loader)

    def action_follow(self) -> None:
        """Show whatever is newest."""
        self._steer(lambda view, _: steer.follow(view))

    def action_over(self) -> None:
        """Chart over epochs instead of steps, or back."""
        self._steer(lambda view, _: steer.other_axis(view))

    def action_runs(self) -> None:
        """Let the user choose a run."""
        if not isinstance(self.screen, ModalScreen):
            run = self.shown.run
            self.push_screen(RunsScreen(run.run if run else None), self._choose_run)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Put every verb of the screen into the palette; help takes the place of Textual's keys."""
        inherited = super().get_system_commands(screen)
        yield from (command for command in inherited if command.title != "Keys")
        if isinstance(screen, WatchScreen):
            for verb in screen.verbs():
                if verb.action not in ("app.command_palette", "app.quit"):
                    run = partial(self.run_action, verb.action, screen)
                    yield SystemCommand(verb.title, escape(f"{verb.meaning}  ({verb.shown})"), run)

    def _deliver(self, snapshot: Snapshot) -> None:
        """Called from the feed's thread."""
        self.post_message(SnapshotArrived(snapshot))

    def _fail(self, error: BaseException) -> None:
        """Called from the feed's thread."""
        self.post_message(FeedFailed(error))

    def _ask(self) -> None:
        self._feed.request(self._view)

    def _steer(self, turn: Callable[[View, RunView], View]) -> None:
        """Change the view, unless the display is held still."""
        if self.paused:
            self.notify("the display is paused; space lets it go on", markup=False, timeout=3)
        elif self.shown.run is not None:
            self._view = turn(self._view, self.shown.run)
            self._ask()

    def _choose_run(self, run: str | None) -> None:
        if run is not None:
            self._steer(lambda view, _: steer.of_run(view, run))

    def _jump(self, place: str | None) -> None:
        if place is not None and self._controls is not None:
            self._controls.jump(place)
            self._ask()

    def _route(self) -> None:
        """Show the screen that fits: waiting until there is a run, then the one that was chosen."""
        wanted = self._tab if self.shown.run is not None else "waiting"
        if not isinstance(self.screen, ModalScreen) and self.screen is not self.get_screen(wanted):
            self.switch_screen(wanted)
