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
                ("gap", "mean minus GLOBAL"),
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
