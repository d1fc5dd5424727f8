"""Every stage, pass and loader is followed, and its final states are those it really ended with."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ddpwatch.wire.messages import Declare, Hello, Progress, State
from tests.ddp import ranks, recorder
from tests.ddp.training import CLASSES, Judge, Model, loader, predictions, rank, trainer

pytestmark = pytest.mark.ddp


def recorded() -> Any:
    """A callback whose messages are kept in the process."""
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    return DDPWatch(every=1)


class Confessing(Model):
    """Notes what its metrics hold, in its own hooks, just before it resets or loses them."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[tuple[str, dict[str, Any]]] = []

    def _note(self, what: str) -> None:
        metrics = {
            "train_f1": self.train_f1,
            "val.f1": self.val._modules["f1"],
            "by_hand": self.by_hand,
            "test_matrix": self.test_matrix,
        }
        states = {
            path: [getattr(metric, name).tolist() for name in metric._defaults]
            for path, metric in metrics.items()
        }
        self.held.append((what, states))

    def on_train_epoch_end(self) -> None:
        self._note("train")

    def on_validation_epoch_end(self) -> None:
        self._note("sanity_check" if self.trainer.sanity_checking else "validate")
        super().on_validation_epoch_end()

    def on_test_epoch_end(self) -> None:
        self._note("test")
        super().on_test_epoch_end()


def everything() -> tuple[list[Any], list[Any]]:
    model = Confessing()
    fitting = trainer(recorded(), max_epochs=2, val_check_interval=0.5)
    fitting.fit(model, loader(32), loader(12))
    fitting.validate(model, loader(16), verbose=False)
    fitting.test(model, loader(16), verbose=False)
    fitting.predict(model, loader(8))
    return recorder.bodies(), model.held


@pytest.fixture(scope="module")
def run() -> list[Any]:
    return ranks.run(everything, 2)


def test_passes_are_numbered_by_stage_over_all_calls(run: list[Any]) -> None:
    for messages, _ in run:
        happened = recorder.events(messages)
        ends = [(stage, number) for kind, stage, number in happened if kind == "pass_end"]
        assert ends == [
            ("sanity_check", 0),
            ("validate", 0),
            ("validate", 1),
            ("train", 0),
            ("validate", 2),
            ("validate", 3),
            ("train", 1),
            ("validate", 4),
            ("test", 0),
            ("predict", 0),
        ]
        begins = [(stage, number) for kind, stage, number in happened if kind == "pass_begin"]
        assert sorted(begins) == sorted(ends)


def test_finals_are_what_the_module_saw_before_it_reset(run: list[Any]) -> None:
    owners = {"train": "train_f1", "test": "test_matrix"}
    for messages, held in run:
        finals = recorder.finals(messages)
        numbers: dict[str, int] = {}
        for stage, states in held:
            number = numbers[stage] = numbers.get(stage, -1) + 1
            seen = recorder.by_path(finals[stage, number, 0], messages)
            for path in [owners[stage]] if stage in owners else ["val.f1", "by_hand"]:
                updates, fresh, arrays = seen[path]
                assert arrays == states[path]
                assert updates == fresh > 0
        assert numbers == {"sanity_check": 0, "validate": 4, "train": 1, "test": 0}


def test_members_of_a_group_follow_their_leader(run: list[Any]) -> None:
    messages, _ = run[0]
    last = recorder.finals(messages)["validate", 4, 0]
    seen = recorder.by_path(last, messages)
    assert seen["val.recall"] == seen["val.f1"]


def test_metrics_of_other_stages_are_there_but_not_fresh(run: list[Any]) -> None:
    messages, _ = run[0]
    seen = recorder.by_path(recorder.finals(messages)["test", 0, 0], messages)
    assert {path for path, (_, fresh, _) in seen.items() if fresh} == {"test_matrix"}
    assert set(seen) == {"train_f1", "val.f1", "val.recall", "by_hand", "test_matrix"}


