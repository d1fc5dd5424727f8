"""Why did early stopping end a run whose validation loss fell in every epoch?

Each rank decides by the value that it holds, and any rank may stop the run. Without a sync that
is its own loss: rank 0's, which the log shows, falls from 1.0 to 0.6, while rank 1's rises from
0.5, and after its second epoch without progress rank 1 stops them all. `--right` syncs the loss;
its mean falls until the end.
"""

from __future__ import annotations

from typing import Any

from lightning.pytorch.callbacks import EarlyStopping

from ddpwatch_lightning import DDPWatch
from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "val_loss", "ranks": [0, 1], "numbers": ["0.6", "0.54"]}
"""Each rank's loss in the last epoch, the third of five."""

LOSSES = ([1.0, 0.8, 0.6, 0.4, 0.2], [0.50, 0.52, 0.54, 0.56, 0.58])
"""What each rank's shard gives, by epoch."""


class Wrong(Model):
    sync_dist = False

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        loss = mine(LOSSES)[self.current_epoch]
        self.log("val_loss", loss, sync_dist=self.sync_dist, batch_size=2)


class Right(Wrong):
    sync_dist = True


def run(*, right: bool = False, **options: Any) -> None:
    """Train for five epochs; the wrong one ends after three."""
    stopping = EarlyStopping("val_loss", patience=2)
    trainer(**{"max_epochs": 5, "callbacks": [DDPWatch(every=1), stopping], **options}).fit(
        Right() if right else Wrong(), loader([0, 0]), loader([0, 0])
    )


if __name__ == "__main__":
    main(run)
