"""Are our values those of torchmetrics, in real processes and in its older versions?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ddpwatch.metrics.evaluate import evaluate_ranks
from tests.ddp import truth_cases as cases
from tests.ddp.ranks import run
from tests.ddp.truth_ranks import Measured, measure_all

ROOT = Path(__file__).parents[2]
WORLDS = (2, 3, 4)


def misfits(world_size: int, seeds: Sequence[int]) -> tuple[int, list[str]]:
    """Measure the cases on real ranks; returns how many were compared, and what differs."""
    by_rank: list[list[Measured]] = run(measure_all, world_size, list(seeds), timeout=150)
    compared, wrong = 0, []
    for seed, ranks in zip(seeds, zip(*by_rank, strict=True), strict=True):
        if ranks[0].synchronised is None:
            wrong += [] if _says_samplewise(ranks) else [f"seed {seed}: list states are evaluated"]
            continue
        compared += 1
        wrong += (f"{cases.draw(seed, world_size)}: {text}" for text in _differences(ranks))
    return compared, wrong


def _says_samplewise(ranks: Sequence[Measured]) -> bool:
    result = evaluate_ranks(ranks[0].metric, [rank.states for rank in ranks], cases.VERSIONS)
    return not result.local.scores and "samplewise" in result.global_.reason


def _differences(ranks: Sequence[Measured]) -> list[str]:
    """Compare as the board calls it: only ranks with updates; the others change no sum."""
    taking_part = [rank for rank in ranks if rank.updates]
    result = evaluate_ranks(
        ranks[0].metric,
        [rank.states for rank in taking_part],
        cases.VERSIONS,
        complete=len(taking_part) == len(ranks),
    )
    wrong = []
    for ours, rank in zip(cases.own(result.local), taking_part, strict=True):
        if not cases.agree(ours, rank.local):
            wrong.append(f"local {ours} is not {rank.local}")
    together = cases.own(result.global_)[0]
    return wrong + [
        f"global {together} is not {rank.synchronised}"
        for rank in ranks
        if not cases.agree(together, rank.synchronised)
    ]


@pytest.mark.ddp
@pytest.mark.parametrize("world_size", WORLDS)
def test_values_equal_torchmetrics_on_real_ranks(world_size):
    first = 100_000 * world_size
    compared, wrong = misfits(world_size, range(first, first + 40))
    assert not wrong, "\n".join(wrong)
    assert compared >= 35


@pytest.mark.ddp
@pytest.mark.soak
@pytest.mark.parametrize("world_size", WORLDS)
def test_values_equal_torchmetrics_on_real_ranks_many_times(world_size):
    first = 100_000 * world_size + 1000
    compared, wrong = misfits(world_size, range(first, first + 650))
    assert not wrong, "\n".join(wrong)
    assert compared >= 600


def test_the_comparison_notices_a_wrong_value():
    """A rank whose states are not those behind its values must be reported."""
    metric = cases.build(_F1)
    cases.feed(metric, _F1, 0)
    track, states = cases.track(metric), cases.arrays(metric)
    value = cases.compute(metric, sync=False)
    right = Measured(track, states, 1, value, value)
    wrong = Measured(track, states, 1, value, value + 3e-6)
    assert _differences([right]) == []
    assert len(_differences([wrong])) == 1


_F1 = cases.Case(1, "MulticlassF1Score", "Multiclass", 3, {"num_classes": 3}, False, None)


@pytest.mark.soak
@pytest.mark.parametrize("version", ["1.0.3", "1.3.1", "1.4.1", "1.4.3", "1.6.0"])
def test_values_equal_those_of_an_older_torchmetrics(version, tmp_path):
    target = _install(version, tmp_path)
    paths = os.pathsep.join([str(target), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "tests.ddp.truth_reference", "1200"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    came = json.loads(done.stdout)
    assert came["version"] == version
    assert came["misfits"] == []
    assert came["refused"] == []
    assert sum(came["seen"].values()) == 1200


def _install(version: str, target: Path) -> Path:
    """Put one wheel into a folder of its own, without touching this environment."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    done = subprocess.run(
        [*command, str(target), f"torchmetrics=={version}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(
            f"torchmetrics {version} cannot be installed here: {done.stderr.strip()[-200:]}"
        )
    return target
