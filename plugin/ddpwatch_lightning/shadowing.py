"""How do ddpwatch's own metrics take in what steps return, pass by pass?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torchmetrics import Metric
from torchmetrics.classification import (
    BinaryF1Score,
    BinaryPrecisionRecallCurve,
    MulticlassF1Score,
    MulticlassPrecisionRecallCurve,
    MultilabelF1Score,
    MultilabelPrecisionRecallCurve,
)

from ddpwatch.wire.messages import Stage
from ddpwatch_lightning.shadow import Shadow
from ddpwatch_lightning.shadow_inputs import UnfitError, inputs_of
from ddpwatch_lightning.tracked import Tracked

OnUnfit = Callable[[str, str], None]
"""Told what is unfit, and in which way."""

EVALUATION, TRAINING = "shadow", "shadow_train"
"""Where the metrics seem to be in the module; training has its own, as validation runs within."""


class Shadowing:
    """Keeps the metrics of one `Shadow`; updates them, never computes them, syncs nothing."""

    def __init__(self, shadow: Shadow, on_unfit: OnUnfit) -> None:
        self._shadow = shadow
        self._on_unfit = on_unfit
        self._metrics: dict[str, dict[str, Metric]] = {}
        if {"validate", "test"} & set(shadow.stages):
            self._metrics[EVALUATION] = _new_metrics(shadow)
        if "train" in shadow.stages:
            self._metrics[TRAINING] = _new_metrics(shadow)

    @property
    def tracked(self) -> tuple[Tracked, ...]:
        """The metrics, as if they had been found in the module."""
        return tuple(
            Tracked(
                f"{root}.{name}", metric, registered=True, shadow=True, labels=self._shadow.names
            )
            for root, metrics in self._metrics.items()
            for name, metric in metrics.items()
        )

    def reset(self, stage: Stage) -> None:
        """Forget what was counted: a pass of this stage begins or ends, or its loader changes."""
        for metric in self._of(stage).values():
            if metric._update_count:  # noqa: SLF001 - a reset that changes nothing costs as much
                metric.reset()

    def update(self, stage: Stage, outputs: Any, batch: Any) -> None:
        """Take in one step; what does not fit is told and not counted."""
        metrics = self._of(stage)
        if not metrics:
            return
        try:
            preds, target = inputs_of(self._shadow, outputs, batch)
            for metric in metrics.values():
                if metric.device != preds.device:
                    metric.to(preds.device)
                metric.update(preds, target)
        except UnfitError as error:
            self._on_unfit("shadow", f"shadow: {error} (in {stage})")
        except Exception as error:  # noqa: BLE001 - the user's function, or data of any kind
            kind = type(error).__name__
            self._on_unfit(f"shadow: {kind}", f"shadow: {kind}: {error} (in {stage})")

    def _of(self, stage: Stage) -> dict[str, Metric]:
        asked = "validate" if stage == "sanity_check" else stage
        if asked not in self._shadow.stages:
            return {}
        return self._metrics[TRAINING if stage == "train" else EVALUATION]


def _new_metrics(shadow: Shadow) -> dict[str, Metric]:
    metrics: dict[str, Metric] = {"f1": _counts(shadow)}
    if shadow.searches:
        metrics["curve"] = _curve(shadow)
    return metrics


def _counts(shadow: Shadow) -> Metric:
    options: dict[str, Any] = {"ignore_index": shadow.ignore_index, "validate_args": False}
    if shadow.task == "binary":
        return BinaryF1Score(threshold=shadow.cut, **options)
    if shadow.task == "multiclass":
        return MulticlassF1Score(shadow.count, average=shadow.average, **options)
    return MultilabelF1Score(shadow.count, threshold=shadow.cut, average=shadow.average, **options)


def _curve(shadow: Shadow) -> Metric:
    options: dict[str, Any] = {
        # Given one by one, they are the same numbers in all versions of torchmetrics.
        "thresholds": torch.linspace(0, 1, shadow.thresholds),
        "ignore_index": shadow.ignore_index,
        "validate_args": False,
    }
    if shadow.task == "binary":
        return BinaryPrecisionRecallCurve(**options)
    if shadow.task == "multiclass":
        return MulticlassPrecisionRecallCurve(shadow.count, **options)
    return MultilabelPrecisionRecallCurve(shadow.count, **options)
