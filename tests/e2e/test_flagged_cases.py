"""Do findings tell the numbers of cases that no script of a finding stands for?"""

from __future__ import annotations

import tempfile
from datetime import timedelta
from typing import Any

import pytest
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.strategies import DDPStrategy
from torchmetrics.classification import BinaryAUROC, MulticlassF1Score

from ddpwatch_lightning import DDPWatch
from demo.findings.common import FIVE_AND_FOUR, Model, loader, mine, trainer
from tests.e2e.watched import epochs, follow, row, watch

pytestmark = pytest.mark.ddp


def found(report: dict[str, Any], code: str) -> dict[str, Any]:
    """The one finding of a code."""
    (finding,) = [each for each in report["findings"] if each["code"] == code]
    return finding


def codes(report: dict[str, Any]) -> set[str]:
    """What was found that is more than information."""
    return {each["code"] for each in report["findings"] if each["severity"] != "info"}


class F1(Model):
    """Logs what its metric returns, or the metric itself, as told."""

    def __init__(self, *, whole: bool = False, **how: Any) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3)
        self.whole, self.how = whole, how

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        predictions, labels = batch
        value = self.val_f1(predictions, labels)
        self.log("f1", self.val_f1 if self.whole else value, **self.how)


def validate(model: Model) -> None:
    trainer().validate(model, loader(*mine(FIVE_AND_FOUR), batch_size=5), verbose=False)


def averaged_and_inflated() -> None:
    validate(F1(sync_dist=True))


def test_average_that_is_inflated_too() -> None:
    """0.7361 is logged for a weighted mean of 0.6543, and F1 is 0.6794."""
    report, _ = watch(averaged_and_inflated, 2)
    assert codes(report) == {"DW102", "DW108"}
    inflated = found(report, "DW108")["message"]
    assert all(number in inflated for number in ("0.7361", "1.125", "4.5", "0.6543"))
    averaged = found(report, "DW102")["message"]
    assert all(number in averaged for number in ("0.6543", "0.6794"))


def on_step_and_epoch() -> None:
    validate(F1(whole=True, on_step=True, on_epoch=True))


def test_each_emitted_name_has_its_own_reduction() -> None:
    board, _ = follow(on_step_and_epoch, 2)
    (run,) = board.runs.values()
    assert not board.findings(run) or {f.severity for f in board.findings(run)} == {"info"}
    (key,) = run.passes
    table = run.logged(key, board.now)
    assert table is not None
    step, epoch = (next(r for r in table.rows if r.id.name == n) for n in ("f1_step", "f1_epoch"))
    assert (step.reduction, epoch.reduction) == ("rank-local", "state-reduced")
    assert step.ranks == pytest.approx([0.8222, 0.4444], abs=1e-4)
    assert epoch.ranks == pytest.approx([0.6794, 0.6794], abs=1e-4)


class Monitored(Model):
    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.log("val_loss", batch.mean(), sync_dist=True, rank_zero_only=True)


def monitored_without_its_sync() -> None:
    with tempfile.TemporaryDirectory() as folder:
        best = ModelCheckpoint(folder, monitor="val_loss")
        each = trainer(enable_checkpointing=True, callbacks=[DDPWatch(every=1), best])
        each.fit(Monitored(), loader([0, 0]), loader(mine([[1.0, 1.0], [3.0, 3.0]])))
        each.strategy.barrier()


def test_dropped_sync_of_a_monitored_key_is_a_warning() -> None:
    report, _ = watch(monitored_without_its_sync, 2)
    assert found(report, "DW109")["severity"] == "warning"
    assert "DW105" in codes(report)


class SyncedInEveryStep(Model):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.log("loss", batch.mean(), on_step=True, sync_dist=True)


def uneven_and_synced_in_every_step() -> None:
    strategy = DDPStrategy(timeout=timedelta(seconds=10))
    losses = loader(mine([[1.0] * 120, [2.0] * 100]), batch_size=1)
    trainer(strategy=strategy).validate(SyncedInEveryStep(), losses, verbose=False)


