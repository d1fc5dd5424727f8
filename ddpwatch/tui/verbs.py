"""What can one do, with which key? One list for bindings, footer, help and palette alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that can be done.

    `keys` are named as Textual names them, `shown` as people do. `short` is empty to stay off the
    footer, and `always` keeps it there in a narrow window. `only` names the kind of source without
    which the verb does not exist.
    """

    keys: str
    shown: str
    action: str
    title: str
    meaning: str
    short: str = ""
    always: bool = False
    only: Literal["live", "replay"] | None = None


QUIT = Verb("q", "q", "app.quit", "Quit", "leave; no training is touched", "quit", always=True)
HELP = Verb("question_mark", "?", "screen.help", "Help", "explain this screen", "help", always=True)
PAUSE = Verb(
    "space",
    "space",
    "app.pause",
    "Pause or go on",
    "hold the display still; data still comes in",
    "pause",
    only="live",
)
METRICS = Verb("1", "1", "app.show('metrics')", "Screen: Metrics", "every rank beside the truth")
LOGGED = Verb("2", "2", "app.show('logged')", "Screen: Logged", "every key, and what it really is")
RANKS = Verb("3", "3", "app.show('ranks')", "Screen: Ranks", "who is where, and still alive")
FINDINGS = Verb("4", "4", "app.show('findings')", "Screen: Findings", "what is wrong, and the fix")
OUTPUT = Verb("5", "5", "app.show('output')", "Screen: Output", "what the ranks print")
RUNS = Verb("r", "r", "app.runs", "Choose a run", "list the runs that are known", "runs")
PALETTE = Verb(
    "ctrl+p",
    "^p",
    "app.command_palette",
    "Palette",
    "all of this by name, and themes",
    "palette",
    always=True,
)
FILTER = Verb(
    "slash", "/", "screen.filter", "Filter rows", "keep rows that match; Esc clears", "filter"
)
CLASSES = Verb(
    "e",
    "e",
    "screen.classes",
    "Open or close classes",
    "the labels of the row, or of all scores above",
    "classes",
)
OVER = Verb(
    "o", "o", "app.over", "Chart over steps or epochs", "switch the chart's axis", "steps/epochs"
)
STAGE = Verb(
    "s,tab", "s tab", "app.stage", "Next stage", "newest, then each stage in turn", "stage"
)
BACK = Verb("left_square_bracket", "[", "app.pass(-1)", "Previous pass", "of this stage")
FORTH = Verb("right_square_bracket", "]", "app.pass(1)", "Next pass", "of this stage")
FOLLOW = Verb("f", "f", "app.follow", "Follow the newest", "undo a chosen stage or pass", "follow")
LOADER = Verb("d", "d", "app.loader", "Next dataloader", "where a pass has several")
HEAT = Verb("g", "g", "screen.heat", "Strip of all ranks", "show or hide it", "all ranks")
MEAN = Verb("m", "m", "screen.mean", "Mean in the chart", "show or hide it", "mean")

EXPLAIN = Verb(
    "enter",
    "enter",
    "screen.explain",
    "Explain",
    "why a row has a finding, and the fix; opens classes where it has none",
    "explain",
)
EXPLAIN_ONLY = Verb(
    "enter", "enter", "screen.explain", "Explain", "why it is wrong, and the fix", "explain"
)
VALUES = Verb(
    "v", "v", "screen.values", "Next values", "before any sync, ended with, or calls", "values"
)
CALLS = Verb("c", "c", "screen.calls", "Calls on loggers", "instead of keys, or back", "loggers")
NEWEST = Verb("f", "f", "screen.newest", "Follow the newest line", "go to the end", "follow")
GOTO = Verb("g", "g", "screen.goto", "Go to the row", "that the finding is about", "go to row")

PLAY = Verb(
    "space",
    "space",
    "app.replay('play')",
    "Play or pause",
    "the recording; at its end, begin again",
    "play",
    only="replay",
)
STEP_ON = Verb("full_stop", ".", "app.replay('step', 1)", "One step on", "and pause", only="replay")
STEP_BACK = Verb(
    "comma", ",", "app.replay('step', -1)", "One step back", "and pause", only="replay"
)
EPOCH_ON = Verb(
    "greater_than_sign",
    ">",
    "app.replay('epoch', 1)",
    "Next end of an epoch",
    "in the recording",
    "epoch",
    only="replay",
)
EPOCH_BACK = Verb(
    "less_than_sign",
    "<",
    "app.replay('epoch', -1)",
    "Previous end of an epoch",
    "in the recording; before the first one, its begin",
    only="replay",
)
FINDING_ON = Verb(
    "right_curly_bracket",
    "}",
    "app.replay('finding', 1)",
    "Next finding",
    "go to where it was first proven",
    "finding",
    only="replay",
)
FINDING_BACK = Verb(
    "left_curly_bracket",
    "{",
    "app.replay('finding', -1)",
    "Previous finding",
    "go to where it was first proven",
    only="replay",
)
FASTER = Verb(
    "plus,equals_sign",
    "+",
    "app.replay('speed', 1)",
    "Faster",
    "up to 1000 recorded seconds in one",
    "faster",
    only="replay",
)
SLOWER = Verb(
    "minus",
    "-",
    "app.replay('speed', -1)",
    "Slower",
    "down to a tenth of the recorded speed",
    only="replay",
)
PLACE = Verb(
    "colon",
    ":",
    "app.place",
    "Go to a place",
    "type an epoch, an epoch and a step, or a time",
    "go to",
    only="replay",
)
FOUND = Verb(
    "t",
    "t",
    "screen.found",
    "Go to when it was found",
    "play the recording from where the finding was first proven",
    "when found",
    only="replay",
)

SCREENS = (METRICS, LOGGED, RANKS, FINDINGS, OUTPUT)
COMMON = (*SCREENS, RUNS, PAUSE, HELP, PALETTE, QUIT)
REPLAY = (
    EPOCH_ON, EPOCH_BACK, FINDING_ON, FINDING_BACK, PLACE, FASTER, SLOWER, STEP_ON, STEP_BACK
)  # fmt: skip
ON_METRICS = (
    PLAY, FILTER, CLASSES, EXPLAIN, *REPLAY, OVER, STAGE, BACK, FORTH, FOLLOW, LOADER, HEAT, MEAN,
    *COMMON,
)  # fmt: skip
ON_LOGGED = (
    PLAY, FILTER, VALUES, CALLS, EXPLAIN_ONLY, *REPLAY, STAGE, BACK, FORTH, FOLLOW, *COMMON
)  # fmt: skip
ON_FINDINGS = (PLAY, FILTER, EXPLAIN_ONLY, FOUND, GOTO, *REPLAY, *COMMON)
ON_OUTPUT = (PLAY, FILTER, NEWEST, *REPLAY, *COMMON)
ON_RANKS = (PLAY, FILTER, *REPLAY, *COMMON)
ON_WAITING = (PLAY, *REPLAY, HELP, PALETTE, QUIT)


def applying(verbs: Iterable[Verb], *, replay: bool) -> tuple[Verb, ...]:
    """Those that exist while a recording is played, or while something live is watched."""
    without = "live" if replay else "replay"
    return tuple(verb for verb in verbs if verb.only != without)


def bindings(verbs: Iterable[Verb]) -> list[Binding]:
    """Return the verbs as bindings of a screen."""
    return [
        Binding(key, verb.action, verb.title, show=False)
        for verb in verbs
        for key in verb.keys.split(",")
    ]
