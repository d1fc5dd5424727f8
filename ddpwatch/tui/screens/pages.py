"""What do the help pages say?"""

from __future__ import annotations

from ddpwatch.tui.screens.help import Page
from ddpwatch.tui.widgets.cells import DISAGREE

METRICS = Page(
    "Metrics",
    "What every rank measured by itself, the plain mean of those values, and the value over all "
    "ranks together, which is the true one.",
    (
        (
            "Columns",
            (
                ("rank N", "computed from that rank's own samples"),
                ("mean", "plain mean of the ranks' values"),
                ("GLOBAL", "computed from the states of all ranks reduced together"),
                ("logged", "what rank 0's Lightning ended with under the key of this quantity"),
                ("gap", "logged minus GLOBAL; where this pass logs no metric, mean minus GLOBAL"),
                ("DW…", "the most severe finding about the row; Enter says why, and the fix"),
                ("samples", "how many samples each rank has seen in this pass"),
            ),
        ),
        (
            "Marks",
            (
                ("▼ ▲", f"worst rank, where ranks differ by more than {DISAGREE}"),
                ("↓", "this rank is behind the others"),
                ("≠ =", "mean and GLOBAL differ, or agree"),
                ("–", "nothing has come from this rank at this step"),
                ("∅", "this rank had no samples for the metric"),
                ("nan! inf!", "the value is not finite: it is a value, not a missing one"),
                ("« »", "more ranks on this side"),
                ("░", "lowest to highest, where there are too many ranks for lines"),
            ),
        ),
        (
            "Moving",
            (
                ("↑ ↓ j k", "choose the row; the chart follows"),
                ("PgUp PgDn", "a screenful; Home and End go to the first and last row"),
                ("← → h l", "scroll the ranks; where all ranks fit, close and open classes"),
                ("Shift+← →", "scroll the ranks by a screenful"),
            ),
        ),
    ),
)

LOGGED = Page(
    "Logged",
    "Every name under which this job logs a value, what each rank put in, and how the value that "
    "came out was made. A step value and an epoch value of one key are two names.",
    (
        (
            "How it came about",
            (
                ("✓", "state-reduced: computed from the states of all ranks, the true value"),
                ("◐", "rank-local: each rank's own; loggers get that of rank 0"),
                ("≈", "a mean, sum, maximum or minimum of ranks or of batches"),
                ("floored", "a mean whose averaged sample count was cut to an integer: too high"),
                ("?", "unknown: metadata and numbers do not decide; below it says what would"),
            ),
        ),
        (
            "Columns",
            (
                ("rank N", "v switches: before any sync, what the rank ended with, calls"),
                (
                    "sync",
                    "sync_dist; an object syncs by itself. Then reduce_fx, source, hook, goal",
                ),
                ("#2 ×8", "second key of the pass on this rank, logged eight times"),
                ("GLOBAL", "the true value of the metric that the key belongs to, if one is known"),
                ("logged", "what rank 0 ended with"),
                ("gap", "logged minus GLOBAL"),
            ),
        ),
        (
            "Marks",
            (
                ("∅", "this rank never logged the key, others did; at the edge: one out of sight"),
                ("…", "known only once the pass is over"),
                ("✓ ✗", "calls on loggers: written, or thrown away because the rank is above 0"),
            ),
        ),
        ("Moving", (("↑ ↓ j k", "choose a key"), ("← → h l", "scroll the ranks"))),
    ),
)

FINDINGS = Page(
    "Findings",
    "Faults that the numbers prove, the most severe first. Each has a code, the numbers that show "
    "it, the reason and a fix. Nothing is guessed: a rule that cannot decide says nothing.",
    (
        (
            "Severity",
            (
                ("✗ error", "ranks may hang or take different decisions"),
                ("! warning", "a value that is logged or used is not what it seems"),
                ("i info", "worth knowing"),
            ),
        ),
        ("Moving", (("↑ ↓ j k", "choose a finding"), ("PgUp PgDn", "a screenful"))),
    ),
)

OUTPUT = Page(
    "Output",
    "What the ranks print, on stdout, on stderr and through logging, with the hook that was "
    "running. The same line of several ranks is one line here: that is why it is printed twice.",
    (
        (
            "Columns",
            (
                ("at", "how long after the first rank came the line was printed"),
                ("ranks", "who printed the line; ×6 says how often in all"),
                ("by", "out, err, or log"),
                ("in", "stage and epoch"),
            ),
        ),
        ("Filter", (("rank:1", "lines of rank 1; other words must stand in the line"),)),
        ("Moving", (("↑ ↓ j k", "choose a line; at the last one, the newest is followed"),)),
    ),
)

RANKS = Page(
    "Ranks",
    "One line for each rank: where it runs and whether it is still heard. Below: all that is "
    "known of the rank with the cursor.",
    (
        (
            "Status",
            (
                ("● live", "heard a moment ago"),
                ("○ silent", "not heard for some seconds, and it has not said goodbye"),
                ("■ ended", "it has said goodbye"),
                ("✗ failed", "it ended with an exception"),
                ("◌ unseen", "it has never been heard"),
            ),
        ),
        (
            "Columns",
            (
                ("node", "host, and the local rank on it"),
                ("at", "stage, epoch and batches done"),
                ("heard", "how long ago the last message came"),
                ("hook", "the Lightning hook it was last in, and for how long"),
                ("lost", "messages dropped on the rank + missing on the way"),
            ),
        ),
        ("Moving", (("↑ ↓ j k", "choose a rank"), ("PgUp PgDn", "a screenful"))),
    ),
)

WAITING = Page(
    "Waiting",
    "No rank has come yet. As soon as one does, its metrics appear here by themselves; ranks that "
    "began earlier send again what they have kept.",
)
