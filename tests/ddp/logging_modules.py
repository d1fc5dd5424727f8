"""Which modules log in the ways that people do? For two ranks, on small sets of predictions."""

from __future__ import annotations

import threading
from typing import Any

import torch
from torchmetrics import MeanMetric, Metric, MetricCollection
from torchmetrics.classification import MulticlassF1Score, MulticlassRecall
from torchmetrics.functional.classification import multiclass_f1_score

from ddpwatch.wire.messages import Emitted, Logged, LoggedKey
from tests.ddp import recorder
from tests.ddp.training import CLASSES, Judge, rank, trainer

UNEVEN = [([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2])]
EVEN = [([0, 0, 1, 1], [0, 1, 1, 1]), ([0, 1, 2, 2], [0, 0, 1, 2])]


def watching(**options: Any) -> Any:
    """A Trainer whose callback publishes to a recorder in the process."""
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    callbacks = options.pop("callbacks", ())
    return trainer(DDPWatch(every=1), *callbacks, use_distributed_sampler=False, **options)


def validated(module: Any, data: Any, **options: Any) -> tuple[list[Any], dict[str, float]]:
    """Validate; return the messages and what Lightning ended with."""
    fitting = watching(**options)
    fitting.validate(module, data, verbose=False)
    return recorder.bodies(), {k: float(v) for k, v in fitting.callback_metrics.items()}


def final(messages: list[Any], stage: str = "validate", number: int = 0) -> Logged:
    """Return the last final account of a pass."""
    finals = [each for each in recorder.of(Logged, messages) if each.final]
    return [each for each in finals if (each.stage, each.pass_) == (stage, number)][-1]


def key(logged: Logged, name: str, dataloader: int = -1) -> LoggedKey:
    """Return one key."""
    found = [e for e in logged.keys if (e.name, e.dataloader) == (name, dataloader)]
    assert len(found) == 1, logged.keys
    return found[0]


def emitted(logged: Logged, name: str) -> Emitted:
    """Return one name that Lightning gives out."""
    found = [each for each in logged.emitted if each.name == name]
    assert len(found) == 1, logged.emitted
    return found[0]


class Float(Judge):
    """Computes each batch's F1 with a function and logs the number."""

    def __init__(self, sync: bool) -> None:
        super().__init__()
        self.sync = sync

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1.update(*batch)
        value = multiclass_f1_score(*batch, num_classes=CLASSES, average="macro")
        self.log("val_f1", value, sync_dist=self.sync)


class OtherKeys(Judge):
    """Logs a key whose name depends on the rank."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.log(f"cls_{rank()}", float(rank() + 1), sync_dist=True)


class ByStepAndEpoch(Judge):
    """Logs one metric object for steps and epochs."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1(*batch)
        self.log("f1", self.f1, on_step=True, on_epoch=True, sync_dist=True)


class ReturnValue(Judge):
    """Logs what calling the metric returned, as a tensor and as a number."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        value = self.f1(*batch)
        self.log("f1", value)
        self.log("synced", value.item(), sync_dist=True)


class MeanOfBatches(Metric):
    """Adds up each batch's F1 and counts batches; both are averaged over the ranks."""

    def __init__(self) -> None:
        super().__init__()
        self.add_state("scores", torch.tensor(0.0), dist_reduce_fx="mean")
        self.add_state("batches", torch.tensor(0.0), dist_reduce_fx="mean")

    def update(self, preds: Any, target: Any) -> None:
        self.scores = self.scores + multiclass_f1_score(
            preds, target, num_classes=CLASSES, average="macro"
        )
        self.batches = self.batches + 1

    def compute(self) -> Any:
        return self.scores / self.batches


class Averaging(Judge):
    """Logs a metric of its own that looks reduced but averages ratios."""

    def __init__(self) -> None:
        super().__init__()
        self.own = MeanOfBatches()

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.own.update(*batch)
        self.log("own", self.own)


class NotANumber(Judge):
    """On rank 1, the loss of the first batch is not a number."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = MeanMetric(nan_strategy="ignore")

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        broken = rank() == 1 and batch_idx == 0
        loss = torch.tensor(float("nan") if broken else 1.0)
        self.mean.update(loss)
        self.log("loss", loss)
        self.log("synced", loss, sync_dist=True)
        self.log("mean", self.mean)


class Computed(Judge):
    """Logs what `compute` returned: whole, by class, from a collection, and as plain numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.by_class = MulticlassRecall(CLASSES, average=None)
        self.both = MetricCollection([MulticlassF1Score(CLASSES), MulticlassRecall(CLASSES)])

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1.update(*batch)
        self.by_class.update(*batch)
        self.both.update(*batch)
        self.log("weight", float(batch_idx) + 0.25)

    def on_validation_epoch_end(self) -> None:
        f1 = self.f1.compute()
        self.f1.reset()
        self.log("val_f1", f1)
        self.log("twice", f1, reduce_fx="sum", sync_dist=True)
        self.log("number", f1.item())
        self.log("percent", 100 * f1)
        for index, recall in enumerate(self.by_class.compute()):
            self.log(f"recall_{index}", recall)
        self.log_dict(self.both.compute())
        self.by_class.reset()
        self.both.reset()


class TwoLoaders(Judge):
    """Logs the same name for each of its loaders, and one without the loader's suffix."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.log("acc", float(dataloader_idx + rank()), on_step=True, on_epoch=True)
        self.log(f"own_{dataloader_idx}", 1.0, add_dataloader_idx=False)

    def on_validation_epoch_end(self) -> None:
        self.log("late", 7.0)


class Losses(Judge):
    """Logs the next of a rank's losses at the end of each validation."""

    def __init__(self, losses: list[list[float]]) -> None:
        super().__init__()
        self.losses = losses

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.log("val_loss", self.losses[rank()][self.current_epoch])

    def on_train_epoch_end(self) -> None:
        self.log("late", float(self.current_epoch))


class OnlyOnOne(Judge):
    """Logs with sync on rank 0 only, while rank 1 stands still in the same hook."""

    def on_validation_epoch_end(self) -> None:
        if rank() == 0:
            self.log("gathered", 0.5, sync_dist=True)
        else:
            threading.Event().wait()


class SyncedSteps(Judge):
    """Logs a number that is synced in every step; rank 1 stands still before the second one."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        if rank() == 1 and batch_idx == 1:
            threading.Event().wait()
        self.log("stepwise", 1.0 + rank(), on_step=True, sync_dist=True)


class ComputedOnOne(Judge):
    """Computes a metric on rank 0 only, while rank 1 stands still."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1.update(*batch)

    def on_validation_epoch_end(self) -> None:
        if rank() == 0:
            self.f1.compute()
        threading.Event().wait()


class EveryWay(Judge):
    """Logs in each hook and with each option there is."""

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        self.log("train", 1.0, prog_bar=True, on_step=True, on_epoch=True)
        self.log("most", float(batch_idx), on_step=False, on_epoch=True, reduce_fx="max")
        self.log("own_size", 2.0, on_step=False, on_epoch=True, batch_size=10, logger=False)
        self.log("zero", 3.0, rank_zero_only=True, sync_dist=True)
        return super().training_step(batch, batch_idx)

    def on_train_start(self) -> None:
        self.log("start", 4.0)

    def on_train_batch_end(self, outputs: Any, batch: Any, batch_idx: int) -> None:
        self.log("after", float(batch_idx), on_step=True, on_epoch=True)

    def on_train_epoch_end(self) -> None:
        self.log("end", 5.0)


class Breaking(Judge):
    """Fails at the end of the first training epoch's only step."""

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        self.log("before", 1.0)
        raise ZeroDivisionError
