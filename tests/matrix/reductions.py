"""What is logged in each of the usual ways, and which reduction must be told of it?

Run on every rank with NAMESPACE and RANKS in the environment; `EXPECTED` is the same at any number
of ranks, in every version.
"""

from __future__ import annotations

import importlib
import os
import warnings

import torch
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric
from torchmetrics.classification import MulticlassF1Score

EXPECTED = {
    "own": "rank-local",
    "synced": "mean-of-batches",
    "floored": "mean-of-batches-floored",
    "summed": "sum-of-ranks",
    "most": "max-of-ranks",
    "least": "min-of-ranks",
    "zero_only": "rank-local",
    "returned": "rank-local",
    "returned_synced": "mean-of-batches",
    "object_step": "rank-local",
    "object_epoch": "state-reduced",
    "mean_object": "state-reduced",
    "local_object": "rank-local",
    "computed": "state-reduced",
    "computed_synced": "state-reduced",
    "computed_summed": "sum-of-ranks",
    "end_own": "rank-local",
    "end_synced": "mean-of-ranks",
}

warnings.filterwarnings("ignore")


def share(rank: int) -> TensorDataset:
    """Four predictions and labels of three classes; every rank is right in other places."""
    predictions = torch.tensor([0, 1, 2, rank % 3])
    labels = torch.tensor([0, (1 + rank) % 3, 2 if rank % 2 else 1, 1])
    return TensorDataset(predictions, labels)


def main() -> None:
    """Validate once, two batches on each rank."""
    pl = importlib.import_module(os.environ.get("NAMESPACE", "pytorch_lightning"))
    from ddpwatch_lightning import DDPWatch

    class Model(pl.LightningModule):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.f1 = MulticlassF1Score(3)
            self.forwarded = MulticlassF1Score(3)
            self.both = MulticlassF1Score(3)
            self.mean = MeanMetric()
            self.local = MulticlassF1Score(3, sync_on_compute=False)

        def validation_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> None:
            rank = self.global_rank
            value = 0.25 + rank + 0.5 * batch_idx
            self.log("own", value)
            self.log("synced", value, sync_dist=True)
            self.log("floored", value, sync_dist=True, batch_size=1 + (rank > 0 and batch_idx))
            for name, fx in (("summed", "sum"), ("most", "max"), ("least", "min")):
                self.log(name, value, sync_dist=True, reduce_fx=fx)
            self.log("zero_only", value, sync_dist=True, rank_zero_only=True)
            returned = self.forwarded(*batch)
            self.log("returned", returned)
            self.log("returned_synced", returned, sync_dist=True)
            self.f1.update(*batch)
            self.both(*batch)
            self.log("object", self.both, on_step=True, on_epoch=True)
            self.mean.update(value)
            self.log("mean_object", self.mean)
            self.local.update(*batch)
            self.log("local_object", self.local)

        def on_validation_epoch_end(self) -> None:
            value = self.f1.compute()
            self.log("computed", value)
            self.log("computed_synced", value, sync_dist=True)
            self.log("computed_summed", value, sync_dist=True, reduce_fx="sum")
            self.log("end_own", float(self.global_rank))
            self.log("end_synced", float(self.global_rank), sync_dist=True)
            self.f1.reset()

    ranks = int(os.environ.get("RANKS", "2"))
    trainer = pl.Trainer(
        accelerator="cpu",
        devices=ranks,
        strategy="ddp",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        use_distributed_sampler=False,
        callbacks=[DDPWatch(name="reductions", every=1)],
    )
    rank = int(os.environ.get("LOCAL_RANK", "0"))
    trainer.validate(Model(), DataLoader(share(rank), 2), verbose=False)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
