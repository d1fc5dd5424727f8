"""Situations that people hit: beside whatever they log, each rank's own states are right."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest
import torch
from torchmetrics import MeanMetric
from torchmetrics.classification import BinaryF1Score
from torchmetrics.functional.classification import multiclass_f1_score

from ddpwatch.wire.messages import Bye, State
from tests.ddp import ranks, recorder
from tests.ddp.ear import Ear
from tests.ddp.training import CLASSES, Judge, Model, loader, predictions, rank, trainer

pytestmark = pytest.mark.ddp

UNEVEN = [([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2])]
EVEN = [([0, 0, 1, 1], [0, 1, 1, 1]), ([0, 1, 2, 2], [0, 0, 1, 2])]
COUNTS = [
    {"tp": [1, 2, 1], "fp": [1, 0, 0], "fn": [0, 1, 0]},
    {"tp": [1, 0, 1], "fp": [0, 1, 1], "fn": [1, 1, 0]},
]
"""What the ranks count in UNEVEN."""


def validated(model: Any, data: Any, **options: Any) -> tuple[list[Any], dict[str, float]]:
    """Validate with a callback beside; return its messages and what was logged."""
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    fitting = trainer(DDPWatch(every=1), use_distributed_sampler=False, **options)
    fitting.validate(model, data, verbose=False)
    return recorder.bodies(), {k: float(v) for k, v in fitting.callback_metrics.items()}


def counts(messages: list[Any], path: str = "f1", number: int = 0) -> dict[str, list[int]]:
    """Return a rank's true positives, false positives and false negatives at the end of a pass."""
    final = recorder.finals(messages)["validate", number, 0]
    tp, fp, _, fn = recorder.by_path(final, messages)[path][2]
    return {"tp": tp, "fp": fp, "fn": fn}


class Float(Judge):
    """Computes each batch's F1 with a function and logs the number."""

    def __init__(self, sync: bool) -> None:
        super().__init__()
        self.sync = sync

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1.update(*batch)
        value = multiclass_f1_score(*batch, num_classes=CLASSES, average="macro")
        self.log("val_f1", value, sync_dist=self.sync)


def as_float(sets: list[Any], batch_size: int, sync: bool) -> Any:
    return validated(Float(sync), predictions(*sets[rank()], batch_size))


def test_a_float_that_is_logged_without_sync_is_each_ranks_own() -> None:
    for number, (messages, logged) in enumerate(ranks.run(as_float, 2, UNEVEN, 5, False)):
        assert logged["val_f1"] == pytest.approx([0.8222, 0.4444][number], abs=1e-4)
        assert counts(messages) == COUNTS[number]


@pytest.mark.parametrize(("batch_size", "logged"), [(4, 0.5889), (2, 0.5)])
def test_a_float_that_is_synchronised_changes_with_the_batches_the_states_do_not(
    batch_size: int, logged: float
) -> None:
    found = ranks.run(as_float, 2, EVEN, batch_size, True)
    assert [each["val_f1"] for _, each in found] == pytest.approx([logged] * 2, abs=1e-4)
    first, second = (counts(messages) for messages, _ in found)
    assert first == {"tp": [1, 2, 0], "fp": [1, 0, 0], "fn": [0, 1, 0]}
    assert second == COUNTS[1]


class ByStepAndEpoch(Judge):
    """Logs one metric object for steps and epochs."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1(*batch)
        self.log("f1", self.f1, on_step=True, on_epoch=True)


def by_step_and_epoch() -> Any:
    return validated(ByStepAndEpoch(), predictions(*UNEVEN[rank()], 5))


def test_a_metric_object_has_a_local_step_value_and_a_global_epoch_value() -> None:
    for number, (messages, logged) in enumerate(ranks.run(by_step_and_epoch, 2)):
        assert logged["f1_epoch"] == pytest.approx(0.6794, abs=1e-4)
        assert counts(messages) == COUNTS[number]
        (step,) = [s for s in recorder.of(State, messages) if not s.final]
        assert recorder.by_path(step, messages)["f1"][2][0] == COUNTS[number]["tp"]


class ReturnValue(Judge):
    """Logs what calling the metric returned, and never the object."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.log("f1", self.f1(*batch))


