"""Without any hub, every rank writes a file of its own, and together they are the whole run."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from ddpwatch.recording.library import open_recordings
from ddpwatch.report.document import build_report
from ddpwatch.report.recorded import end_of
from tests.ddp import ranks
from tests.ddp.ear import Ear
from tests.ddp.training import Model, loader, trainer

pytestmark = pytest.mark.ddp


def recorded(folder: str, endpoint: str = "127.0.0.1:1") -> list[str]:
    from ddpwatch_lightning import DDPWatch

    heard: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("ddpwatch").addHandler(handler)
    watch = DDPWatch(endpoint, name="toy", every=1, record=folder)
    fitting = trainer(watch, max_epochs=2)
    fitting.fit(Model(), loader(16), loader(16))
    fitting.validate(Model(), loader(16), verbose=False)
    return heard


def report(folder: Path) -> Any:
    with open_recordings(folder) as recording:
        assert not recording.is_told and not recording.is_cut_short and not recording.notes
        board = end_of(recording)
    (run,) = board.runs.values()
    return run, build_report(run, board.now, board.findings(run))


def test_the_files_of_all_ranks_are_one_run(tmp_path: Path) -> None:
    assert ranks.run(recorded, 2, str(tmp_path)) == [[], []]
    files = sorted(tmp_path.rglob("*.mcap"))
    assert [file.parent.name for file in files] == ["toy"] * 4
    assert sum("rank00001" in file.name for file in files) == 2
    run, found = report(tmp_path)
    assert run.world_size == 2 and {r.bye.reason for r in run.ranks.values()} == {"finished"}
    passes = [(e.stage, e.pass_, e.final) for e in found.epochs]
    assert ("train", 1, True) in passes and ("validate", 2, True) in passes
    steps = [rank.steps() for rank in run.passes[run.pass_keys()[-1]].ranks.values()]
    assert steps[0] == steps[1] and len(steps[0]) >= 2
    f1 = next(m for e in found.epochs for m in e.metrics if m.score == "f1" and e.final)
    assert f1.global_ is not None and None not in f1.ranks


def test_a_hub_gets_the_same_beside_it(tmp_path: Path) -> None:
    with Ear() as ear:
        ranks.run(recorded, 2, str(tmp_path), ear.address)
        heard = [ear.finals(number) for number in range(2)]
    run, _ = report(tmp_path)
    for number, finals in enumerate(heard):
        kept = {(k.stage, k.pass_) for k, p in run.passes.items() if p.ranks[number].final}
        assert kept == finals


def test_a_disk_that_cannot_be_written_costs_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for heard in ranks.run(recorded, 2, str(tmp_path / "file" / "below")):
        assert sum("cannot record this rank; training goes on" in line for line in heard) <= 2
        assert any("could not record" in line and "messages" in line for line in heard)
