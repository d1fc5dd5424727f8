"""Which threshold should I decide by: rank 0 says 0.7, rank 1 says 0.3?

Each rank has seen a part of the scores, and the best threshold of a part is not that of the whole:
over all samples it is 0.3, with F1 0.8889. Choose it from the reduced curve, as this script does,
and never from one rank's own. `--right` deals the same samples out in turn, and the ranks agree.
"""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics.classification import BinaryPrecisionRecallCurve

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "curve", "ranks": [0, 1], "numbers": ["0.7", "0.3"]}
"""The threshold of the best F1 on each rank."""

SORTED = (
    ([0.85, 0.75, 0.65, 0.25], [1, 1, 0, 0]),
    ([0.35, 0.35, 0.25, 0.05], [1, 1, 0, 0]),
)
IN_TURN = (
    ([0.85, 0.35, 0.65, 0.25], [1, 1, 0, 0]),
    ([0.75, 0.35, 0.25, 0.05], [1, 1, 0, 0]),
)
"""The same eight pairs of a score and a label."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.curve = BinaryPrecisionRecallCurve(thresholds=11)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.curve.update(*batch)

    def on_validation_epoch_end(self) -> None:
        precision, recall, thresholds = self.curve.compute()
        f1 = torch.nan_to_num(2 * precision * recall / (precision + recall))[:-1]
        self.log("threshold", thresholds[f1.argmax()])
        self.curve.reset()


Right = Wrong


def run(*, right: bool = False, **options: Any) -> None:
    """Validate two batches of two samples on each rank."""
    shard = loader(*mine(IN_TURN if right else SORTED))
    trainer(**options).validate(Wrong(), shard, verbose=False)


if __name__ == "__main__":
    main(run)
