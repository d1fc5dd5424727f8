"""I write each rank's F1 to the logger: why does only one curve appear?

Loggers write on rank 0. On every other rank `logger.experiment` is a dummy that takes any call and
drops it, so what is in the log is rank 0's own 0.8222. TensorBoard's `add_scalar` and W&B's `log`
are no different. `--right` leaves the writing to `self.log` and the reducing to the metric.
"""

from __future__ import annotations

import tempfile
from typing import Any

from lightning.pytorch.loggers import CSVLogger
from torchmetrics.functional.classification import multiclass_f1_score

from demo.findings import dw101_rank_local
from demo.findings.common import FIVE_AND_FOUR, Model, loader, main, mine, trainer

EXPECTED = {"ranks": [1], "numbers": ["log_metrics", "f1", "rank 1"]}
"""What was called with which key, and on which rank in vain."""


class Wrong(Model):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        predictions, labels = batch
        f1 = multiclass_f1_score(predictions, labels, num_classes=3)
        logger: Any = self.logger
        logger.experiment.log_metrics({"f1": f1.item()}, step=batch_idx)


Right = dw101_rank_local.Right


def run(*, right: bool = False, **options: Any) -> None:
    """Validate one batch per rank; the log's folder is removed at the end."""
    shard = loader(*mine(FIVE_AND_FOUR), batch_size=5)
    with tempfile.TemporaryDirectory() as folder:
        trainer(**{"logger": CSVLogger(folder), **options}).validate(
            Right() if right else Wrong(), shard, verbose=False
        )


if __name__ == "__main__":
    main(run)
