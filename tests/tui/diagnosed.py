"""Snapshots of a run that logs its metrics in wrong ways, is told so, and prints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ddpwatch.board.snapshot import (
    Finding,
    LoggedId,
    LoggedRow,
    LoggedTable,
    LoggerRow,
    OutputLine,
    RowKey,
)
from tests.tui import snapshots
from tests.tui.snapshots import HOSTILE, NOW, VALIDATE, floats


def logged_row(name, reduction, local, ended, global_=None, *, called=None, codes=(), **changes):
    world = len(local)
    called = np.ones(world, dtype=bool) if called is None else np.array(called, dtype=bool)
    ranks = floats(ended)
    base = LoggedRow(
        id=LoggedId("validation_step", name, "epoch"),
        on_step=False,
        on_epoch=True,
        sync_dist=False,
        reduce_fx="mean",
        rank_zero_only=False,
        logger=True,
        prog_bar=False,
        source="tensor",
        called=called,
        ended=called & np.isfinite(ranks),
        calls=np.where(called, 12, 0),
        order=np.where(called, 0, -1),
        nonfinite=np.zeros(world, dtype=np.int64),
        local=floats(local),
        ranks=ranks,
        reduction=reduction,
        global_=global_,
        gap=None if global_ is None else float(ranks[0]) - global_,
        codes=codes,
    )
    return replace(base, **changes)


F1_KEY = RowKey("val_metrics.f1", "f1")


def logged_rows():
    mean = (0.904,) * 4
    return (
        logged_row(
            "val_f1",
            "rank-local",
            snapshots.F1,
            snapshots.F1,
            0.871,
            codes=("DW105", "DW101"),
            metric=F1_KEY,
            monitored_by=("checkpoint",),
            basis="not synced, and every rank ended with its own mean over batches",
        ),
        logged_row(
            "val_precision",
            "mean-of-batches",
            snapshots.PRECISION,
            mean,
            0.889,
            codes=("DW102",),
            sync_dist=True,
            metric=RowKey("val_metrics.precision", "precision"),
            basis="equal to the mean over all batches weighted by their size",
        ),
        logged_row(
            "val_recall",
            "state-reduced",
            (0.888,) * 4,
            (0.888,) * 4,
            0.888,
            source="compute of val_metrics.recall",
            metric=RowKey("val_metrics.recall", "recall"),
            basis="equal on all ranks to the value of the reduced states",
        ),
        logged_row(
            "val_loss",
            "mean-of-batches-floored",
            (0.31, 0.33, 0.45, 0.32),
            (0.371,) * 4,
            sync_dist=True,
            codes=("DW108",),
            prog_bar=True,
            basis="the averaged sample count 90.25 was cut to 90",
        ),
        logged_row(
            "cls_3",
            "unknown",
            (1.0, np.nan, 2.0, np.nan),
            (1.5, np.nan, 1.5, np.nan),
            called=(True, False, True, False),
            codes=("DW106",),
            sync_dist=True,
            basis="not every rank logged it",
        ),
    )


def finding(code, severity, title, key, message, **changes):
    base = Finding(
        code=code,
        severity=severity,
        title=title,
        message=message,
        why="Lightning writes what rank 0 holds. Without a sync that is rank 0's mean over its own "
        "batches; what the other ranks hold is lost.",
        fix='self.val_f1 = MulticlassF1Score(num_classes=10, average="macro")\n\n'
        "def validation_step(self, batch, batch_idx):\n"
        "    self.val_f1.update(preds, labels)\n"
        '    self.log("val_f1", self.val_f1)',
        key=key,
        ranks=(0, 1, 2, 3),
        pass_key=VALIDATE,
        first_at=NOW - 20,
    )
    return replace(base, **changes)


def findings():
    return (
        finding(
            "DW101",
            "warning",
            "logged value is one rank's own, and ranks disagree",
            "val_f1",
            "val_f1 is rank 0's own value, 0.913; over all ranks F1 is 0.871",
        ),
        finding(
            "DW102",
            "warning",
            "logged value averages a ratio metric",
            "val_precision",
            "val_precision averages the precision of batches to 0.904; over all ranks it is 0.889",
            first_at=NOW - 10,
        ),
        finding(
            "DW105",
            "error",
            "a monitored key differs between ranks",
            "val_f1",
            "checkpoint watches val_f1, which is 0.913, 0.902, 0.855 and 0.898 on ranks 0 to 3",
        ),
        finding(
            "DW203",
            "info",
            "ranks saw different numbers of samples",
            "",
            "ranks saw from 90 to 91 samples in validate",
            ranks=(3,),
        ),
    )


def output():
    def line(at, ranks, text, stream="stdout", hook="on_validation_epoch_end", **changes):
        base = OutputLine(NOW - at, ranks, stream, text, "validate", 3, hook, len(ranks))
        return replace(base, **changes)

    return (
        line(9, (0, 1, 2, 3), "Seed set to 0", "logging", hook="", stage=""),
        line(5, (0, 1, 2, 3), "epoch 3: f1 0.913"),
        line(4, (0,), "only rank 0 says this", count=3),
        line(3, (2,), "UserWarning: no positive samples in targets", "stderr", "validation_step"),
    )


def logger_rows():
    def made(method, tag, written, values):
        return LoggerRow(
            logger="TensorBoardLogger",
            method=method,
            tag=tag,
            hook="on_validation_epoch_end",
            stage="validate",
            calls=np.array([4, 4, 4, 4]),
            written=np.array(written),
            values=floats(values),
            steps=np.array([3, 3, 3, 3]),
        )

    only_zero = (True, False, False, False)
    return (
        made("add_scalar", "f1/even", only_zero, (0.91, 0.90, 0.85, 0.89)),
        made("add_scalar", "f1/prime", only_zero, (0.81, 0.80, 0.75, 0.79)),
    )


def metric_rows():
    f1, precision, recall = (r for r in snapshots.digit_rows() if r.label is None)
    labels = [r for r in snapshots.digit_rows() if r.label is not None]
    shown = []
    for row, value, codes in (
        (f1, 0.913, ("DW105", "DW101")),
        (precision, 0.904, ("DW102",)),
        (recall, recall.global_, ()),
    ):
        logged = LoggedId("validation_step", f"val_{row.key.score}", "epoch")
        gap = value - row.global_
        shown.append(replace(row, logged=logged, logged_value=value, logged_gap=gap, codes=codes))
        shown += [r for r in labels if r.key.score == row.key.score]
    return tuple(shown)


def run(world_table=None, **changes):
    dealt = ("DW203",)
    shown = snapshots.table(metric_rows(), codes=dealt) if world_table is None else world_table
    told = {
        "logged": LoggedTable(VALIDATE, 7, True, logged_rows()),
        "findings": findings(),
        "output": output(),
        "logger_rows": logger_rows(),
    }
    return snapshots.run(shown, **{**told, **changes})


def wrong():
    """Four ranks that log rank 0's F1, an averaged precision, and a right recall."""
    return snapshots.snapshot(run())


