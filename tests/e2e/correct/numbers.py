"""Plain numbers for which the way they are logged is the right one."""

from __future__ import annotations

from typing import Any

from demo.findings.common import Model, loader, mine, trainer


class _Trained(Model):
    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight * batch.mean()


def synced_loss() -> None:
    class Module(Model):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.log("val_loss", batch.mean(), sync_dist=True)

    losses = mine([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 9.0]])
    trainer().validate(Module(), loader(losses), verbose=False)


def synced_loss_of_uneven_shards() -> None:
    """Six samples and four: the mean count, five, is whole."""

    class Module(Model):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.log("val_loss", batch.mean(), sync_dist=True)

    trainer().validate(Module(), loader(mine([[1.0] * 6, [2.0] * 4])), verbose=False)


def loss_of_every_step() -> None:
    """What most do in training: rank 0's loss is shown while it goes on."""

    class Module(_Trained):
        def training_step(self, batch: Any, batch_idx: int) -> Any:
            loss = super().training_step(batch, batch_idx)
            self.log("train_loss", loss, prog_bar=True)
            return loss

    trainer(max_epochs=2).fit(Module(), loader(mine([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])))


def synced_loss_of_training() -> None:
    class Module(_Trained):
        def training_step(self, batch: Any, batch_idx: int) -> Any:
            loss = super().training_step(batch, batch_idx)
            self.log("train_loss", loss, on_step=True, on_epoch=True, sync_dist=True)
            return loss

    trainer(max_epochs=2).fit(Module(), loader(mine([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])))


def rank_zero_alone() -> None:
    """Nobody decides by it."""

    class Module(_Trained):
        def on_train_epoch_end(self) -> None:
            if self.trainer.is_global_zero:
                self.log("epoch_seconds", 1.5, rank_zero_only=True)

    trainer(max_epochs=2).fit(Module(), loader([1.0, 2.0]))


def rank_zero_only_on_all_ranks() -> None:
    class Module(_Trained):
        def on_train_epoch_end(self) -> None:
            self.log("epoch_seconds", mine([1.5, 1.6]), rank_zero_only=True)

    trainer(max_epochs=2).fit(Module(), loader([1.0, 2.0]))


def peak_of_all_ranks() -> None:
    class Module(_Trained):
        def on_train_epoch_end(self) -> None:
            self.log("peak_memory", mine([3.5, 4.5]), sync_dist=True, reduce_fx="max")

    trainer(max_epochs=2).fit(Module(), loader([1.0, 2.0]))


def the_same_on_all_ranks() -> None:
    class Module(_Trained):
        def training_step(self, batch: Any, batch_idx: int) -> Any:
            self.log("temperature", 0.5 ** (batch_idx + 1), on_step=True, on_epoch=True)
            return super().training_step(batch, batch_idx)

    trainer(max_epochs=2).fit(Module(), loader([1.0, 2.0, 3.0, 4.0]))
