"""Shadow metrics of two ranks, added up, are what scikit-learn says of the pooled data."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import precision_recall_fscore_support
from torch.utils.data import DataLoader, TensorDataset

from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array, Declare, Event
from tests.ddp import ranks, recorder
from tests.ddp.collectives import Spy
from tests.ddp.training import trainer

pytestmark = pytest.mark.ddp

LABELS = ["even", "prime", "has a loop"]
SAMPLES = 42


def data() -> TensorDataset:
    generator = torch.Generator().manual_seed(5)
    inputs = torch.randn(SAMPLES, 4, generator=generator)
    return TensorDataset(inputs, torch.randint(0, 2, (SAMPLES, 3), generator=generator))


def model(returns: str) -> Any:
    import lightning.pytorch as pl

    class ByHand(pl.LightningModule):
        """Has no metric of torchmetrics in it."""

        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(1)
            self.layer = torch.nn.Linear(4, 3)

        def step(self, batch: Any) -> Any:
            scores = self.layer(batch[0])
            labels = batch[1].float()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, labels)
            outputs: Any = {"loss": loss, "predictions": scores.sigmoid(), "labels": labels}
            if returns == "arrays":
                outputs |= {k: outputs[k].detach().numpy() for k in ("predictions", "labels")}
            elif returns == "nothing":
                return None
            elif returns == "others":
                return {"loss": loss, "logits": scores}
            return outputs

        def training_step(self, batch: Any, batch_idx: int) -> Any:
            outputs = self.step(batch)
            return outputs if outputs is not None else self.layer(batch[0]).sum()

        def validation_step(self, batch: Any, batch_idx: int) -> Any:
            return self.step(batch)

        def test_step(self, batch: Any, batch_idx: int) -> Any:
            return self.step(batch)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.0)

    return ByHand()


SHADOW: dict[str, Any] = {
    "task": "multilabel",
    "labels": LABELS,
    "preds": "predictions",
    "target": "labels",
}


def shadowed(returns: str, shadow: Any, watched: bool = True) -> Any:
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    warned: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: warned.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("ddpwatch").addHandler(handler)
    spy = Spy()
    fitting = trainer(*[DDPWatch(every=1, shadow=shadow)] * watched)
    module = model(returns)
    loader = DataLoader(data(), 4)
    fitting.fit(module, loader, loader)
    fitting.test(module, loader, verbose=False)
    return recorder.bodies(), spy.calls, warned


def counts(messages: list[Any], stage: str, path: str = "shadow.f1") -> dict[str, Any]:
    state = recorder.finals(messages)[stage, 0, 0]
    declared = {each.version: each for each in recorder.of(Declare, messages)}[state.declare]
    for each in state.metrics:
        metric = declared.metrics[each.metric]
        if metric.path == path:
            assert metric.shadow
            assert metric.labels == tuple(LABELS)
            arrays = [to_numpy(a) for a in each.states if isinstance(a, Array)]
            names = [spec.name for spec in metric.states]
            return {"updates": each.updates, **dict(zip(names, arrays, strict=True))}
    raise AssertionError(path)


def pooled() -> tuple[Any, Any]:
    inputs, target = data().tensors
    with torch.no_grad():
        return model("tensors").layer(inputs).sigmoid().numpy(), target.numpy()


def scores(found: list[dict[str, Any]]) -> list[Any]:
    tp, fp, fn = (sum(each[name] for each in found) for name in ("tp", "fp", "fn"))
    return [tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)]


@pytest.fixture(scope="module")
def run() -> list[Any]:
    return ranks.run(shadowed, 2, "tensors", {**SHADOW, "stages": ["train", "validate", "test"]})


@pytest.mark.parametrize("stage", ["validate", "test"])
def test_counts_of_all_ranks_give_what_sklearn_does(run: list[Any], stage: str) -> None:
    probabilities, target = pooled()
    expected = precision_recall_fscore_support(target, probabilities > 0.5, average=None)
    found = [counts(messages, stage) for messages, _, _ in run]
    assert np.allclose(scores(found), expected[:3])
    # Neither rank alone has these values.
    assert not np.allclose(scores(found[:1]), expected[:3])


def test_training_is_counted_on_its_own(run: list[Any]) -> None:
    probabilities, target = pooled()
    expected = precision_recall_fscore_support(target, probabilities > 0.5, average=None)
    found = [counts(messages, "train", "shadow_train.f1") for messages, _, _ in run]
    assert np.allclose(scores(found), expected[:3])
    assert [each["updates"] for each in found] == [6, 6]


def test_the_sanity_check_is_not_in_the_validation(run: list[Any]) -> None:
    for messages, _, _ in run:
        assert counts(messages, "sanity_check")["updates"] == 2
        assert counts(messages, "validate")["updates"] == 6


def test_no_collective_is_added(run: list[Any]) -> None:
    plain = ranks.run(shadowed, 2, "tensors", None, False)
    assert [calls for _, calls, _ in run] == [calls for _, calls, _ in plain]


def test_arrays_and_a_function_give_the_same(run: list[Any]) -> None:
    def same(others: list[Any]) -> None:
        for mine, theirs in zip(run, others, strict=True):
            for name in ("tp", "fp", "tn", "fn"):
                assert np.array_equal(
                    counts(mine[0], "test")[name], counts(theirs[0], "test")[name]
                )

    same(ranks.run(shadowed, 2, "arrays", SHADOW))
    same(ranks.run(with_a_function, 2))


def with_a_function() -> Any:
    return shadowed(
        "others",
        {
            "task": "multilabel",
            "labels": LABELS,
            "pick": lambda outputs, batch: (outputs["logits"].sigmoid(), batch[1]),
        },
    )


def test_a_search_keeps_the_curve_of_the_pooled_data() -> None:
    from torchmetrics.classification import MultilabelPrecisionRecallCurve

    found = ranks.run(shadowed, 2, "tensors", {**SHADOW, "threshold": "best", "thresholds": 21})
    curves = [counts(messages, "validate", "shadow.curve")["confmat"] for messages, _, _ in found]
    whole = MultilabelPrecisionRecallCurve(3, thresholds=torch.linspace(0, 1, 21))
    probabilities, target = pooled()
    whole.update(torch.from_numpy(probabilities), torch.from_numpy(target))
    assert np.array_equal(sum(curves), whole.confmat.numpy())


@pytest.mark.parametrize(
    ("returns", "expected"),
    [("others", "got a dict with the keys 'loss', 'logits'"), ("nothing", "got nothing")],
)
def test_what_does_not_fit_is_said_once_and_training_goes_on(returns: str, expected: str) -> None:
    for messages, _, warned in ranks.run(shadowed, 2, returns, SHADOW):
        (line,) = [each for each in warned if "shadow" in each]
        assert "'predictions' and 'labels'" in line
        assert expected in line
        (event,) = [e for e in recorder.of(Event, messages) if e.kind == "capture_failed"]
        assert expected in event.text
        assert counts(messages, "validate")["updates"] == 0
        assert ("test", 0, 0) in recorder.finals(messages)