def hostile():
    """The same with texts that would break a layout, run markup, or act on the terminal."""
    long = HOSTILE + "x" * 10_000
    names = (HOSTILE, long, "日本語のキー", "[/]", "e\u0301" * 9)
    rows = tuple(
        replace(row, id=LoggedId(HOSTILE, name, "epoch"), source=HOSTILE, basis=long, alias=long)
        for row, name in zip(logged_rows(), names, strict=True)
    )
    told = tuple(
        replace(each, key=HOSTILE, message=long, why=HOSTILE, fix=long) for each in findings()
    )
    lines = tuple(replace(each, text=long, hook=HOSTILE) for each in output())
    calls = tuple(replace(each, tag=long, hook=HOSTILE, logger=HOSTILE) for each in logger_rows())
    table = LoggedTable(VALIDATE, 7, True, rows)
    return snapshots.snapshot(
        run(logged=table, findings=told, output=lines, logger_rows=calls, output_dropped=12)
    )


def many_ranks(world=2_000):
    """A key on more ranks than fit, which one of them never logs."""
    rng = np.random.default_rng(0)
    values = rng.normal(0.9, 0.01, world)
    called = np.arange(world) != world // 2
    row = logged_row("val_f1", "rank-local", values, values, 0.89, called=called)
    return snapshots.snapshot(
        snapshots.run(
            snapshots.table(samples=(91,) * world,
                            rows=snapshots.with_labels("val.f1", "f1", values, 0.89)),
            logged=LoggedTable(VALIDATE, 7, True, (row,)),
        )
    )  # fmt: skip
