"""What does a metric hold at the moment when somebody resets it? Told by `Metric.reset` itself."""

from __future__ import annotations

from ddpwatch_lightning.metric_tap import MetricTap

tap = MetricTap("reset")
"""The one wrapper of this process."""
