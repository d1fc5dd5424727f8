"""What each rank logs, before and after any sync, in real runs on two ranks."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import lightning.pytorch as pl
import pytest
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint

from ddpwatch.wire.messages import Declare, Logged, Pulse
from tests.ddp import logging_modules as modules
from tests.ddp import ranks, recorder
from tests.ddp.ear import Ear
from tests.ddp.logging_modules import EVEN, UNEVEN, emitted, final, key, validated, watching
from tests.ddp.training import predictions, rank, trainer

pytestmark = pytest.mark.ddp

RANKS = (0.8222, 0.4444)
"""Each rank's own F1 of UNEVEN."""


def validate(name: str, sets: list[Any], batch_size: int, *arguments: Any) -> Any:
    module = getattr(modules, name)(*arguments)
    return validated(module, predictions(*sets[rank()], batch_size))


def near(*values: float) -> Any:
    return pytest.approx(list(values), abs=1e-4)


def test_a_float_without_sync_is_each_ranks_own() -> None:
    for number, (messages, logged) in enumerate(ranks.run(validate, 2, "Float", UNEVEN, 5, False)):
        said = final(messages)
        own = key(said, "val_f1")
        assert (own.hook, own.calls, own.weight) == ("validation_step", 1, [5, 4][number])
        assert (own.on_step, own.on_epoch, own.sync_dist, own.syncs) == (False, True, False, False)
        assert (own.reduce_fx, own.order, own.dataloader, own.origin) == ("mean", 0, -1, "")
        given = emitted(said, "val_f1")
        assert given.local == given.value == own.last == logged["val_f1"]
        assert given.value == pytest.approx(RANKS[number], abs=1e-4)


@pytest.mark.parametrize(
    ("sets", "batch_size", "locals_", "value"),
    [
        (EVEN, 4, (0.7333, 0.4444), 0.5889),
        (EVEN, 2, (0.6667, 0.3333), 0.5),
        (UNEVEN, 5, RANKS, 0.7361),
    ],
)
def test_a_synced_float_is_told_as_it_was_and_as_it_became(
    sets: list[Any], batch_size: int, locals_: tuple[float, float], value: float
) -> None:
    run = ranks.run(validate, 2, "Float", sets, batch_size, True)
    found = [final(messages) for messages, _ in run]
    given = [emitted(each, "val_f1") for each in found]
    assert [each.local for each in given] == near(*locals_)
    assert [each.value for each in given] == near(value, value)
    keys = [key(each, "val_f1") for each in found]
    assert all(each.sync_dist and each.syncs for each in keys)
    weighted = sum(each.weighted_sum for each in keys) / sum(each.weight for each in keys)
    assert [each.weight for each in keys] == [len(labels) for _, labels in sets]
    if sets is UNEVEN:
        # What Lightning ended with is more by 4.5 / 4: the mean batch size was cut to an integer.
        assert [weighted, weighted * 4.5 / 4] == near(0.6543, value)


def test_keys_that_differ_by_rank_are_told_before_they_are_mixed() -> None:
    for number, (messages, _) in enumerate(ranks.run(validate, 2, "OtherKeys", EVEN, 4)):
        said = final(messages)
        assert [each.name for each in said.keys] == [f"cls_{number}"]
        assert key(said, f"cls_{number}").last == number + 1
        given = emitted(said, f"cls_{number}")
        assert (given.local, given.value) == (number + 1, 1.5)


def test_a_metric_object_has_a_local_step_value_and_a_global_epoch_value() -> None:
    for number, (messages, _) in enumerate(ranks.run(validate, 2, "ByStepAndEpoch", UNEVEN, 5)):
        said = final(messages)
        own = key(said, "f1")
        assert (own.metric, own.metric_syncs, own.calls) == ("f1", True, 1)
        assert (own.sync_dist, own.syncs) == (True, False)
        assert [each.name for each in said.emitted] == ["f1_step", "f1_epoch"]
        step, epoch = said.emitted
        assert (step.kind, epoch.kind, epoch.local) == ("step", "epoch", None)
        assert [step.value, epoch.value] == near(RANKS[number], 0.6794)


