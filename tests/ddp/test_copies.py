"""The callback is pickled and copied before, during and after a fit, and copies work."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from tests.ddp import ranks, recorder
from tests.ddp.ear import Ear
from tests.ddp.training import Model, loader, trainer

pytestmark = pytest.mark.ddp


def pickled(watch: Any) -> Any:
    return pickle.loads(pickle.dumps(watch))


WAYS = {"pickle": pickled, "deepcopy": copy.deepcopy}


class Copying(Model):
    """Copies the callback from within training."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.copies: list[Any] = []

    def on_train_batch_end(self, *_: Any) -> None:
        (watch,) = self.trainer.callbacks[:1]
        self.copies.append(WAYS[self.way](watch))

    def __deepcopy__(self, memo: Any) -> Any:
        raise AssertionError("a copy of the callback reached the module")


def copied(way: str, address: str) -> tuple[int, int, list[bool]]:
    from ddpwatch_lightning import DDPWatch

    watch = WAYS[way](DDPWatch(address, every=1, labels={"*": ["a", "b", "c"]}))
    model = Copying(way)
    trainer(watch).fit(model, loader(8), loader(8))
    after = WAYS[way](watch)
    states = [each.state_dict() == {} for each in (watch, after, *model.copies)]
    for each in (model.copies[0], after):
        trainer(each).fit(Model(), loader(8), loader(8))
    trainer(watch).validate(Model(), loader(8), verbose=False)
    return len(model.copies), len(recorder.Recorder.made), states


@pytest.mark.parametrize("way", WAYS)
def test_copies_made_at_any_time_watch_as_well(way: str) -> None:
    with Ear() as ear:
        copies, _, states = ranks.run(copied, 1, way, ear.address, distributed=False)[0]
        assert copies == 2
        assert all(states)
        assert len(ear.runs) == 4
        whole = {each.run for each in ear.envelopes if getattr(each.body, "final", False)}
        assert whole == ear.runs


def checkpointed(folder: str) -> dict[str, Any]:
    import torch

    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    fitting = trainer(DDPWatch())
    fitting.fit(Model(), loader(8), loader(8))
    fitting.save_checkpoint(f"{folder}/last.ckpt")
    saved: dict[str, Any] = torch.load(f"{folder}/last.ckpt", weights_only=False)
    trainer(DDPWatch(), max_epochs=2).fit(
        Model(), loader(8), loader(8), ckpt_path=f"{folder}/last.ckpt"
    )
    return saved["callbacks"]


def test_a_checkpoint_holds_nothing_of_it_and_can_be_resumed(tmp_path: Any) -> None:
    assert ranks.run(checkpointed, 1, str(tmp_path), distributed=False) == [{}]