def test_every_step_is_published_with_what_was_seen_so_far(run: list[Any]) -> None:
    for messages, _ in run:
        states = [s for s in recorder.of(State, messages) if s.stage == "train" and not s.final]
        assert [(s.pass_, s.epoch, s.step, s.batches, s.samples, s.steps) for s in states] == [
            (epoch, epoch, step, step + 1, 4 * (step + 1), 4)
            for epoch in (0, 1)
            for step in range(4)
        ]
        assert [state.global_step for state in states] == list(range(1, 9))


def test_progress_goes_on_in_all_stages_also_where_nothing_is_measured(run: list[Any]) -> None:
    messages, _ = run[0]
    last = {each.stage: each for each in recorder.of(Progress, messages)}
    assert {stage: (each.step, each.steps, each.samples) for stage, each in last.items()} == {
        "sanity_check": (1, 2, 6),
        "train": (3, 4, 16),
        "validate": (1, 2, 8),
        "test": (1, 2, 8),
        "predict": (0, 1, 4),
    }
    assert last["train"].lr == 0.1
    assert last["train"].step_time is not None
    assert not [each for each in recorder.of(State, messages) if each.stage == "predict"]


def test_the_greeting_says_who_it_is_at_every_call(run: list[Any]) -> None:
    for number, (messages, _) in enumerate(run):
        hellos = recorder.of(Hello, messages)
        assert [hello.entry for hello in hellos] == ["fit", "validate", "test", "predict"]
        (hello, *_) = hellos
        assert (hello.world_size, hello.launched_world_size) == (2, 2)
        assert (hello.local_rank, hello.node_rank) == (number, 0)
        assert (hello.strategy, hello.device, hello.name) == ("DDPStrategy", "cpu", "Confessing")
        assert {"python", "torch", "torchmetrics", "lightning", "ddpwatch"} <= hello.versions.keys()


def test_what_is_tracked_is_declared_again_only_with_the_loaders_of_a_call(
    run: list[Any],
) -> None:
    messages, _ = run[0]
    declared = recorder.of(Declare, messages)
    stages = [[loader.stage for loader in each.loaders] for each in declared]
    training, testing = ["validate", "train"], ["validate", "train", "test"]
    assert stages == [["validate"], training, training, testing]
    assert [each.version for each in declared] == [0, 1, 2, 3]
    for each in declared:
        assert [metric.path for metric in each.metrics] == [
            "train_f1",
            "val.f1",
            "val.recall",
            "by_hand",
            "test_matrix",
        ]


class PerLoader(Judge):
    """One metric for all loaders, and one for each."""

    def __init__(self) -> None:
        super().__init__()
        from torchmetrics import SumMetric

        self.each = torch.nn.ModuleList([SumMetric(), SumMetric(), SumMetric()])

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1.update(*batch)
        self.each[dataloader_idx].update(float(dataloader_idx + 1))


def several_loaders() -> list[Any]:
    data = [predictions([0, 1, 2, 0], [0] * 4, 2), predictions([1], [1], 2)]
    fitting = trainer(recorded(), use_distributed_sampler=False)
    fitting.validate(PerLoader(), [*data, predictions([2] * 6, [2] * 6, 2)], verbose=False)
    return recorder.bodies()


def test_each_loader_has_its_own_finals_and_counts() -> None:
    messages = ranks.run(several_loaders, 1, distributed=False)[0]
    finals = recorder.finals(messages)
    assert list(finals) == [("validate", 0, 0), ("validate", 0, 1), ("validate", 0, 2)]
    counts = [(f.step, f.steps, f.batches, f.samples) for f in finals.values()]
    assert counts == [(1, 2, 2, 4), (0, 1, 1, 1), (2, 3, 3, 6)]
    for number, final in enumerate(finals.values()):
        seen = recorder.by_path(final, messages)
        fresh = {path: fresh for path, (_, fresh, _) in seen.items() if fresh}
        assert fresh == {"f1": final.batches, f"each.{number}": final.batches}
    # The metric that all loaders share goes on accumulating, which is what its owner will compute.
    assert [recorder.by_path(f, messages)["f1"][0] for f in finals.values()] == [2, 3, 6]


