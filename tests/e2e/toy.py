"""What do the ranks of the end-to-end tests train? A module whose predictions are given."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from lightning.pytorch import LightningModule, Trainer
from torch.utils.data import DataLoader
from torchmetrics.classification import BinaryF1Score, MulticlassF1Score
from torchmetrics.functional.classification import multiclass_f1_score

from ddpwatch_lightning import DDPWatch

CLASSES = 3


@dataclass(frozen=True)
class Plan:
    """How the module uses its metric, and what goes wrong; a rank takes the shard of its number."""

    shards: Any
    batch_size: int = 2
    use: str = "update"
    sync_dist: bool | None = None
    binary: bool = False
    reset: bool = True
    fit: bool = False
    calls: int = 1
    raise_on: int | None = None
    die_on: int | None = None
    gates: str | None = None
    break_capture: bool = False
    trainer: dict[str, Any] = field(default_factory=dict)


class Toy(LightningModule):
    """Validates on (prediction, target) pairs; a pair with a negative target is passed over."""

    def __init__(self, plan: Plan, rank: int) -> None:
        super().__init__()
        self.plan, self.rank = plan, rank
        self.layer = torch.nn.Linear(1, 1)
        self.val_f1 = BinaryF1Score() if plan.binary else MulticlassF1Score(CLASSES)
        self.values: list[float] = []
        self.passes = 0

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.layer(torch.ones(1, 1)).sum()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.go_wrong(batch_idx)
        if batch_idx == 1:
            self.wait_at("middle")
        preds, target = (part[batch[1] >= 0] for part in batch)
        if not len(target):
            return
        if self.plan.use == "update":
            self.val_f1.update(preds, target)
            if self.plan.sync_dist is not None:
                value = multiclass_f1_score(preds, target, num_classes=CLASSES)
                self.log("f1", value, on_epoch=True, sync_dist=self.plan.sync_dist)
            return
        value = self.val_f1(preds, target)
        logged = self.val_f1 if self.plan.use == "object" else value
        self.log("f1", logged, on_step=True, on_epoch=True)

    def on_validation_epoch_end(self) -> None:
        if self.plan.use != "object":
            self.values.append(float(self.val_f1.compute()))
            if self.plan.reset:
                self.val_f1.reset()

    def on_validation_end(self) -> None:
        self.passes += 1
        if self.passes == self.plan.calls:
            self.wait_at("end")

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.0)

    def wait_at(self, gate: str) -> None:
        """Stand still until the test opens the gate, which it does once."""
        path = Path(self.plan.gates or "", f"{gate}{self.rank}")
        if self.plan.gates is not None and path.exists():
            path.read_bytes()
            path.unlink()

    def go_wrong(self, batch_idx: int) -> None:
        if batch_idx == 1 and self.plan.raise_on == self.rank:
            raise ValueError("a bad batch")
        if batch_idx == 1 and self.plan.die_on == self.rank:
            os._exit(9)


def run(plan: Plan) -> list[float]:
    """What every rank runs; returns what the metric's own `compute()` gave at each epoch end."""
    rank, world = int(os.environ.get("RANK", "0")), len(plan.shards)
    preds, target = plan.shards[rank]
    loader = DataLoader(
        list(zip(torch.tensor(preds), torch.tensor(target), strict=True)), plan.batch_size
    )
    options: dict[str, Any] = {
        "accelerator": "cpu", "devices": world, "strategy": "ddp" if world > 1 else "auto",
        "logger": False, "enable_checkpointing": False, "enable_progress_bar": False,
        "enable_model_summary": False, "use_distributed_sampler": False,
        "num_sanity_val_steps": 0, "callbacks": [DDPWatch(every=1)], **plan.trainer,
    }  # fmt: skip
    if plan.break_capture and rank == 1:
        break_capture()
    trainer, module = Trainer(**options), Toy(plan, rank)
    for _ in range(plan.calls):
        if plan.fit:
            trainer.fit(module, DataLoader([0, 0]), loader)
        else:
            trainer.validate(module, loader, verbose=False)
    return module.values


def break_capture() -> None:
    """Let every copy of a state fail from here on."""
    from ddpwatch_lightning.captures import Captures

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no copy today")

    Captures.take = fail  # type: ignore[method-assign]
