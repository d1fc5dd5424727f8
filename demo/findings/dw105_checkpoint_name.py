"""Why is the best checkpoint not found, although it was saved a moment ago?

The name of the file holds the monitored value, and that is each rank's own. Rank 0 writes
`epoch=0-val_loss=1.00.ckpt`; rank 1 goes looking for `epoch=0-val_loss=0.50.ckpt`. `--right` syncs
the loss, so that there is one value, one name and one best epoch.
"""

from __future__ import annotations

import tempfile
from typing import Any

from lightning.pytorch.callbacks import ModelCheckpoint

from ddpwatch_lightning import DDPWatch
from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "val_loss", "ranks": [0, 1], "numbers": ["val_loss=1.00", "val_loss=0.50"]}
"""What each rank takes the best checkpoint's name to be."""


class Wrong(Model):
    sync_dist = False

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.log("val_loss", mine([1.0, 0.5]), sync_dist=self.sync_dist, batch_size=2)


class Right(Wrong):
    sync_dist = True


def run(*, right: bool = False, **options: Any) -> None:
    """Train one epoch; rank 0's folder is the one that counts, and it is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        best = ModelCheckpoint(folder, "{epoch}-{val_loss:.2f}", monitor="val_loss")
        callbacks = [DDPWatch(every=1), best]
        trainer(**{"enable_checkpointing": True, "callbacks": callbacks, **options}).fit(
            Right() if right else Wrong(), loader([0, 0]), loader([0, 0])
        )


if __name__ == "__main__":
    main(run)
