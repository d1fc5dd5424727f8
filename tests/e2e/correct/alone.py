"""One process: whatever is a matter of several ranks is none here."""

from __future__ import annotations

from typing import Any

from lightning.pytorch.callbacks import EarlyStopping
from torchmetrics.classification import BinaryF1Score

from ddpwatch_lightning import DDPWatch
from demo.findings.common import Model, loader, trainer


class _Module(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = BinaryF1Score()

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        loss = self.weight * batch.float().mean()
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(batch, batch)
        self.log("val_f1", self.val_f1)
        self.log("val_loss", batch.float().mean())


def one_process() -> None:
    trainer(devices=1, strategy="auto", max_epochs=2, num_sanity_val_steps=2).fit(
        _Module(), loader([0, 1, 1, 0, 1]), loader([0, 1, 1])
    )


def synced_and_monitored_in_one_process() -> None:
    class Module(_Module):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1.update(batch, batch)
            self.log("val_f1", self.val_f1, sync_dist=True)
            self.log("val_loss", batch.float().mean(), sync_dist=True, rank_zero_only=True)

    stopping = EarlyStopping("val_loss", patience=3)
    trainer(devices=1, strategy="auto", max_epochs=2, callbacks=[DDPWatch(every=1), stopping]).fit(
        Module(), loader([0, 1, 1, 0, 1]), loader([0, 1, 1])
    )