class AtTheEnd(Judge):
    """Collects outputs, and updates, computes and resets in the epoch-end hook alone."""

    def __init__(self, resets: bool) -> None:
        super().__init__()
        self.resets = resets
        self.outputs: list[Any] = []

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.outputs.append(batch)

    def on_validation_epoch_end(self) -> None:
        for batch in self.outputs:
            self.f1.update(*batch)
        self.outputs.clear()
        self.f1.compute()
        if self.resets:
            self.f1.reset()


def at_the_end(resets: bool) -> list[Any]:
    fitting = trainer(recorded(), use_distributed_sampler=False)
    fitting.validate(AtTheEnd(resets), predictions([0, 1, 2], [0, 0, 2], 2), verbose=False)
    return recorder.bodies()


@pytest.mark.parametrize("resets", [True, False])
def test_a_metric_that_is_updated_in_the_end_hook_alone_counts_for_that_pass(resets: bool) -> None:
    messages = ranks.run(at_the_end, 1, resets, distributed=False)[0]
    final = recorder.finals(messages)["validate", 0, 0]
    updates, fresh, arrays = recorder.by_path(final, messages)["f1"]
    assert (updates, fresh) == (2, 2)
    assert arrays[0] == [1, 0, 1]


class ResetAtStart(Judge):
    """Resets by hand when an epoch starts, as many do."""

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1.update(*batch)

    def on_validation_epoch_start(self) -> None:
        self.f1.reset()


def reset_at_start() -> list[Any]:
    fitting = trainer(recorded(), use_distributed_sampler=False)
    model = ResetAtStart()
    for _ in range(2):
        fitting.validate(model, predictions([0], [0], 1), verbose=False)
    return recorder.bodies()


def test_a_pass_of_one_batch_after_a_reset_is_not_taken_for_an_empty_one() -> None:
    messages = ranks.run(reset_at_start, 1, distributed=False)[0]
    finals = recorder.finals(messages)
    assert [recorder.by_path(f, messages)["f1"][:2] for f in finals.values()] == [(1, 1), (1, 1)]


class Growing(Model):
    """Gets another metric while it trains."""

    def on_train_epoch_start(self) -> None:
        if self.current_epoch == 0:
            from torchmetrics import MeanMetric

            self.late = MeanMetric()

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        loss = super().training_step(batch, batch_idx)
        self.late.update(loss.detach())
        return loss


def growing() -> list[Any]:
    trainer(recorded(), max_epochs=2, limit_val_batches=0).fit(Growing(), loader(8))
    return recorder.bodies()


def test_a_metric_that_appears_later_is_declared_in_the_next_version() -> None:
    messages = ranks.run(growing, 1, distributed=False)[0]
    assert [len(each.metrics) for each in recorder.of(Declare, messages)] == [5, 6]
    finals = recorder.finals(messages)
    assert "late" not in recorder.by_path(finals["train", 0, 0], messages)
    assert recorder.by_path(finals["train", 1, 0], messages)["late"][1] == 2


class Odd(Judge):
    """What users also have: loose metrics, a wrapper, a state that nothing can read."""

    def __init__(self) -> None:
        super().__init__()
        from torchmetrics import ClasswiseWrapper, SumMetric
        from torchmetrics.classification import MulticlassRecall

        self.loose = {"sum": SumMetric()}
        self.wrapped = ClasswiseWrapper(MulticlassRecall(CLASSES, average=None))
        self.torn = SumMetric()

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.loose["sum"].update(2.0)
        self.wrapped.update(*batch)
        self.torn.sum_value = torch.ones(1).to_sparse()


def odd() -> list[Any]:
    trainer(recorded()).validate(Odd(), predictions([0, 1], [0, 1], 1), verbose=False)
    return recorder.bodies()