def test_a_return_value_is_known_to_be_one() -> None:
    for number, (messages, _) in enumerate(ranks.run(validate, 2, "ReturnValue", EVEN, 2)):
        said = final(messages)
        assert [key(said, name).origin for name in ("f1", "synced")] == ["forward:f1"] * 2
        given = [emitted(said, name) for name in ("f1", "synced")]
        assert [each.value for each in given] == near([0.6667, 0.3333][number], 0.5)
        assert [each.local for each in given] == near(*[[0.6667, 0.3333][number]] * 2)


def test_an_object_that_averages_ratios_ends_the_same_everywhere() -> None:
    for messages, _ in ranks.run(validate, 2, "Averaging", UNEVEN, 5):
        assert key(final(messages), "own").metric == "own"
        assert emitted(final(messages), "own").value == pytest.approx(0.6333, abs=1e-4)


def test_what_is_not_a_number_is_counted_and_placed() -> None:
    for number, (messages, _) in enumerate(ranks.run(validate, 2, "NotANumber", EVEN, 2)):
        said = final(messages)
        for name in ("loss", "synced"):
            own = key(said, name)
            assert (own.calls, own.last, own.most) == (2, 1.0, 1.0)
            expected = [(0, -1), (1, 0)][number]
            assert (own.nonfinite, own.nonfinite_step) == expected
        values = {each.name: each.value for each in said.emitted}
        assert math.isnan(values["synced"])
        assert values["mean"] == 1.0
        assert math.isnan(values["loss"]) == (number == 1)


def test_what_compute_returned_is_known_bit_for_bit_and_global() -> None:
    for messages, _ in ranks.run(validate, 2, "Computed", UNEVEN, 5):
        said = final(messages)
        origins = {each.name: each.origin for each in said.keys}
        assert origins == {
            "weight": "",
            "val_f1": "compute:f1",
            "twice": "compute:f1",
            "number": "compute:f1",
            "percent": "",
            **{f"recall_{index}": f"compute:by_class:{index}" for index in range(3)},
            "MulticlassF1Score": "compute:both.MulticlassF1Score",
            "MulticlassRecall": "compute:both.MulticlassRecall",
        }
        names = ("val_f1", "number", "twice")
        assert [emitted(said, name).value for name in names] == near(0.6794, 0.6794, 1.3587)
        assert emitted(said, "twice").local == pytest.approx(0.6794, abs=1e-4)
        assert {key(said, name).hook for name in names} == {"on_validation_epoch_end"}


def two_loaders() -> list[Any]:
    data = [predictions(*EVEN[rank()], 2), predictions(*EVEN[rank()], 4)]
    return validated(modules.TwoLoaders(), data)[0]


def test_loaders_are_told_apart_and_late_keys_are_there() -> None:
    for number, messages in enumerate(ranks.run(two_loaders, 2)):
        said = final(messages)
        assert [(e.name, e.dataloader, e.calls, e.last_step) for e in said.keys] == [
            ("acc", 0, 2, 1),
            ("own_0", -1, 2, 1),
            ("acc", 1, 1, 0),
            ("own_1", -1, 1, 0),
            ("late", -1, 1, 0),
        ]
        assert {e.name: e.value for e in said.emitted} == {
            "acc_step/dataloader_idx_0": number,
            "acc_epoch/dataloader_idx_0": number,
            "own_0": 1.0,
            "acc_step/dataloader_idx_1": number + 1,
            "acc_epoch/dataloader_idx_1": number + 1,
            "own_1": 1.0,
            "late": 7.0,
        }


def finals_of(messages: list[Any], stage: str) -> list[Logged]:
    return [e for e in recorder.of(Logged, messages) if e.final and e.stage == stage]


STOPPING = [[1.0, 0.8, 0.6, 0.4, 0.2], [0.50, 0.52, 0.54, 0.56, 0.58]]


