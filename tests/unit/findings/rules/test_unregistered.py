"""DW303: metrics in plain dicts and lists, case 34."""

from __future__ import annotations

from ddpwatch.findings.rules.unregistered import find
from tests.unit.findings.builders import declared, evidence, metric, nothing, the_only

LOOSE = metric("metrics['f1']", registered=False, object=7, device="cpu")


def test_it_names_the_ranks_and_the_device() -> None:
    declares = {rank: declared(metrics=(LOOSE,)) for rank in (0, 1)}
    finding = the_only(find, evidence(declares=declares))
    assert (finding.code, finding.severity, finding.ranks) == ("DW303", "warning", (0, 1))
    assert "MulticlassF1Score" in finding.message
    assert "on cpu" in finding.message


def test_registered_ones_and_second_names_for_them_are_right() -> None:
    real = metric("f1", object=7)
    assert nothing(find, evidence(declares={0: declared(metrics=(real,))}))
    assert nothing(find, evidence(declares={0: declared(metrics=(real, LOOSE))}))
    shadow = metric("shadow", registered=False, shadow=True)
    assert nothing(find, evidence(declares={0: declared(metrics=(shadow,))}))
