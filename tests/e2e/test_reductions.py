"""Is every usual way of logging told for what it is, on 2, 3 and 4 ranks, in both namespaces?"""

from __future__ import annotations

import pytest

from tests.e2e.watched import epochs, watch
from tests.matrix.reductions import EXPECTED, main

pytestmark = pytest.mark.ddp


@pytest.mark.parametrize(
    ("ranks", "namespace"),
    [
        (2, "pytorch_lightning"),
        (3, "lightning.pytorch"),
        pytest.param(4, "pytorch_lightning", marks=pytest.mark.soak),
        pytest.param(4, "lightning.pytorch", marks=pytest.mark.soak),
    ],
)
def test_every_reduction_is_told_right(ranks: int, namespace: str) -> None:
    report, _ = watch(main, ranks, env={"RANKS": str(ranks), "NAMESPACE": namespace})
    (epoch,) = epochs(report, "validate")
    assert {entry["key"]: entry["reduction"] for entry in epoch["logged"]} == EXPECTED