def test_uneven_batches_with_a_sync_in_each_are_told_before_the_job_breaks() -> None:
    """On GPUs it would hang; here, a rank ends in an exception, which is found later."""
    report, _ = watch(uneven_and_synced_in_every_step, 2, may_fail=True, timeout=40)
    first = report["findings"][0]
    assert (first["code"], first["key"]) == ("DW106", "loss")
    assert "rank 0 has 120 batches" in first["message"]
    assert "rank 1 has 100 batches" in first["message"]


class Curves(Model):
    def __init__(self) -> None:
        super().__init__()
        self.exact, self.binned = BinaryAUROC(), BinaryAUROC(thresholds=11)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        for name, curve in (("exact", self.exact), ("binned", self.binned)):
            curve.update(*batch)
            self.log(name, curve)


def curves() -> None:
    scores = (([0.9, 0.8, 0.7], [1, 0, 1]), ([0.2, 0.1, 0.4], [1, 0, 0]))
    trainer().validate(Curves(), loader(*mine(scores), batch_size=3), verbose=False)


def test_area_under_the_curve_is_no_mean_and_lists_are_not_recomputed() -> None:
    """Case 14: both ranks have 0.5, all samples together 0.6667."""
    report, _ = watch(curves, 2)
    (epoch,) = epochs(report, "validate")
    binned, exact = row(epoch, "binned"), row(epoch, "exact")
    assert binned["ranks"] == pytest.approx([0.5, 0.5])
    assert (binned["mean_of_ranks"], binned["global"]) == pytest.approx((0.5, 0.6667), abs=1e-4)
    assert (exact["ranks"], exact["mean_of_ranks"], exact["global"]) == ([None] * 2, None, None)
    assert "lists are not sent: not recomputed" in exact["reason"]
    logged = {entry["key"]: entry for entry in epoch["logged"]}
    assert logged["exact"]["ranks"] == pytest.approx([0.6667] * 2, abs=1e-4)
    assert logged["exact"]["local"] == [None, None]
    assert {entry["reduction"] for entry in logged.values()} == {"state-reduced"}
    assert found(report, "DW309")["key"] == "exact"
    assert codes(report) == set()


class TwoLoaders(Model):
    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.log("acc", batch.mean(), sync_dist=True)

    def val_dataloader(self) -> Any:
        both = [loader([1.0, 1.0]), loader([0.0, 0.0])]
        return both if self.trainer.current_epoch % 2 else both[0]


def a_second_loader_every_other_epoch() -> None:
    trainer(max_epochs=3, reload_dataloaders_every_n_epochs=1).fit(TwoLoaders(), loader([0, 0]))


def test_a_renamed_series_is_told_from_a_vanished_one() -> None:
    """Case 31: with a second loader, `acc` is called `acc/dataloader_idx_0`."""
    board, _ = follow(a_second_loader_every_other_epoch, 2)
    (run,) = board.runs.values()
    keys = [key for key in run.passes if (key.stage, key.dataloader) == ("validate", 0)]
    tables = [run.logged(key, board.now) for key in keys]
    names = [{r.id.name: r.was for r in table.rows} for table in tables if table is not None]
    first, second = "acc/dataloader_idx_0", "acc/dataloader_idx_1"
    assert names == [{"acc": ""}, {first: "acc", second: ""}, {"acc": first}]
    assert [table.gone for table in tables if table is not None] == [(), (), (second,)]
    assert not [f for f in board.findings(run) if f.severity != "info"]


class OneName(TwoLoaders):
    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.log("acc", batch.mean(), add_dataloader_idx=False)


def one_name_for_two_loaders() -> None:
    both = [loader([1.0, 1.0]), loader([0.0, 0.0])]
    trainer().validate(OneName(), both, verbose=False)


def test_one_name_for_two_loaders_ends_in_the_words_of_lightning() -> None:
    report, _ = watch(one_name_for_two_loaders, 2, may_fail=True)
    assert "called `self.log(acc, ...)` twice" in found(report, "DW401")["message"]
