"""Snapshots as a board would make them, for every situation that a screen has to show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ddpwatch.board.snapshot import (
    LinkInfo,
    PassKey,
    RankInfo,
    Row,
    RowKey,
    RunSummary,
    RunView,
    Series,
    Snapshot,
    StageProgress,
    Table,
)

NOW = 1_000.0
ADDRESS = "tcp://127.0.0.1:7787"
VALIDATE = PassKey(0, "validate", 3, 3, 0)
DIGITS = tuple(str(digit) for digit in range(10))

F1 = (0.913, 0.902, 0.855, 0.898)
PRECISION = (0.921, 0.910, 0.880, 0.905)
RECALL = (0.908, 0.899, 0.851, 0.893)


def floats(values):
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def row(
    metric,
    score,
    values,
    global_,
    *,
    label=None,
    index=-1,
    average="macro",
    cls="MulticlassF1Score",
    own=True,
    present=None,
    samples=91,
    reason="",
):
    values = floats(values)
    present = np.ones(len(values), dtype=bool) if present is None else np.array(present, dtype=bool)
    mean = float(values[present].mean()) if present.any() else None
    counted = np.broadcast_to(np.array(samples, dtype=np.int64), values.shape)
    return Row(
        key=RowKey(metric, score, index),
        cls=cls,
        average=average,
        own=own,
        label=label,
        values=values,
        present=present,
        samples=counted,
        mean=mean,
        global_=global_,
        gap=None if mean is None or global_ is None else mean - global_,
        reason=reason,
    )


def with_labels(metric, score, values, global_, labels=DIGITS, **kwargs):
    """The averaged row and one row for each label, scattered around it."""
    rng = np.random.default_rng(len(metric) + len(score))
    rows = [row(metric, score, values, global_, **kwargs)]
    for index, label in enumerate(labels):
        scattered = np.clip(np.array(values) + rng.normal(0, 0.03, len(values)), 0, 1)
        whole = float(scattered.mean()) - 0.01
        options = {**kwargs, "average": "none", "label": label, "index": index}
        rows.append(row(metric, score, scattered, whole, **options))
    return rows


def digit_rows():
    return (
        *with_labels("val_metrics.f1", "f1", F1, 0.871),
        *with_labels("val_metrics.precision", "precision", PRECISION, 0.889),
        *with_labels("val_metrics.recall", "recall", RECALL, float(np.mean(RECALL))),
    )


def table(rows=None, *, key=VALIDATE, step=7, steps=12, final=False, samples=(91,) * 4, **kwargs):
    samples = np.array(samples, dtype=np.int64)
    return Table(
        key=key,
        step=step,
        steps=steps,
        final=final,
        rows=digit_rows() if rows is None else tuple(rows),
        samples=samples,
        rank_steps=np.full(len(samples), step, dtype=np.int64),
        bytes_per_rank=2_140,
        **kwargs,
    )


def series(world=4, points=60, *, over="steps", row=None, gap_at=None):
    rng = np.random.default_rng(0)
    x = np.arange(points, dtype=np.float64)
    trend = 0.88 - 0.78 * np.exp(-x / max(points / 4, 1))
    lean = np.linspace(0.02, -0.03, world)[:, None]
    ranks = trend + lean + rng.normal(0, 0.02, (world, points)) * np.exp(-x / points)
    if gap_at is not None:
        ranks[:, gap_at] = np.nan
    mean = ranks.mean(axis=0)
    return Series(
        row=row or RowKey("val_metrics.f1", "f1"),
        over=over,
        x=x,
        ranks=ranks,
        mean=mean,
        global_=mean - 0.012,
    )


def ranks(world=4, **changes):
    """Living ranks, eight on a node; `changes` maps a rank to the fields that differ."""
    changed = {int(key[1:]): fields for key, fields in changes.items()}
    return tuple(
        replace(
            RankInfo(
                rank=rank,
                status="live",
                node=f"node{rank // 8}",
                local_rank=rank % 8,
                pid=4100 + rank,
                device=f"cuda:{rank % 8}",
                silent_for=0.1,
                stage="validate",
                epoch=3,
                step=7,
                hook="on_validation_batch_end",
                hook_for=0.02,
                step_time=0.024,
            ),
            **changed.get(rank, {}),
        )
        for rank in range(world)
    )


PROGRESS = (
    StageProgress("train", 3, 3, 0, 90, 90, running=False),
    StageProgress("validate", 3, 3, 0, 8, 12, running=True),
)
PASSES = (
    PassKey(0, "train", 2, 2, 0),
    PassKey(0, "validate", 2, 2, 0),
    PassKey(0, "train", 3, 3, 0),
    VALIDATE,
)


def run(table_=None, **changes):
    shown = table() if table_ is None else table_
    world = len(shown.samples)
    base = RunView(
        run="7f3a91",
        name="digits-cnn",
        world_size=world,
        nodes=1,
        ended=False,
        stage="validate",
        epoch=3,
        max_epochs=10,
        steps_per_second=41.2,
        eta=42.0,
        lag=0.1,
        ranks=ranks(world),
        progress=PROGRESS,
        passes=PASSES,
        table=shown,
        series=series(min(world, 2_000)),
    )
    return replace(base, **changes)


def summary(run_, **changes):
    base = RunSummary(
        run=run_.run,
        name=run_.name,
        world_size=run_.world_size,
        live=run_.world_size,
        started=NOW - 200,
        ended=run_.ended,
        stage=run_.stage,
        epoch=run_.epoch,
    )
    return replace(base, **changes)


def snapshot(run_=None, *, at=NOW, runs=None, rejected=None):
    runs = runs if runs is not None else (() if run_ is None else (summary(run_),))
    return Snapshot(
        at=at,
        link=LinkInfo(address=ADDRESS, received=100, rejected=rejected or {}),
        runs=tuple(runs),
        run=run_,
    )


def digits():
    """Four ranks of a small run in the middle of a validation."""
    return snapshot(run())


def waiting(address=ADDRESS):
    return Snapshot(at=NOW, link=LinkInfo(address=address))


def many_ranks(world=2_000):
    """More ranks than fit on any screen; rank 1203 is worst."""
    rng = np.random.default_rng(1)
    values = np.clip(rng.normal(0.9, 0.01, world), 0, 1)
    if world > 1203:
        values[1203] = 0.71
        values[77] = np.nan
    rows = with_labels("val.f1", "f1", values, 0.897, samples=100)
    return snapshot(run(table(rows, samples=(100,) * world), nodes=max(1, world // 8)))


def odd_values():
    """Absent, without samples, not finite, zero, and no global value."""
    present = (True, True, False, False)
    samples = np.array([91, 91, 0, -1])
    rows = (
        row("val.f1", "f1", (0.0, 0.91, np.nan, np.nan), 0.52, present=present, samples=samples),
        row(
            "val.loss", "mean", (np.nan, 1.2, 3.4e-7, np.inf), np.nan, average="", cls="MeanMetric"
        ),
        row("val.tokens", "sum", (0.0, 123456.0, 9e11, 12.0), 1e12, average="", cls="SumMetric"),
        row(
            "val.auroc",
            "MulticlassAUROC",
            (np.nan,) * 4,
            None,
            average="",
            cls="MulticlassAUROC",
            present=(False,) * 4,
            samples=-1,
            reason="list states grow with the data and are not sent; a binned variant would be",
        ),
    )
    shown = table(rows, samples=(91, 91, 0, -1), absent=frozenset({3}), behind=frozenset({1}))
    return snapshot(run(shown, series=replace(series(row=rows[0].key, gap_at=30))))


HOSTILE = "\x1b[31m[/][bold]\u202eevil\u200b\x9b2J\n[@click=app.quit]x[/]"


def hostile():
    """Names that would break a layout, run markup, or act on the terminal."""
    rows = with_labels(
        f"val.{HOSTILE}", "f1", F1, 0.87, labels=(HOSTILE, "日本語のクラス名", "[/]", "e\u0301" * 3)
    )
    shown = table(rows, note=HOSTILE)
    bad = {
        "node": HOSTILE,
        "hook": HOSTILE,
        "device": HOSTILE,
        "exception": HOSTILE,
        "stack": HOSTILE,
    }
    run_ = run(
        shown,
        name=HOSTILE,
        run=HOSTILE,
        ranks=ranks(4, r0=bad),
        problems=(HOSTILE,),
        series=series(row=rows[0].key),
    )
    return snapshot(run_, runs=(summary(run_), summary(run(), run="other", name="[red]")))


def long_names():
    """Two deep collections with the same scores."""
    stem = "model.backbone.encoder.heads.classification.validation_metrics"
    rows = [
        each
        for head in ("coarse", "fine")
        for name in ("f1", "precision")
        for each in with_labels(f"{stem}_{head}.{name}", name, F1, 0.87)
    ]
    return snapshot(run(table(rows), series=series(row=rows[0].key)))


def ended():
    done = tuple(replace(each, running=False, step=each.steps) for each in PROGRESS)
    gone = {f"r{rank}": {"status": "ended", "silent_for": 31.0} for rank in range(4)}
    run_ = run(
        table(final=True, step=11),
        ended=True,
        progress=done,
        eta=None,
        steps_per_second=None,
        ranks=ranks(4, **gone),
    )
    return snapshot(run_)


def silent():
    """Rank 2 fell silent, in a hook, with its stack known."""
    lost = {
        "status": "silent",
        "silent_for": 12.4,
        "hook": "on_train_batch_end",
        "hook_for": 12.4,
        "missing": 3,
        "stack": 'File "train.py", line 88, in training_step\n    dist.all_reduce(x)\n',
    }
    failed = {
        "status": "failed",
        "exception": "RuntimeError: CUDA out of memory",
        "silent_for": 40.0,
    }
    problems = (
        "rank 2 silent for 12 s, last in on_train_batch_end",
        "rank 3 ended with RuntimeError: CUDA out of memory",
    )
    shown = table(behind=frozenset({2}), note="without rank 2")
    return snapshot(run(shown, ranks=ranks(4, r2=lost, r3=failed), problems=problems))


def many_runs(number=3):
    first = run()
    others = [
        summary(
            first,
            run=f"{place:06x}",
            name=f"sweep-lr-{place}",
            ended=place % 2 == 0,
            live=0 if place % 2 == 0 else 4,
            started=NOW - 4_000 * place,
        )
        for place in range(1, number)
    ]
    return snapshot(first, runs=(*others, summary(first)))


def aggregates():
    """A loss, whose score's name says nothing, beside scores."""
    rows = (
        *digit_rows(),
        row("val_loss", "mean", (0.31, 0.33, 0.45, 0.32), 0.352, average="", cls="MeanMetric"),
    )
    return snapshot(run(table(rows)))
