"""Which rules are there? All of them, on one page, in the order of their codes."""

from __future__ import annotations

from ddpwatch.findings.rule import Rule
from ddpwatch.findings.rules import (
    averaged_ratio,
    batch_means,
    different_keys,
    inflated_mean,
    monitored,
    nonfinite,
    not_reset,
    padded,
    rank_local,
    shared_metric,
    stuck,
    uneven,
)

RULES: tuple[Rule, ...] = (
    rank_local.RULE,
    averaged_ratio.RULE,
    batch_means.RULE,
    monitored.RULE,
    different_keys.RULE,
    inflated_mean.RULE,
    padded.RULE,
    uneven.RULE,
    not_reset.RULE,
    shared_metric.RULE,
    stuck.RULE,
    nonfinite.RULE,
)

BY_CODE = {rule.fault.code: rule for rule in RULES}
