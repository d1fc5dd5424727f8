"""Declarations are versioned, and holders change with the compute groups."""

from __future__ import annotations

import torch
from torch import nn
from torchmetrics import MetricCollection, SumMetric
from torchmetrics.classification import MulticlassF1Score, MulticlassRecall

from ddpwatch.wire.messages import Loader
from ddpwatch_lightning.beside import Beside
from ddpwatch_lightning.followed import Followed
from ddpwatch_lightning.samplers import Described
from ddpwatch_lightning.tracked import Selection, Tracked

PREDS, TARGET = torch.tensor([0, 0, 1, 2]), torch.tensor([0, 1, 1, 2])


class Module(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.loss = SumMetric()
        self.val = MetricCollection({"f1": MulticlassF1Score(3), "recall": MulticlassRecall(3)})


def test_a_declaration_is_made_first_and_after_changes_only() -> None:
    followed, module = Followed(Selection(), None), Module()
    first = followed.refresh(module)
    assert first is not None
    assert followed.refresh(module) is None
    module.extra = SumMetric()
    second = followed.refresh(module)
    assert second is not None
    assert [(each.version, len(each.metrics)) for each in (first(), second())] == [(0, 3), (1, 4)]


def test_a_module_without_metrics_declares_that() -> None:
    followed = Followed(Selection(), None)
    declaration = followed.refresh(nn.Linear(1, 1))
    assert declaration is not None
    assert declaration().metrics == ()
    assert list(followed.holders()) == []


def test_holders_follow_the_groups_as_they_form() -> None:
    followed, module = Followed(Selection(), None), Module()
    followed.refresh(module)
    assert [holder.members for holder in followed.holders()] == [[0], [1], [2]]
    module.val.update(PREDS, TARGET)
    assert [holder.members for holder in followed.holders()] == [[0], [1, 2]]


def test_a_holder_is_found_by_the_metric_that_holds_the_states() -> None:
    followed, module = Followed(Selection(), None), Module()
    module.val.update(PREDS, TARGET)
    followed.refresh(module)
    f1, recall = module.val._modules.values()
    found = followed.holder(f1)
    assert found is not None
    assert (found.owner, found.members) == (1, [1, 2])
    assert followed.holder(recall) is None
    assert followed.holder(SumMetric()) is None


def test_other_loaders_are_declared_and_leave_the_holders_alone() -> None:
    followed, module = Followed(Selection(), None), Module()
    followed.refresh(module)
    holders = followed.holders()
    described = Described(Loader(stage="train", cls="DataLoader"), object())
    beside = Beside(loaders=(described,), loggers=("CSVLogger",))
    second = followed.refresh(module, beside)
    assert second is not None
    assert followed.refresh(module, beside) is None
    made = second()
    assert (made.version, made.loaders, made.loggers) == (
        1,
        (described.loader,),
        ("CSVLogger",),
    )
    assert followed.holders() is holders
    module.val.update(PREDS, TARGET)
    assert followed.holders().version == holders.version == 0


def test_its_own_metrics_come_last_and_are_marked() -> None:
    own = Tracked("shadow.f1", MulticlassF1Score(3), True, shadow=True, labels=("a", "b", "c"))
    followed = Followed(Selection(exclude=("*",)), None, [own])
    declaration = followed.refresh(Module())
    assert declaration is not None
    (found,) = declaration().metrics
    assert (found.path, found.shadow, found.labels) == ("shadow.f1", True, ("a", "b", "c"))
