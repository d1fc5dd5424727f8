"""DW109: a sync that was asked for and does not take place."""

from __future__ import annotations

import pytest

from ddpwatch.findings.rules.dropped_sync import find
from tests.unit.findings.builders import evidence, logged_row, nothing, taken, the_only

OBJECT = {"sync_dist": True, "source": "metric val_f1"}
ONE_RANK = {"sync_dist": True, "rank_zero_only": True}
MONITORED = {"monitored_by": ("checkpoint",)}


@pytest.mark.parametrize(
    ("how", "severity"),
    [
        ({**OBJECT, "reduction": "state-reduced"}, "info"),
        ({**OBJECT, "reduction": "state-reduced", **MONITORED}, "info"),
        ({**OBJECT, "reduction": "rank-local", **MONITORED}, "warning"),
        (ONE_RANK, "info"),
        ({**ONE_RANK, **MONITORED}, "warning"),
    ],
)
def test_it_is_a_warning_only_where_somebody_decides_by_a_local_value(
    how: dict[str, object], severity: str
) -> None:
    finding = the_only(find, evidence(taken(logged_row("val_f1", [0.8, 0.4], **how))))
    assert finding.severity == severity


def test_a_sync_that_takes_place_is_left_alone() -> None:
    assert nothing(find, evidence(taken(logged_row("v", [0.8, 0.4], sync_dist=True))))
    assert nothing(find, evidence(taken(logged_row("v", [0.8, 0.4], source="metric v"))))
    assert nothing(find, evidence(taken(logged_row("v", [0.8], **ONE_RANK)), world_size=1))