def return_value() -> Any:
    return validated(ReturnValue(), predictions(*EVEN[rank()], 2))


def test_logging_the_return_value_averages_batches_the_states_do_not() -> None:
    found = ranks.run(return_value, 2)
    assert found[0][1]["f1"] == pytest.approx(0.6667, abs=1e-4)
    assert counts(found[0][0]) == {"tp": [1, 2, 0], "fp": [1, 0, 0], "fn": [0, 1, 0]}
    assert counts(found[1][0]) == COUNTS[1]


class Padded(Judge):
    def __init__(self) -> None:
        super().__init__()
        self.f1 = BinaryF1Score()  # type: ignore[assignment]


def padded() -> Any:
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    fitting = trainer(DDPWatch(every=1))
    fitting.validate(Padded(), predictions([1, 0, 1, 1, 0], [0, 0, 1, 1, 1], 1), verbose=False)
    return recorder.bodies()


def test_a_padded_sample_is_counted_on_both_ranks() -> None:
    totals = []
    for messages in ranks.run(padded, 2):
        final = recorder.finals(messages)["validate", 0, 0]
        assert (final.batches, final.samples) == (3, 3)
        totals.append(recorder.by_path(final, messages)["f1"][2])
    summed = torch.tensor(totals).sum(0).flatten().tolist()
    assert summed == [2, 2, 1, 1]


class Weighted(Judge):
    def __init__(self) -> None:
        super().__init__()
        self.own = MeanMetric()

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.own.update(float(rank() + 1), weight=len(batch[0]))


def unequal() -> Any:
    batches = 3 - rank()
    return validated(Weighted(), predictions([0] * 2 * batches, [0] * 2 * batches, 2))


def test_ranks_with_unequal_numbers_of_batches() -> None:
    sums = []
    for number, (messages, _) in enumerate(ranks.run(unequal, 2)):
        final = recorder.finals(messages)["validate", 0, 0]
        assert (final.step, final.steps, final.batches) == (2 - number, 3 - number, 3 - number)
        sums.append(recorder.by_path(final, messages)["own"][2])
    assert sums == [[6.0, 6.0], [8.0, 4.0]]


class NeverReset(Judge):
    """Computes by hand and never resets; the same metric is also logged as an object."""

    def __init__(self) -> None:
        super().__init__()
        self.f1 = BinaryF1Score()  # type: ignore[assignment]
        self.as_object = BinaryF1Score()

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        first = self.trainer.sanity_checking or self.current_epoch == 0
        labels = torch.ones(2, dtype=torch.long)
        preds = torch.tensor([0, int(rank() == 1)]) if first else labels
        self.f1.update(preds, labels)
        self.as_object.update(preds, labels)
        self.log("as_object", self.as_object)

    def on_validation_epoch_end(self) -> None:
        self.log("by_hand", self.f1.compute())


def never_reset() -> Any:
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    options = {"max_epochs": 3, "num_sanity_val_steps": 1, "use_distributed_sampler": False}
    fitting = trainer(DDPWatch(every=1), **options)
    train, val = predictions([0], [0], 1), predictions([0] * 4, [0] * 4, 2)
    fitting.fit(NeverReset(), train, val)
    return recorder.bodies(), {k: float(v) for k, v in fitting.callback_metrics.items()}


def test_a_metric_that_is_never_reset_shows_its_growing_count() -> None:
    for messages, logged in ranks.run(never_reset, 2):
        finals = recorder.finals(messages)
        passes = [finals["sanity_check", 0, 0], *(finals["validate", n, 0] for n in range(3))]
        seen = [recorder.by_path(each, messages) for each in passes]
        assert [each["f1"][:2] for each in seen] == [(1, 1), (3, 2), (5, 2), (7, 2)]
        assert [each["as_object"][:2] for each in seen[1:]] == [(2, 2)] * 3
        assert logged["as_object"] == 1.0
        assert logged["by_hand"] < 1.0


