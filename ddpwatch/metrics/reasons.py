"""Why has a metric no value here, and what would help?"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ddpwatch.metrics import fallback
from ddpwatch.metrics.known import identify
from ddpwatch.wire.messages import TrackedMetric

_CURVE = re.compile(
    "(PrecisionRecallCurve|ROC|AveragePrecision|EER|LogAUC|RecallAtFixedPrecision"
    "|PrecisionAtFixedRecall|SensitivityAtSpecificity|SpecificityAtSensitivity)$"
)


def why_unknown(metric: TrackedMetric, versions: Mapping[str, str]) -> str:
    """Return why no formula applies and what would help, in a few words; empty where one does."""
    if metric.params.get("multidim_average") == "samplewise":
        return "samplewise states grow with the data and are not sent; 'global' ones would be"
    if any(spec.is_list for spec in metric.states):
        return _why_lists(metric.base)
    if identify(metric.base) is not None:
        return ""
    if not metric.base:
        name = metric.cls.rpartition(".")[2][:60]
        return f"{name} has its own update or compute; a plain torchmetrics metric would be known"
    return fallback.why_not(metric, versions)


def _why_lists(base: str) -> str:
    """Say what would do instead of list states, which hold every sample and are not sent."""
    found = _CURVE.search(base)
    if found is not None:
        return "unbounded lists are not sent: not recomputed; thresholds=200 would keep counts"
    return "unbounded lists are not sent: not recomputed; states of fixed size would be"
