"""However ranks are started, they are one run, each with a claim of its own, and say goodbye."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ddp import ranks, recorder
from tests.ddp.ear import Ear
from tests.ddp.training import Model, loader, trainer

pytestmark = pytest.mark.ddp

ROOT = Path(__file__).parents[2]
LAUNCHER = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "DDPWATCH_RUN_ID")


def started(*command: str, **variables: str) -> None:
    """Run a command as from a fresh shell."""
    environ = {name: value for name, value in os.environ.items() if name not in LAUNCHER}
    threads = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = subprocess.run(
        [sys.executable, *command],
        env={**environ, **threads, **variables},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def is_whole(ear: Ear, world_size: int) -> bool:
    """Say whether every rank of one run sent all it had to."""
    everyone = set(range(world_size))
    claims = {(each.rank, each.claim) for each in ear.envelopes}
    assert set(ear.hellos()) == everyone
    assert {hello.world_size for hello in ear.hellos().values()} == {world_size}
    assert len({hello.pid for hello in ear.hellos().values()}) == world_size
    assert len(claims) == world_size
    assert ear.goodbyes() == dict.fromkeys(everyone, "finished")
    passes = {("sanity_check", 0), ("train", 0), ("validate", 0)}
    assert [ear.finals(rank) for rank in everyone] == [passes] * world_size
    return True


def test_a_script_that_lightning_starts_again_for_each_rank() -> None:
    with Ear() as ear:
        started("-m", "tests.ddp.launched", ear.address, "ddp", "2")
        assert is_whole(ear, 2)
        assert len(ear.runs) == 1


def test_torchrun_with_an_id_of_its_own() -> None:
    with Ear() as ear:
        torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")
        started(*torchrun, "--rdzv-id=job7", "-m", "tests.ddp.launched", ear.address, "ddp", "2")
        assert is_whole(ear, 2)
        assert len(ear.runs) == 1


def test_a_script_of_one_process_started_twice_is_two_runs() -> None:
    with Ear() as ear:
        for _ in range(2):
            started("-m", "tests.ddp.launched", ear.address, "auto", "1")
        assert len(ear.runs) == 2
        assert {each.rank for each in ear.envelopes} == {0}


def multiprocessed(address: str, strategy: str) -> None:
    """Two Trainers in one script, whose ranks are processes made by Lightning for each call."""
    from ddpwatch_lightning import DDPWatch

    made = [
        trainer(DDPWatch(address, every=1), strategy=strategy, devices=2, limit_val_batches=0)
        for _ in range(2)
    ]
    for each in made:
        each.fit(Model(), loader(16))


@pytest.mark.parametrize("strategy", ["ddp_fork", "ddp_spawn"])
def test_two_trainers_whose_ranks_are_forked_or_spawned(strategy: str) -> None:
    with Ear() as ear:
        ranks.run(multiprocessed, 1, ear.address, strategy, distributed=False, timeout=90)
        assert ear.goodbyes() == {0: "finished", 1: "finished"}
        (first, second) = sorted(ear.runs)
        assert second == f"{first}.1"
        for run in (first, second):
            claims = {(each.rank, each.claim) for each in ear.envelopes if each.run == run}
            assert sorted(rank for rank, _ in claims) == [0, 1]


def identities() -> list[tuple[str, int, str]]:
    return [(each.run, each.rank, each.claim) for each in recorder.opened()]


def used_twice() -> Any:
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    fitting = trainer(DDPWatch(every=1))
    model = Model()
    fitting.fit(model, loader(16), loader(16))
    fitting.validate(model, loader(16), verbose=False)
    fitting.fit_loop.max_epochs = 2
    fitting.fit(model, loader(16), loader(16))
    journals = {id(each.options["journal"]) for each in recorder.opened()}
    return identities(), len(journals), list(recorder.finals(recorder.bodies()))


def test_a_trainer_used_again_is_the_same_run_and_goes_on_counting() -> None:
    for identity, journals, finals in ranks.run(used_twice, 2):
        assert len(identity) == 3
        assert len(set(identity)) == 1
        assert journals == 1
        assert [key[:2] for key in finals if key[0] == "validate"] == [
            ("validate", 0),
            ("validate", 1),
            ("validate", 2),
        ]
        assert ("train", 1, 0) in finals


def two_trainers(shared: bool) -> Any:
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    first = DDPWatch()
    for callback in (first, first if shared else DDPWatch()):
        trainer(callback).fit(Model(), loader(8))
    return identities(), len({id(each.options["journal"]) for each in recorder.opened()})


@pytest.mark.parametrize("shared", [True, False])
def test_two_trainers_in_one_script_are_two_runs(shared: bool) -> None:
    found = ranks.run(two_trainers, 2, shared)
    runs = [[run for run, _, _ in identity] for identity, _ in found]
    assert runs[0] == runs[1]
    assert runs[0][1] == f"{runs[0][0]}.1"
    for identity, journals in found:
        assert len({claim for _, _, claim in identity}) == 2
        assert journals == 2


def attached_twice() -> Any:
    import logging

    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    told: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("ddpwatch").addHandler(handler)
    trainer(DDPWatch(name="first"), DDPWatch(name="second")).fit(Model(), loader(8))
    return identities(), told


def test_the_second_callback_of_a_trainer_is_idle() -> None:
    for identity, told in ranks.run(attached_twice, 2):
        assert [run for run, _, _ in identity] == ["first"]
        assert len(told) == 1
        assert "more than one DDPWatch" in told[0]