def with_workers(address: str) -> int:
    from ddpwatch_lightning import DDPWatch

    options = {"num_workers": 2, "persistent_workers": True, "multiprocessing_context": "fork"}
    fitting = trainer(DDPWatch(address, every=1), max_epochs=3)
    fitting.fit(Model(), loader(16, **options), loader(16, **options))
    return int(fitting.current_epoch)


def test_forked_loader_workers_leave_the_socket_alone() -> None:
    with Ear() as ear:
        assert ranks.run(with_workers, 1, ear.address, distributed=False) == [3]
        assert ear.goodbyes() == {0: "finished"}
        assert len({each.claim for each in ear.envelopes}) == 1
        assert {("train", 2), ("validate", 2)} <= ear.finals(0)


class Dying(Model):
    """Fails on rank 1 in the third batch."""

    def __init__(self, error: type[BaseException]) -> None:
        super().__init__()
        self.error = error

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        if rank() == 1 and batch_idx == 2:
            raise self.error("third batch")
        return super().training_step(batch, batch_idx)


def dying(address: str, error: type[BaseException]) -> None:
    from ddpwatch_lightning import DDPWatch

    fitting = trainer(DDPWatch(address, every=1), limit_val_batches=0)
    fitting.fit(Dying(error), loader(64))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_rank_that_fails_says_why_and_the_other_one_fails_with_it(
    error: type[BaseException],
) -> None:
    with Ear() as ear:
        ended = ranks.join(ranks.start(dying, 2, ear.address, error))
        # After an interrupt, some versions of Lightning return as if nothing had happened.
        assert all(each.exitcode for each in ended) or error is KeyboardInterrupt
        assert ear.goodbyes() == {0: "exception", 1: "exception"}
        texts = {e.rank: e.body.text for e in ear.envelopes if isinstance(e.body, Bye)}
        assert texts[1] == f"{error.__name__}: third batch"
        failed = [e.body for e in ear.envelopes if getattr(e.body, "kind", "") == "exception"]
        assert [(each.stage, each.pass_) for each in failed] == [("train", 0)] * 2
        states = [each for each in ear.of_rank(1) if isinstance(each, State)]
        assert max(each.step for each in states if each.stage == "train") == 1


class Stuck(Model):
    """Stands still on rank 1 in the third batch, until somebody ends it."""

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        if rank() == 1 and batch_idx == 2:
            threading.Event().wait()
        return super().training_step(batch, batch_idx)


def stuck(address: str) -> None:
    from ddpwatch_lightning import DDPWatch

    fitting = trainer(DDPWatch(address, every=1), limit_val_batches=0)
    fitting.fit(Stuck(), loader(64))


def test_a_rank_that_is_killed_is_heard_until_then_and_the_other_one_says_what_it_saw() -> None:
    with Ear() as ear:
        started = ranks.start(stuck, 2, ear.address)
        ear.wait(lambda: any(isinstance(e, State) and e.step == 1 for e in ear.of_rank(1)))
        started[1][0].kill()
        ended = ranks.join(started)
        assert ended[1].exitcode == -signal.SIGKILL
        assert ended[0].exitcode
        assert ear.goodbyes() == {0: "exception"}
        assert "exception" not in ear.events(1)


def absent_class() -> Any:
    sets = [([0, 1, 0], [0, 1, 1]), ([2, 2, 2], [2, 2, 0])]
    return validated(Judge(), predictions(*sets[rank()], 2))


def test_a_class_that_is_absent_on_a_rank_has_counts_of_zero_there() -> None:
    first, second = (counts(messages) for messages, _ in ranks.run(absent_class, 2))
    assert first == {"tp": [1, 1, 0], "fp": [1, 0, 0], "fn": [0, 1, 0]}
    assert second == {"tp": [0, 0, 2], "fp": [0, 0, 1], "fn": [1, 0, 0]}