def test_one_metric_that_cannot_be_copied_is_told_and_the_others_go_on() -> None:
    messages = ranks.run(odd, 1, distributed=False)[0]
    seen = recorder.by_path(recorder.finals(messages)["validate", 0, 0], messages)
    assert set(seen) == {"f1", "loss", "wrapped.metric", "loose.sum"}
    assert seen["loose.sum"] == (2, 2, [4.0])
    assert seen["wrapped.metric"][:2] == (2, 2)
    assert recorder.events(messages).count(("capture_failed", None, 0)) == 1
    (declared,) = recorder.of(Declare, messages)
    assert {each.path: each.registered for each in declared.metrics}["loose.sum"] is False


def quick(options: dict[str, Any]) -> list[Any]:
    trainer(recorded(), **options).fit(Model(), loader(16), loader(16))
    return recorder.bodies()


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ({"fast_dev_run": True}, {"train": 1, "validate": 1}),
        ({"limit_train_batches": 3, "limit_val_batches": 0.5}, {"train": 3, "validate": 2}),
        ({"num_sanity_val_steps": 0, "max_steps": 2}, {"train": 4, "validate": None}),
        ({"barebones": True}, {"train": 4, "validate": None}),
    ],
)
def test_shortened_runs(options: dict[str, Any], steps: dict[str, int | None]) -> None:
    messages = ranks.run(quick, 1, options, distributed=False)[0]
    finals = recorder.finals(messages)
    for stage, expected in steps.items():
        if expected is not None:
            assert finals[stage, 0, 0].steps == expected
    assert not [each for each in recorder.events(messages) if each[0] == "capture_failed"]


class Endless(torch.utils.data.IterableDataset[Any]):
    def __iter__(self) -> Any:
        for _ in range(5):
            yield torch.ones(4), torch.tensor(1)


def without_length() -> list[Any]:
    from torch.utils.data import DataLoader

    trainer(recorded(), limit_val_batches=0).fit(Model(), DataLoader(Endless(), 2))
    return recorder.bodies()


def test_a_loader_without_length() -> None:
    messages = ranks.run(without_length, 1, distributed=False)[0]
    final = recorder.finals(messages)["train", 0, 0]
    assert (final.steps, final.step, final.samples) == (None, 2, 5)
    assert recorder.by_path(final, messages)["train_f1"][1] == 3


def combined(mode: str) -> list[Any]:
    from lightning.pytorch.utilities import CombinedLoader

    class Both(Judge):
        def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
            for each in batch:
                if each is not None:
                    self.f1.update(*each)

    loaders = [predictions([0] * 4, [0] * 4, 2), predictions([1] * 2, [1] * 2, 2)]
    trainer(recorded()).validate(Both(), CombinedLoader(loaders, mode), verbose=False)
    return recorder.bodies()


@pytest.mark.parametrize(("mode", "steps"), [("min_size", 1), ("max_size", 2)])
def test_loaders_that_are_read_side_by_side_are_one(mode: str, steps: int) -> None:
    messages = ranks.run(combined, 1, mode, distributed=False)[0]
    ((key, final),) = recorder.finals(messages).items()
    assert key == ("validate", 0, 0)
    assert (final.steps, final.batches) == (steps, steps)


def selected() -> list[Any]:
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    watch = DDPWatch(include="val.*", exclude="*.f1", name="digits", labels=["a", "b", "c"])
    trainer(watch).fit(Model(), loader(8), loader(8))
    return recorder.bodies()


def test_include_exclude_labels_and_name() -> None:
    messages = ranks.run(selected, 1, distributed=False)[0]
    for declared in recorder.of(Declare, messages):
        assert [(each.path, each.labels) for each in declared.metrics] == [
            ("val.recall", ("a", "b", "c"))
        ]
    assert recorder.of(Hello, messages)[0].name == "digits"
    assert recorder.by_path(recorder.finals(messages)["validate", 0, 0], messages)["val.recall"][1]


