"""What decides by a key is found in either namespace, and read without computing anything."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import lightning.pytorch.callbacks as newer
import pytest
import pytorch_lightning.callbacks as older
import torch

from ddpwatch_lightning.monitors import find, held, states


def trainer(*callbacks: Any, schedulers: Any = (), metrics: Any = None) -> Any:
    return SimpleNamespace(
        callbacks=list(callbacks),
        lr_scheduler_configs=list(schedulers),
        should_stop=False,
        current_epoch=4,
        _logger_connector=SimpleNamespace(_callback_metrics=metrics or {}),
    )


@pytest.mark.parametrize("namespace", [newer, older])
def test_callbacks_are_declared_with_what_they_watch(namespace: Any) -> None:
    found = find(
        trainer(
            namespace.ModelCheckpoint(monitor="val_f1", mode="max"),
            namespace.ModelCheckpoint(),
            namespace.EarlyStopping("val_loss", patience=2),
            namespace.LearningRateMonitor(),
        )
    )
    said = [each.declared for each in found]
    assert [(each.kind, each.key, each.mode, each.patience) for each in said] == [
        ("checkpoint", "val_f1", "max", None),
        ("early_stopping", "val_loss", "min", 2),
    ]


def plateau(**options: Any) -> Any:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
    config = {"scheduler": scheduler, "monitor": "val_loss", "reduce_on_plateau": True}
    return SimpleNamespace(**{**config, **options})


def test_a_scheduler_counts_where_it_waits_for_a_plateau() -> None:
    watching = trainer(schedulers=[plateau(), plateau(reduce_on_plateau=False)])
    (found,) = find(watching)
    assert (found.declared.kind, found.declared.key, found.declared.patience) == (
        *("scheduler", "val_loss", 3),
    )
    found.holder.step(0.5)
    found.holder.step(0.7)
    (state,) = states(held(watching, [found]))
    assert (state.best, state.wait, state.current) == (0.5, 1, None)


def test_what_they_hold_is_read() -> None:
    stop = newer.EarlyStopping("val_loss")
    watching = trainer(stop, metrics={"val_loss": torch.tensor(0.25)})
    watchers = find(watching)
    first = held(watching, watchers)
    (state,) = states(first)
    assert (state.current, state.best, state.wait, state.stopped) == (0.25, None, 0, False)
    stop.best_score, stop.wait_count, stop.stopped_epoch = torch.tensor(0.25), 1, 4
    watching.should_stop = True
    second = held(watching, watchers)
    (state,) = states(second)
    assert (state.best, state.wait, state.stopped) == (0.25, 1, True)
