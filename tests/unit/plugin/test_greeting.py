"""What a rank says of itself, from its Trainer and environment."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from ddpwatch.wire.codec import pack
from ddpwatch_lightning.greeting import hello, launched_world_size


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"WORLD_SIZE": "4", "SLURM_NTASKS": "8"}, 4),
        ({"SLURM_NTASKS": "8"}, 8),
        ({"WORLD_SIZE": "many", "OMPI_COMM_WORLD_SIZE": "2"}, 2),
        ({"WORLD_SIZE": ""}, None),
        ({}, None),
    ],
)
def test_the_launcher_s_world(environ: dict[str, str], expected: int | None) -> None:
    assert launched_world_size(environ) == expected


def trainer(**changes: Any) -> Any:
    known = {
        "world_size": 4,
        "node_rank": 1,
        "local_rank": 0,
        "max_epochs": 10,
        "strategy": SimpleNamespace(root_device=torch.device("cpu")),
        "state": SimpleNamespace(fn=SimpleNamespace(value="fit")),
    }
    return SimpleNamespace(**{**known, **changes})


def test_a_greeting_fits_the_wire_and_says_who_it_is() -> None:
    said = hello(trainer(), "x" * 1000, 12.5, {"WORLD_SIZE": "4"})
    pack(said)
    assert (said.world_size, said.node_rank, said.started) == (4, 1, 12.5)
    assert (said.entry, said.max_epochs, said.device) == ("fit", 10, "cpu")
    assert len(said.name) == 512


@pytest.mark.parametrize("epochs", [-1, None])
def test_a_fit_without_an_end_says_so(epochs: int | None) -> None:
    assert hello(trainer(max_epochs=epochs), "run", 0.0, {}).max_epochs is None