def stopping(folder: str, at_epoch_end: bool | None) -> list[Any]:
    checkpoint = ModelCheckpoint(folder, "e{epoch}-{val_loss:.2f}", monitor="val_loss", mode="min")
    stop = EarlyStopping("val_loss", patience=2, check_on_train_epoch_end=at_epoch_end)
    fitting = watching(
        max_epochs=5,
        callbacks=[checkpoint, stop],
        enable_checkpointing=True,
        num_sanity_val_steps=0,
    )
    one = predictions([0], [0], 1)
    fitting.fit(modules.Losses(STOPPING), one, predictions([0], [0], 1))
    return recorder.bodies()


@pytest.mark.parametrize("at_epoch_end", [None, False])
def test_each_rank_tells_what_its_monitors_hold_after_they_decided(
    tmp_path: Any, at_epoch_end: bool | None
) -> None:
    for number, messages in enumerate(ranks.run(stopping, 2, str(tmp_path), at_epoch_end)):
        (declared,) = {each.monitors for each in recorder.of(Declare, messages)}
        assert sorted((e.kind, e.key, e.mode, e.patience) for e in declared) == [
            ("checkpoint", "val_loss", "min", None),
            ("early_stopping", "val_loss", "min", 2),
        ]
        kinds = [each.kind for each in declared]
        stop, checkpoint = kinds.index("early_stopping"), kinds.index("checkpoint")
        for epoch in range(3):
            held = final(messages, number=epoch).monitors
            assert held[stop].current == pytest.approx(STOPPING[number][epoch])
            assert held[stop].wait == [0, epoch][number]
            assert held[stop].best == pytest.approx(min(STOPPING[number][: epoch + 1]))
            # Rank 1 never agrees to save again, and each believes in a file named by its own loss.
            assert held[checkpoint].best == STOPPING[number][0]
            assert f"={STOPPING[number][0]:.2f}" in held[checkpoint].path
        assert len(finals_of(messages, "train")) == 3
        assert final(messages, "train", 2).monitors[stop].stopped
        assert not final(messages, "train", 1).monitors[stop].stopped


def every_way() -> list[Any]:
    class Other(pl.Callback):
        def on_train_batch_end(self, *_: Any) -> None:
            self.log("callback", 6.0)

    fitting = watching(limit_val_batches=0, max_epochs=2, callbacks=[Other()])
    fitting.fit(modules.EveryWay(), predictions(*EVEN[rank()], 2))
    return recorder.bodies()


def test_every_hook_and_option_is_told() -> None:
    for messages in ranks.run(every_way, 2):
        first, second = finals_of(messages, "train")
        assert [each.name for each in first.keys] == [
            *("start", "train", "most", "own_size", "zero", "callback", "after", "end"),
        ]
        assert [each.name for each in second.keys] == [each.name for each in first.keys[1:]]
        for said in (first, second):
            assert [key(said, "train").prog_bar, key(said, "own_size").logger] == [True, False]
            assert key(said, "most").reduce_fx == "max"
            assert emitted(said, "most").value == key(said, "most").most == 1.0
            assert (key(said, "own_size").weight, key(said, "train").weight) == (20, 4)
            zero = key(said, "zero")
            assert (zero.sync_dist, zero.syncs, zero.rank_zero_only) == (True, False, True)
            assert [key(said, name).hook for name in ("callback", "after", "end")] == [
                *("on_train_batch_end", "on_train_batch_end", "on_train_epoch_end"),
            ]
            assert [key(said, name).last_step for name in ("train", "after", "end")] == [1, 1, 1]
            assert emitted(said, "after_step").value == 1.0
            assert emitted(said, "after_epoch").value == emitted(said, "after_epoch").local == 0.5


def alone() -> list[Any]:
    return validated(modules.Float(True), predictions(*EVEN[0], 2))[0]


