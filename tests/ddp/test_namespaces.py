"""The callback works in a Trainer of either of Lightning's namespaces."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from ddpwatch.wire.messages import Hello, Logged
from tests.ddp import ranks, recorder
from tests.ddp.training import loader

pytestmark = pytest.mark.ddp


def in_namespace(namespace: str, in_list: bool) -> list[Any]:
    import importlib
    import warnings

    import torch
    from torchmetrics.classification import MulticlassF1Score

    from ddpwatch_lightning import DDPWatch

    warnings.simplefilter("ignore")
    pl = importlib.import_module(namespace)

    class Model(pl.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 3)
            self.f1 = MulticlassF1Score(3)

        def training_step(self, batch: Any, batch_idx: int) -> Any:
            return self.layer(batch[0]).sum()

        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.f1.update(self.layer(batch[0]), batch[1])
            self.log("f1", self.f1)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    recorder.Recorder.install()
    watch = DDPWatch(every=1)
    fitting = pl.Trainer(
        callbacks=[watch] if in_list else watch,
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    fitting.fit(Model(), loader(16), loader(16))
    return recorder.bodies()


@pytest.mark.parametrize("in_list", [True, False])
@pytest.mark.parametrize(
    ("namespace", "package"),
    [("lightning.pytorch", "lightning"), ("pytorch_lightning", "pytorch_lightning")],
)
def test_either_namespace(namespace: str, package: str, in_list: bool) -> None:
    for messages in ranks.run(in_namespace, 2, namespace, in_list):
        finals = recorder.finals(messages)
        assert recorder.by_path(finals["validate", 0, 0], messages)["f1"][:2] == (2, 2)
        (logged,) = [e for e in recorder.of(Logged, messages) if e.final and e.stage == "validate"]
        assert [(key.name, key.metric, key.calls) for key in logged.keys] == [("f1", "f1", 2)]
        assert [(each.name, each.value is not None) for each in logged.emitted] == [("f1", True)]
        versions = recorder.of(Hello, messages)[0].versions
        assert package in versions
        assert len(versions) == 5


@pytest.mark.parametrize("namespace", ["lightning.pytorch", "pytorch_lightning"])
def test_the_namespace_that_is_loaded_is_used_and_no_other(namespace: str) -> None:
    script = f"""
import sys
import {namespace} as pl
from ddpwatch_lightning import DDPWatch
assert issubclass(DDPWatch, pl.Callback)
roots = {{name.partition(".")[0] for name in sys.modules}}
assert not {{"lightning", "pytorch_lightning"}} - {{{namespace.partition(".")[0]!r}}} & roots
assert not {{"textual", "click", "sklearn", "mcap"}} & roots
"""
    subprocess.run([sys.executable, "-c", script], check=True)