class Sparse(PerLoader):
    """Has loaders that are empty on some rank."""

    def __init__(self) -> None:
        super().__init__()
        self.allow_zero_length_dataloader_with_multiple_devices = True


def with_empty_loaders() -> list[Any]:
    sizes = [[0, 4, 0], [2, 2, 2]][rank()]
    loaders = [predictions([0] * size, [0] * size, 2) for size in sizes]
    fitting = trainer(recorded(), use_distributed_sampler=False)
    fitting.validate(Sparse(), loaders, verbose=False)
    return recorder.bodies()


def test_a_rank_says_of_loaders_that_are_empty_that_it_saw_nothing() -> None:
    for number, messages in enumerate(ranks.run(with_empty_loaders, 2)):
        finals = recorder.finals(messages)
        seen = {key[2]: (each.step, each.batches, each.samples) for key, each in finals.items()}
        busy, empty = (0, 1, 2), (-1, 0, 0)
        assert seen == (
            {0: busy, 1: busy, 2: busy} if number else {0: empty, 1: (1, 2, 4), 2: empty}
        )
        fresh = [recorder.by_path(finals["validate", 0, at], messages)["f1"][1] for at in range(3)]
        assert fresh == ([1, 1, 1] if number else [0, 2, 0])


class Nesting(Judge):
    """Validates another module with a Trainer of its own, from within a validation."""

    def __init__(self, callback: Any) -> None:
        super().__init__()
        self.callback = callback

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1.update(*batch)

    def on_validation_epoch_end(self) -> None:
        trainer(self.callback).validate(
            AtTheEnd(True), predictions([1, 1], [1, 1], 1), verbose=False
        )
        self.f1.update(torch.tensor([2]), torch.tensor([2]))
        self.f1.reset()


def nested() -> tuple[list[Any], bool]:
    from torchmetrics import Metric

    from ddpwatch_lightning import DDPWatch

    before = Metric.reset
    outer = recorded()
    data = predictions([0, 0], [0, 0], 1)
    trainer(outer).validate(Nesting(DDPWatch(every=1)), data, verbose=False)
    finals = {
        each.run: recorder.finals(recorder.bodies(each))["validate", 0, 0].metrics[0]
        for each in recorder.opened()
    }
    return [(state.updates, state.fresh) for state in finals.values()], Metric.reset is before


def test_trainers_within_one_another_do_not_disturb_each_other() -> None:
    (seen, is_restored) = ranks.run(nested, 1, distributed=False)[0]
    assert sorted(seen) == [(2, 2), (3, 3)]
    assert is_restored


class Saving(Model):
    """Saves a checkpoint in the midst of its epoch, and asks for an early end."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.steps = 0

    def on_train_batch_end(self, outputs: Any, batch: Any, batch_idx: int) -> None:
        self.steps += 1
        if self.path and batch_idx == 1:
            self.trainer.save_checkpoint(self.path)
            self.trainer.should_stop = True


def resumed(path: str) -> tuple[list[Any], list[Any], int]:
    data = loader(16, shuffle=False)
    trainer(recorded(), max_epochs=3).fit(Saving(path), data)
    model = Saving("")
    trainer(recorded(), max_epochs=1).fit(model, data, ckpt_path=path)
    first, second = recorder.opened()
    return recorder.bodies(first), recorder.bodies(second), model.steps


def test_training_that_stops_early_and_resumes_within_the_epoch(tmp_path: Any) -> None:
    path = str(tmp_path / "it.ckpt")
    first, second, steps = ranks.run(resumed, 1, path, distributed=False)[0]
    assert ("early_stop", None, 0) in recorder.events(first)
    assert ("early_stop", None, 0) not in recorder.events(second)
    final = recorder.finals(second)["train", 0, 0]
    # Versions of Lightning differ in whether the batch that was being saved is done again.
    assert 0 < steps < 4
    assert (final.epoch, final.step, final.batches) == (0, 3, steps)
    assert recorder.by_path(final, second)["train_f1"][1] == steps