def test_a_sync_that_one_process_has_no_use_for_was_asked_for_all_the_same() -> None:
    (messages,) = ranks.run(alone, 1, distributed=False)
    own = key(final(messages), "val_f1")
    assert (own.sync_dist, own.syncs) == (True, False)


def restored(breaks: bool) -> list[list[str]]:
    from torchmetrics import Metric

    before = Metric.reset, Metric.sync
    fitting = watching(max_epochs=1)
    module = modules.Breaking() if breaks else modules.Float(True)
    with contextlib.suppress(ZeroDivisionError):
        fitting.fit(module, predictions([0], [0], 1), predictions([0], [0], 1))
    assert (Metric.reset, Metric.sync) == before
    accounts = [each for each in recorder.bodies() if isinstance(each, Logged)]
    assert accounts[-1].final != breaks
    loops = [fitting.fit_loop.epoch_loop, fitting.fit_loop.epoch_loop.val_loop]
    names = {"log", "reset", "metrics", "valid_items"}
    return [sorted(names & set(vars(each._results))) for each in loops]


@pytest.mark.parametrize("breaks", [False, True])
def test_nothing_stays_wrapped_and_what_was_logged_until_then_is_told(breaks: bool) -> None:
    assert ranks.run(restored, 2, breaks) == [[[], []]] * 2


def unheard() -> Any:
    from ddpwatch_lightning import logbook

    def refuse(trainer: Any) -> Any:
        raise AttributeError("no result collections here")

    logbook.collections_of = refuse
    fitting = watching(max_epochs=2)
    data = predictions(*EVEN[rank()], 2)
    fitting.fit(modules.EveryWay(), data, data)
    return recorder.bodies()


def test_where_calls_cannot_be_heard_items_are_read() -> None:
    for messages in ranks.run(unheard, 2):
        assert all(len(each.notes) == 1 for each in recorder.of(Declare, messages))
        said = final(messages, "train", 1)
        assert key(said, "most").most == 1.0
        assert (key(said, "train").weighted_sum, key(said, "train").weight) == (4.0, 4.0)
        assert key(said, "train").calls == 2
        validation = final(messages, "validate", 0)
        assert key(validation, "f1").metric == "f1"
        assert emitted(validation, "f1").value == pytest.approx(0.6349, abs=1e-4)


def standing_still(name: str, address: str) -> None:
    from ddpwatch_lightning import DDPWatch

    fitting = trainer(DDPWatch(address, every=1), use_distributed_sampler=False)
    data = predictions(*EVEN[rank()], 2)
    fitting.validate(getattr(modules, name)(), data, verbose=False)


@pytest.fixture
def ear() -> Iterator[Ear]:
    with Ear() as ear:
        yield ear


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("OnlyOnOne", ("on_validation_epoch_end", "gathered")),
        ("SyncedSteps", ("validation_step", "stepwise")),
        ("ComputedOnOne", ("on_validation_epoch_end", "f1")),
    ],
)
def test_who_waits_for_the_others_says_on_which_key(
    ear: Ear, name: str, place: tuple[str, str]
) -> None:
    started = ranks.start(standing_still, 2, name, ear.address)
    try:
        ear.wait(
            lambda: any((e.hook, e.key) == place for e in ear.of_rank(0) if isinstance(e, Pulse))
        )
        said = [each for each in ear.of_rank(0) if isinstance(each, Logged)]
        if name == "OnlyOnOne":
            ear.wait(lambda: _calls(ear, "gathered"))
            assert _calls(ear, "gathered") == [1]
        if name == "SyncedSteps":
            ear.wait(lambda: _calls(ear, "stepwise") == [2])
            assert not any(each.final for each in said)
    finally:
        for process, _ in started:
            process.kill()
        ranks.join(started)


def _calls(ear: Ear, name: str) -> list[int]:
    """Return how many calls with that name rank 0 tells of last."""
    said = [each for each in ear.of_rank(0) if isinstance(each, Logged)]
    return [each.calls for each in said[-1].keys if each.name == name] if said else []
